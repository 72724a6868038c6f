"""A log of any size -> the few lines that matter, in one pass and bounded memory.

Raw bytes are scanned for the literals of all signatures; windows round the places where the rest
of a signature stands too, the head and the tail are kept, cleaned and judged like a post. A
signature that a wrap broke inside a word is the one thing that the raw scan cannot see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rules.chunks import AFTER, BEFORE, CHUNK, TAIL, Readable, Window, read_chunks
from rules.clean import clean
from rules.model import CleanText, Line
from rules.pattern import anchor_runs, runs
from rules.sieve import Sieve, is_calm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rules.chunks import Chunk
    from rules.entry import Entry, Signature

__all__ = ["CHUNK", "Readable", "Scanner", "read_log"]

_HEAD = 8_192
_NEAR = 1_500
"""Bytes on each side of a literal in which the rest of its signature must stand."""
_GATE_AROUND = 400
"""Bytes kept on each side of a text that only opens or shuts a gate."""
_MOST_PLACES, _MOST_CONDITIONAL = 3, 16
"""Places kept for a literal; more where numbers beside it decide."""
_MOST_KEPT = 1 << 17
"""Bytes kept for all literals; as much again for those that come up when these are full."""
_MOST_TRIES, _SEARCH_COST = 200, 12
"""Places of a literal that are tried beside the first of each piece of the log, and how many of
them it costs to search a piece."""
_SHORTEST_PIECE = 12
"""Characters below which half a run would be too common."""
_SHORTEST_GATE = 10
"""Shorter ones stand in healthy logs everywhere; they are left to the windows that are judged."""
# Runs that stand in healthy logs too: another run of the same signature finds it sooner.
_COMMON = (
    *("nccl", "channel", "torch", "error", "state", "gpus", "environment variable", "link"),
    *("train", "worker", "checkpoint", "default", "thread", "step", "rank", "loss", "epoch"),
)
_SHARING = {
    form + space: 9 for c in _COMMON for form in (c, c.upper(), c.title()) for space in ("", " ")
}


@dataclass(slots=True)
class Clue:
    """A literal sought in raw bytes."""

    literal: bytes
    ways: set[tuple[bytes, ...]]
    """Words, those of one way near each other; empty for a gate."""
    most: int = 1
    """Places that are kept."""

    def is_plausible(self, lowered: bytes) -> bool:
        """Whether the rest of a signature stands in `lowered` too."""
        return any(all(word in lowered for word in way) for way in self.ways)


class Scanner:
    """The literals of `entries`, compiled for raw bytes."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.clues: Sequence[Clue] = tuple(_clues(entries))
        self._sieve = Sieve([clue.literal for clue in self.clues])

    def hits(self, chunk: Chunk) -> list[tuple[int, int]]:
        """Find ends of literals in what is new, the first place of each at least, and their numbers."""
        return self._sieve.find(chunk.data, chunk.begin, chunk.limit)


def read_log(source: Readable, scanner: Scanner) -> CleanText:
    """Read the lines of `source` that can decide, cleaned, with their numbers in the log."""
    lines: list[Line] = []
    for window in _join(_collect(source, scanner)):
        text = window.data.decode("utf-8", "replace")
        lines += [replace(line, number=line.number + window.line - 1) for line in clean(text).lines]
    return CleanText(tuple(lines), truncated=True)


def _clues(entries: Iterable[Entry]) -> list[Clue]:
    found: dict[bytes, Clue] = {}

    def add(piece: str) -> Clue:
        literal = piece.encode()
        return found.setdefault(literal.lower(), Clue(literal, set()))

    for entry in entries:
        for text in (*entry.unless, *(text for s in entry.signatures for text in s.near)):
            for piece in _pieces(text):
                if len(piece) >= _SHORTEST_GATE and not is_calm(piece):
                    add(piece)
        for signature in entry.signatures:
            ways = _words_of(signature)
            most = _MOST_CONDITIONAL if signature.when else _MOST_PLACES
            for piece in _anchors(signature):
                clue = add(piece)
                clue.ways.update(ways)
                clue.most = max(clue.most, most)
    return [found[key] for key in sorted(found)]


def _anchors(signature: Signature) -> Iterator[str]:
    whole = (signature.text,) if signature.text else anchor_runs(signature.regex or "", _SHARING)
    for run in whole:
        yield from _pieces(run)


