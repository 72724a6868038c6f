"""A log read piece by piece: each piece with what stands before and after it, and its line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 1 << 18
"""Bytes read at a time."""
BEFORE, AFTER = 3_000, 4_000
"""Bytes that may be kept on each side of a place."""
REACH = 1_000
"""Bytes more for whole lines."""
TAIL = 24_576
"""Bytes before a piece that are at hand still; as much of the end of a log is kept."""


class Readable(Protocol):
    """An open binary file, or anything that is read like one."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


@dataclass(frozen=True, slots=True)
class Window:
    """Bytes kept from the log; `line` is the number of their first line, from 1."""

    offset: int
    line: int
    data: bytes

    @property
    def end(self) -> int:
        """Offset in the log of the first byte after it."""
        return self.offset + len(self.data)


class Chunk:
    """Bytes of the log, of which those from `begin` to `limit` are new; the others are context."""

    def __init__(self, offset: int, line: int, data: bytes, begin: int, limit: int) -> None:
        self.offset, self.line, self.data = offset, line, data
        self.begin, self.limit = begin, limit
        self._counted = self._newlines = 0

    @cached_property
    def lowered(self) -> bytes:
        """All but what comes after `limit`, in lower case."""
        return self.data[: self.limit].lower()

    def window(self, low: int, high: int, floor: int = 0) -> Window:
        """Cut out the lines that hold [low, high), from `floor` on; much longer ones are cut."""
        low, high = max(0, low), min(len(self.data), high)
        start = self.data.rfind(b"\n", max(0, low - REACH), low) + 1
        if not start and low > REACH:
            start = low
        start = max(start, floor)
        end = self.data.find(b"\n", max(start, high - 1), high + REACH) + 1 or high
        line = self.line + self._lines_before(start)
        return Window(self.offset + start, line, self.data[start:end])

    def _lines_before(self, place: int) -> int:
        """Count on from the last place asked for: places mostly come in order."""
        if place < self._counted:
            self._counted = self._newlines = 0
        self._newlines += self.data.count(b"\n", self._counted, place)
        self._counted = place
        return self._newlines


def read_chunks(source: Readable) -> Iterator[Chunk]:
    """Cut the log at line ends, where lines are shorter than a piece; every byte is new once."""
    data, offset, begin = b"", 0, 0
    line, newlines = 1, 0
    more = True
    while more:
        block = _fill(source)
        more = bool(block)
        data = data + block if data else block
        newlines += _count_lines(block)
        limit = _limit(data, begin) if more else len(data)
        if limit <= begin:
            continue
        yield Chunk(offset, line, data, begin, limit)
        kept = max(0, limit - TAIL)
        data, offset, begin = data[kept:], offset + kept, limit - kept
        ahead = data.count(b"\n")
        line, newlines = line + newlines - ahead, ahead


def _fill(source: Readable) -> bytes:
    """Read CHUNK bytes; less only at the end, however little is given at a time."""
    block = source.read(CHUNK)
    parts, size = [block], len(block)
    while block and size < CHUNK:
        block = source.read(CHUNK - size)
        parts.append(block)
        size += len(block)
    return b"".join(parts) if len(parts) > 1 else block


def _limit(data: bytes, begin: int) -> int:
    """Where the new bytes end, so that what follows a place in them is at hand."""
    end = len(data) - AFTER - REACH
    return data.rfind(b"\n", begin, end) + 1 or end if end > begin else begin


def _count_lines(block: bytes) -> int:
    # Half as long as block.count() takes: it looks for line feeds with memchr.
    return len(block) - len(block.replace(b"\n", b""))
