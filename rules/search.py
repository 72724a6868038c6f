"""Words -> entries, best first: on ids, titles, aliases and signatures; spelling may be off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.entry import Entry

_WORD = re.compile(r"[a-z0-9]+")
_LEAST = 80.0
"""Similarity from which a word is a misspelling of another."""
_WEIGHTS = (4.0, 3.0, 2.0, 1.0)
"""Of id, title, aliases and signatures."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry and how well it fits, in [0, 1]."""

    entry: Entry
    score: float


def search(entries: Iterable[Entry], query: str, most: int = 10) -> list[Found]:
    """Rank the entries that hold every word of `query`, or nearly; others come after them."""
    wanted = _WORD.findall(query.lower())
    if not wanted:
        return []
    found = [Found(entry, _score(entry, wanted)) for entry in entries]
    hits = [each for each in found if each.score > 0]
    return sorted(hits, key=lambda each: (-each.score, each.entry.id))[:most]


def _score(entry: Entry, wanted: Sequence[str]) -> float:
    fields = (
        entry.id,
        entry.title,
        " ".join(entry.aliases),
        " ".join(s.text or s.regex or "" for s in entry.signatures),
    )
    spoken = [frozenset(_WORD.findall(text.lower())) for text in fields]
    total = sum(
        max(_hold(word, words) * w for words, w in zip(spoken, _WEIGHTS, strict=True))
        for word in wanted
    )
    return total / (_WEIGHTS[0] * len(wanted))


def _hold(word: str, words: frozenset[str]) -> float:
    """How well the best of `words` fits: whole, its start, or misspelt."""
    if word in words:
        return 1.0
    if len(word) < 3:
        return 0.0
    if any(other.startswith(word) for other in words):
        return 0.8
    best = process.extractOne(word, words, scorer=fuzz.ratio, score_cutoff=_LEAST)
    return best[1] / 100 * 0.7 if best else 0.0
