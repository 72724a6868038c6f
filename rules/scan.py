"""A log of any size -> the few lines that matter, in one pass and bounded memory.

Raw bytes are scanned for the literals of all signatures; windows round the hits, the head and the
tail are kept, cleaned and judged like a post. A signature that a wrap broke inside a word is the
one thing that the raw scan cannot see.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

import hyperscan

from rules.clean import clean
from rules.model import CleanText, Line
from rules.pattern import anchor_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rules.entry import Entry

CHUNK = 1 << 20
"""Bytes read at a time; a line longer than this is cut into pieces."""
_OVERLAP = 4_096
_BEFORE, _AFTER = 3_000, 5_000
"""Bytes kept on each side of a hit."""
_HEAD, _TAIL = 8_192, 24_576
_FIRST_HITS, _LAST_HITS = 3, 2
"""Chunks with a hit that are kept for each literal, from the start and from the end."""
_MOST_KEPT = 1 << 19
"""Bytes that are cleaned and judged at the most."""


_SHORTEST_PIECE = 12
"""Characters below which half a run would be too common."""
_SHORTEST_GATE = 5
_BLOCK = 1 << 14
"""Newlines are counted once for each block of this many bytes."""


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


@dataclass(slots=True)
class _Kept:
    first: list[Window] = field(default_factory=list)
    last: list[Window] = field(default_factory=list)

    def add(self, window: Window) -> None:
        if len(self.first) < _FIRST_HITS:
            self.first.append(window)
        else:
            self.last = [*self.last[1 - _LAST_HITS :], window]


class Scanner:
    """The literals of `entries`, compiled for raw bytes."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        literals = sorted(_literals(entries))
        self._database: Any = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[literal.encode() for literal in literals],
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SINGLEMATCH] * len(literals),
            literal=True,
        )

    def hits(self, chunk: bytes) -> list[tuple[int, int]]:
        """Literal and end of its first place in `chunk`."""
        found: list[tuple[int, int]] = []

        def note(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found.append((literal, end))

        if chunk:
            self._database.scan(chunk, match_event_handler=note)
        return found


def read_log(source: Readable, scanner: Scanner) -> CleanText:
    """The lines of `source` that can decide, cleaned, with their numbers in the log."""
    windows = _merge(_collect(source, scanner))
    lines: list[Line] = []
    for window in windows:
        text = window.data.decode("utf-8", "replace")
        lines += [replace(line, number=line.number + window.line - 1) for line in clean(text).lines]
    return CleanText(tuple(lines), truncated=True)


def _literals(entries: Iterable[Entry]) -> set[str]:
    """What is sought in raw bytes; a gate that is too short is left to the judged windows."""
    found: set[str] = set()
    for entry in entries:
        gates = [*entry.unless, *(text for s in entry.signatures for text in s.near)]
        found |= {p for text in gates for p in _pieces(text) if len(p) >= _SHORTEST_GATE}
        for signature in entry.signatures:
            runs = (signature.text,) if signature.text else anchor_runs(signature.regex or "")
            found |= {piece for run in runs for piece in _pieces(run)}
    return found


def _pieces(run: str) -> tuple[str, ...]:
    """Halves of a long run, so that a line wrapped between two words breaks one of them at most."""
    words = run.split()
    text = " ".join(words)
    if len(text) < 2 * _SHORTEST_PIECE:
        return (text,)
    middle = min(range(1, len(words)), key=lambda i: abs(len(" ".join(words[:i])) - len(text) // 2), default=0)
    halves = (" ".join(words[:middle]), " ".join(words[middle:]))
    return halves if min(map(len, halves)) >= _SHORTEST_PIECE else (text,)


def _collect(source: Readable, scanner: Scanner) -> list[Window]:
    kept: dict[int, _Kept] = {}
    head: Window | None = None
    tail = Window(0, 1, b"")
    for chunk in _chunks(source):
        if head is None:
            head = chunk.window(0, _HEAD)
        for literal, end in scanner.hits(chunk.data):
            kept.setdefault(literal, _Kept()).add(chunk.window(end - _BEFORE, end + _AFTER))
        tail = _keep_tail(tail, chunk)
    windows = [w for group in kept.values() for w in (*group.first, *group.last)]
    return [*([head] if head else []), *windows, tail]


class _Chunk:
    """A piece of the log; newlines before any place in it are known without counting again."""

    __slots__ = ("_before", "data", "line", "offset")

    def __init__(self, offset: int, line: int, data: bytes) -> None:
        self.offset, self.line, self.data = offset, line, data
        counts = (data.count(b"\n", i, i + _BLOCK) for i in range(0, len(data), _BLOCK))
        self._before = [0, *accumulate(counts)]

    @property
    def lines(self) -> int:
        """How many lines end in it."""
        return self._before[-1]

    def window(self, low: int, high: int) -> Window:
        """The lines round [low, high); a line that is longer than that is cut."""
        low, high = max(0, low), min(len(self.data), high)
        start = self.data.find(b"\n", low, min(high, low + _BEFORE)) + 1 if low else 0
        end = self.data.rfind(b"\n", max(start, high - _BEFORE), high) + 1
        if high == len(self.data) or not end:
            end = high
        start = start or low
        block = start // _BLOCK
        before = self._before[block] + self.data.count(b"\n", block * _BLOCK, start)
        return Window(self.offset + start, self.line + before, self.data[start:end])


def _chunks(source: Readable) -> Iterator[_Chunk]:
    """Pieces of the log that end with a line, where lines are shorter than a piece."""
    rest, offset, line = b"", 0, 1
    while block := source.read(CHUNK):
        data = rest + block if rest else block
        end = data.rfind(b"\n") + 1
        if not end and len(data) < CHUNK:
            rest = data
            continue
        chunk = _Chunk(offset, line, data[:end] if end else data)
        yield chunk
        rest = data[end:] if end else data[-_OVERLAP:]
        line += chunk.lines
        offset += len(data) - len(rest)
    if rest:
        yield _Chunk(offset, line, rest)


def _keep_tail(tail: Window, chunk: _Chunk) -> Window:
    if len(chunk.data) >= _TAIL:
        return chunk.window(len(chunk.data) - _TAIL, len(chunk.data))
    joined = tail.data[: chunk.offset - tail.offset] + chunk.data
    return _Chunk(tail.offset, tail.line, joined).window(len(joined) - _TAIL, len(joined))


def _merge(windows: list[Window]) -> list[Window]:
    """Windows in order, those that overlap joined, up to the limit."""
    out: list[Window] = []
    total = 0
    for window in sorted(windows, key=lambda w: (w.offset, -len(w.data))):
        last = out[-1] if out else None
        if last and window.offset <= last.end:
            extra = window.data[last.end - window.offset :]
            out[-1] = Window(last.offset, last.line, last.data + extra)
            total += len(extra)
        elif total < _MOST_KEPT:
            out.append(window)
            total += len(window.data)
    return out
