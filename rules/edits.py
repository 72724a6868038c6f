"""Which steps' texts changed between two knowledge bases: votes follow ids, people judge texts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rules.entry import Workaround
from rules.posterior import list_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rules.entry import DeadEnd, Entry


class Edit(StrEnum):
    """What happened to a step or dead end."""

    CHANGED = "changed"
    """Other words under the same id: is it still the same step? Its votes say so."""
    RENAMED = "renamed"
    """The same words under another id: its votes stay behind."""
    REMOVED = "removed"
    """Its votes hang on nothing."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One edit that an editor should answer for."""

    entry: str
    target: str
    edit: Edit
    now: str | None = None
    """The new id, where it was renamed."""


def hash_text(part: Workaround | DeadEnd) -> str:
    """Hash what tells a person what to do; white space and case do not matter."""
    words = [part.do]
    words += [part.details or "", part.run or ""] if isinstance(part, Workaround) else [part.why]
    flat = "\n".join(" ".join(text.split()).casefold() for text in words)
    return hashlib.blake2b(flat.encode(), digest_size=16).hexdigest()


def list_edits(before: Iterable[Entry], after: Iterable[Entry]) -> tuple[TextEdit, ...]:
    """List the steps and dead ends whose text or id changed; new ones are nobody's question."""
    new = {entry.id: hash_texts(entry) for entry in after}
    old = {entry.id: hash_texts(entry) for entry in before}
    return compare_texts(old, new)


def compare_texts(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]
) -> tuple[TextEdit, ...]:
    """Do the same with hashes by entry and id; `before` may hold only some of an entry's texts."""
    edits: list[TextEdit] = []
    for entry, old in before.items():
        texts = after.get(entry, {})
        by_text = {text: target for target, text in texts.items()}
        for target, text in old.items():
            if target not in texts:
                moved_to = by_text.get(text)
                kind = Edit.RENAMED if moved_to else Edit.REMOVED
                edits.append(TextEdit(entry, target, kind, moved_to))
            elif texts[target] != text:
                edits.append(TextEdit(entry, target, Edit.CHANGED))
    return tuple(edits)


def hash_texts(entry: Entry) -> dict[str, str]:
    """Hash the text of each step and dead end, by id."""
    return {part.id: hash_text(part) for part in list_parts(entry)}
