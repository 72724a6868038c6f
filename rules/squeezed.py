"""A cleaned post as one run of bytes without white space, and the way back to its lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from rules.pattern import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.model import CleanText, Line

_WORD = re.compile(r"\S+")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Squeezed:
    """Lines in one order, squeezed; `starts[i]` is where line i begins in `data`."""

    data: bytes
    starts: tuple[int, ...]
    lines: tuple[Line, ...]

    def line_at(self, offset: int) -> int:
        """Index of the line that holds the byte at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def inside_word(self, offset: int) -> bool:
        """Whether the bytes on both sides of `offset` stood together in one line's word."""
        if not 0 < offset < len(self.data):
            return False
        return next(self._breaks(offset, offset), None) is None

    def count_breaks(self, start: int, end: int) -> int:
        """How often white space or a line's end cuts [start, end)."""
        return len(set(self._breaks(start + 1, end - 1)))

    def letters_before(self, offset: int, most: int) -> bytes:
        """Give the letters before `offset` of the word that it stands in, `most` at the most."""
        start = offset
        while offset - start < most and self._joins(start):
            start -= 1
        return self.data[start:offset]

    def letters_after(self, offset: int, most: int) -> bytes:
        """Give those after it."""
        end = offset
        while end - offset < most and self._joins(end):
            end += 1
        return self.data[offset:end]

    def _joins(self, offset: int) -> bool:
        return (
            0 < offset < len(self.data)
            and self.data[offset - 1] in _LETTERS
            and self.data[offset] in _LETTERS
            and self.inside_word(offset)
        )

    def text_at(self, start: int, end: int) -> str:
        """Give the text that [start, end) was squeezed from, as far as its first line goes."""
        index = self.line_at(start)
        text, at = self.lines[index].text, self.starts[index]
        first = last = None
        for word in _WORD.finditer(text):
            length = len(squeeze(word[0]))
            if at + length > start and first is None:
                first = word.start() + (start - at if length == len(word[0]) else 0)
            if at < end:
                last = word.end() if at + length <= end else word.start() + end - at
            at += length
            if at >= end:
                break
        return text[first:last] if first is not None else ""

    def _breaks(self, low: int, high: int) -> Iterator[int]:
        """Offsets in [low, high] at which a word of a line begins or ends."""
        for index in range(self.line_at(low - 1), self.line_at(high) + 1):
            words = self.lines[index].text.encode("utf-8", "replace").split()
            for offset in accumulate(map(len, words), initial=self.starts[index]):
                if low <= offset <= high:
                    yield offset


def squeeze_lines(lines: Sequence[Line]) -> Squeezed:
    """Join `lines` in their order."""
    parts = [squeeze(line.text) for line in lines]
    starts, offset = [], 0
    for part in parts:
        starts.append(offset)
        offset += len(part)
    return Squeezed(b"".join(parts), tuple(starts), tuple(lines))


def views(clean: CleanText) -> tuple[Squeezed, ...]:
    """View the post as it is and, where ranks alternate, once more rank by rank."""
    natural = squeeze_lines(clean.lines)
    ranks = [line.rank for line in clean.lines if line.rank is not None]
    changes = sum(a != b for a, b in pairwise(ranks))
    if changes < max(1, len(set(ranks))):
        return (natural,)
    return (natural, squeeze_lines(_by_rank(clean.lines)))


def _by_rank(lines: Sequence[Line]) -> list[Line]:
    owner: int | None = None
    keyed = []
    for line in lines:
        owner = line.rank if line.rank is not None else owner
        keyed.append((-1 if owner is None else owner, line))
    return [line for _, line in sorted(keyed, key=lambda pair: pair[0])]
