"""What an import gives: an entry, and what a person should look at."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from rules.entry import Entry


class FormError(ValueError):
    """The document is no entry of this form; the message says why."""


@dataclass(frozen=True, slots=True)
class Imported:
    """An entry with remarks on what was left out or made up."""

    entry: Entry
    remarks: tuple[str, ...] = ()


def to_slug(text: str, most: int = 60) -> str:
    """Letters, digits and hyphens of the first words of `text`; "step" where none is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(slug) > most:
        slug = slug[:most].rpartition("-")[0] or slug[:most]
    return slug or "step"


def name_apart(name: str, taken: Collection[str]) -> str:
    """Give `name`, with a number after it where it is taken."""
    number, candidate = 2, name
    while candidate in taken:
        candidate, number = f"{name}-{number}", number + 1
    return candidate


def first_sentence(text: str, most: int) -> str:
    """Put `text` in one line; where it is longer than `most`, its first sentence, cut at a word."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    sentence = re.split(r"(?<=[.!?;]) ", flat, maxsplit=1)[0]
    if len(sentence) <= most:
        return sentence
    return sentence[: most - 1].rpartition(" ")[0] + "…"
