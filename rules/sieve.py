"""Thousands of literals in raw bytes at the speed of a few hundred.

Most of a log holds none of them. So a small set of short pieces, of which every literal holds at
least one and healthy logs hold few, is sought first; only blocks where one stands are scanned for
the literals themselves. Nothing is missed: a literal cannot stand where its piece does not.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING

import hyperscan

from rules.automaton import Automaton

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PIECE = 5
_BLOCK = 1 << 13
_CASELESS = hyperscan.HS_FLAG_CASELESS
# What a healthy run prints: pieces of these words would light up every block.
_CALM = b"""nccl info channel torch train trainer training worker workers checkpoint default thread step
rank loss epoch iteration environment variable elapsed time per iteration throughput learning rate global
batch size scale norm number of skipped iterations tokens memory dataset loader shard opened saved using
distributed process group initialized version cuda device devices gpu loading model parameters optimizer
eval evaluation samples consumed connected via network socket plugin local remote backend compile setting
warning launch launcher node nodes host running started finished config configuration return false true
grad_norm pin_memory cumem num_workers for over with from this that have will should could would please
setting omp_num_threads to be 1 in default, to avoid your system being overloaded, further tune the variable
for optimal performance in your application as needed version=2.0 node-0 rank-0 gradient accumulation"""


class Sieve:
    """Literals compiled together; case is ignored."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._lowered = tuple(literal.lower() for literal in literals)
        self._longest = max(map(len, literals), default=0)
        self._pieces = Automaton(choose_pieces(literals), _CASELESS)
        self._literals = Automaton(literals, _CASELESS | hyperscan.HS_FLAG_SINGLEMATCH)

    def find(self, data: bytes, begin: int, limit: int) -> list[tuple[int, int]]:
        """End and number of literals that end in data[begin:limit], in order of their end.

        Of each literal at least the first place is told, and places before `begin` may be.
        """
        found: list[tuple[int, int]] = []
        view = memoryview(data)
        for start, stop in self._lit(view, max(0, begin - self._longest), limit):

            def note(
                number: int, _: int, end: int, _flags: int, _context: object, at: int = start
            ) -> None:
                found.append((at + end, number))

            self._literals.scan(view[start:stop], note)
        if early := {number for end, number in found if end <= begin}:
            return sorted({*found, *self._seek(early, data[:limit].lower(), begin)})
        found.sort()
        return found

    def _seek(
        self, numbers: Iterable[int], lowered: bytes, begin: int
    ) -> Iterator[tuple[int, int]]:
        """First places after `begin` of literals whose only match told was before it."""
        for number in numbers:
            literal = self._lowered[number]
            at = lowered.find(literal, max(0, begin - len(literal) + 1))
            if at >= 0:
                yield at + len(literal), number

    def _lit(self, view: memoryview, begin: int, limit: int) -> Iterator[tuple[int, int]]:
        """Stretches that may hold a literal: blocks with a piece, and room for the rest of it."""
        if not self._longest:
            return
        scan, reach = self._pieces.scan, self._longest
        low = high = -1
        for start in range(begin, limit, _BLOCK):
            if scan(view[max(begin, start - _PIECE) : start + _BLOCK], _stop):
                if start - reach > high >= 0:
                    yield low, high
                if start - reach > high or high < 0:
                    low = max(begin, start - reach)
                high = min(limit, start + _BLOCK + reach)
        if high >= 0:
            yield low, high


def is_calm(text: str) -> bool:
    """Whether healthy logs hold `text` too."""
    return text.lower().encode() in _CALM


def choose_pieces(literals: Sequence[bytes]) -> list[bytes]:
    """Few short pieces of which each literal holds at least one; greedy, the widest shared first."""
    holders: dict[bytes, set[int]] = defaultdict(set)
    for number, literal in enumerate(literals):
        for piece in _candidates(literal.lower()):
            holders[piece].add(number)
    heap = [(-len(held), piece) for piece, held in holders.items()]
    heapify(heap)
    chosen: list[bytes] = []
    left = set(range(len(literals)))
    while left:
        worth, piece = heap[0]
        now = -len(holders[piece] & left)
        if now > worth:
            heapreplace(heap, (now, piece))
            continue
        heappop(heap)
        chosen.append(piece)
        left -= holders[piece]
    return chosen


def _candidates(literal: bytes) -> set[bytes]:
    """Beginnings of words, else any pieces, else the whole: what healthy logs do not hold."""
    words = {word[:_PIECE] for word in literal.split() if len(word) >= _PIECE}
    pieces = {literal[i : i + _PIECE] for i in range(len(literal) - _PIECE + 1)}
    for some in (words, pieces):
        if rare := {piece for piece in some if piece not in _CALM}:
            return rare
    return {literal}


def _stop(*_match: object) -> bool:
    return True
