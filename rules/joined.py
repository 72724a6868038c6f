"""The lines of a post as one text, for facts that a wrap may have spread over two of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.model import CleanText, Line


@dataclass(frozen=True, slots=True)
class Joined:
    """Cleaned lines joined by line feeds, with the way back from an offset to its line."""

    text: str
    lowered: str
    """For cheap tests only: its offsets may differ from those of `text`."""
    lines: tuple[Line, ...]
    ends: tuple[int, ...]

    def line_at(self, offset: int) -> Line:
        """The line that holds the character at `offset`."""
        return self.lines[bisect_right(self.ends, offset)]


def join(clean: CleanText) -> Joined:
    """Join a post that has at least one line."""
    text = "\n".join([line.text for line in clean.lines])
    ends = tuple(accumulate(len(line.text) + 1 for line in clean.lines))
    return Joined(text, text.lower(), clean.lines, ends)