def _words_of(signature: Signature) -> set[tuple[bytes, ...]]:
    """List the words of each way through it, longest first: most places fail at the first."""
    if signature.text:
        ways = [[signature.text]]
    else:
        ways = [[run.text for run in way] for way in runs(signature.regex or "")]
    return {
        tuple(sorted(set(" ".join(way).lower().encode().split()), key=lambda w: (-len(w), w)))
        for way in ways
    }


def _pieces(run: str) -> tuple[str, ...]:
    """Halves of a long run, so that a line wrapped between two words breaks one of them at most."""
    words = run.split()
    text = " ".join(words)
    if len(words) < 2 or len(text) < 2 * _SHORTEST_PIECE:
        return (text,)
    middle = min(range(1, len(words)), key=lambda i: abs(2 * len(" ".join(words[:i])) - len(text)))
    halves = (" ".join(words[:middle]), " ".join(words[middle:]))
    if min(map(len, halves)) < _SHORTEST_PIECE:
        return (text,)
    return tuple(half for half in halves if not is_calm(half)) or (text,)


def _collect(source: Readable, scanner: Scanner) -> list[Window]:
    keeper = _Keeper(scanner)
    chunk = None
    for chunk in read_chunks(source):
        keeper.read(chunk)
    if chunk is not None:
        keeper.keep(chunk, len(chunk.data) - TAIL, len(chunk.data))
    return keeper.windows


class _Keeper:
    """What was kept so far: windows in order that do not overlap."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._left = [clue.most for clue in scanner.clues]
        self._tries = [_MOST_TRIES] * len(scanner.clues)
        self._until = self._total = 0
        self.windows: list[Window] = []

    def read(self, chunk: Chunk) -> None:
        """Keep what `chunk` shows of signatures; of the first one also the head."""
        if not chunk.offset and not chunk.begin:
            self.keep(chunk, 0, min(_HEAD, chunk.limit))
        left = self._left
        for end, number in self._scanner.hits(chunk):
            if left[number] and self._has_room(number):
                self._look(chunk, end, number)

    def _has_room(self, number: int) -> bool:
        fresh = self._left[number] == self._scanner.clues[number].most
        return self._total < (2 * _MOST_KEPT if fresh else _MOST_KEPT)

    def _look(self, chunk: Chunk, end: int, number: int) -> None:
        clue = self._scanner.clues[number]
        if not clue.ways:
            self._left[number] -= 1
            self._keep_new(chunk, end - _GATE_AROUND, end + _GATE_AROUND)
            return
        for place in self._places(number, chunk, end):
            around = chunk.data[max(0, place - _NEAR) : place + _NEAR]
            if clue.is_plausible(around.lower()):
                self._left[number] -= 1
                self._keep_new(chunk, place - BEFORE, place + AFTER)
                if not self._left[number] or clue.most == _MOST_PLACES:
                    return

    def _places(self, number: int, chunk: Chunk, end: int) -> Iterator[int]:
        """Find ends of a literal in what is new; the first is known, others are sought if need be."""
        if end > chunk.begin:
            yield end
        if self._tries[number] <= 0:
            return
        self._tries[number] -= _SEARCH_COST
        clue = self._scanner.clues[number]
        if not clue.is_plausible(chunk.lowered):
            return
        literal = clue.literal.lower()
        start = max(end, chunk.begin) - len(literal)
        while self._tries[number] > 0:
            start = chunk.lowered.find(literal, start + 1)
            if start < 0:
                return
            self._tries[number] -= 1
            yield start + len(literal)

    def _keep_new(self, chunk: Chunk, low: int, high: int) -> None:
        before = len(self.windows)
        self.keep(chunk, low, high)
        self._total += sum(len(window.data) for window in self.windows[before:])

    def keep(self, chunk: Chunk, low: int, high: int) -> None:
        """Keep [low, high) of `chunk`, as far as it lies behind what is kept already."""
        floor = self._until - chunk.offset
        if floor < min(high, len(chunk.data)):
            window = chunk.window(max(low, floor), high, max(0, floor))
            self.windows.append(window)
            self._until = window.end


def _join(windows: Iterable[Window]) -> list[Window]:
    """Windows that touch are one."""
    out: list[Window] = []
    for window in windows:
        last = out[-1] if out else None
        if last and window.offset <= last.end:
            out[-1] = Window(last.offset, last.line, last.data + window.data)
        else:
            out.append(window)
    return out
