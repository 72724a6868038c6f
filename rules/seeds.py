"""Seed and extend: which signatures a damaged text resembles, and how closely.

Rare six-byte pieces of each signature propose where it may stand; rapidfuzz then measures the
proposals alone. The cost grows with the text and the proposals, not with the knowledge base.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GRAM = 6
_SEEDS_PER_SEGMENT = 12
_MOST_SEGMENTS_PER_GRAM = 24
_LEAST_LENGTH, _LEAST_MAIN = 16, 10
"""Shorter signatures, and shorter longest runs, resemble too much by chance."""
_BAND = 8
"""Offsets this near to each other are the same place: room for lost and doubled letters."""
_MOST_PROPOSALS = 24
_SLACK = 12
"""Bytes by which a damaged gap may be longer than the signature allows."""
_SIMILAR, _SIMILAR_SHORT, _SHORT = 86.0, 90.0, 24
"""Per cent that must be the same; more of a short run, in which two slips are half a word."""
_LEAST_KEPT, _LEAST_CUT = 0.6, 0.8
"""Shares of a run that must be aligned, and be there where the text was cut off."""
_LONGEST_SLIP, _SAME_SLIP = 2, 1
"""Letters changed next to each other, with at most so many between them, are one slip."""
_LETTERS_A_SLIP = 4
"""A word may bear one slip, and one more for each four of its letters."""
_WORD = re.compile(rb"[a-z0-9\x80-\xff]+")
_FIGURES = frozenset(b"0123456789-+<>=")
"""Digits, signs and comparisons: nobody mistypes them into the right place."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The literal runs of one way through a signature, in order, squeezed."""

    rule: int
    runs: tuple[bytes, ...]
    gaps: tuple[int, ...]
    """Bytes that may lie before each run at the most."""
    breaks: tuple[int, ...] = ()
    """Where the longest run, as it was written, had white space: offsets into it."""

    @property
    def main(self) -> bytes:
        """The longest run: it is sought first."""
        return max(self.runs, key=len, default=b"")


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A rule that stands, damaged, at [start, end) of the squeezed text."""

    rule: int
    start: int
    end: int
    score: float
    """Similarity in [0, 1]."""
    reach: tuple[int, int] = (0, 0)
    """Where it begins and ends with its lesser runs."""
    breaks: int = 0
    """White space that the signature has at this place."""
    first: tuple[bytes, bytes] = (b"", b"")
    """The first word of the signature, and what stands for it."""
    last: tuple[bytes, bytes] = (b"", b"")
    """The same of its last word."""


class Seeds:
    """Rare pieces of `segments`, by which a text proposes candidates."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(s for s in segments if _is_long(s))
        self._mains = tuple(segment.main for segment in self.segments)
        frequency: Counter[bytes] = Counter()
        for main in self._mains:
            frequency.update(set(_grams(main)))
        self._postings: dict[bytes, list[tuple[int, int]]] = {}
        self._seed_count: list[int] = []
        for number, main in enumerate(self._mains):
            chosen = self._choose(main, frequency)
            self._seed_count.append(len(chosen))
            for offset in chosen:
                gram = main[offset : offset + _GRAM]
                self._postings.setdefault(gram, []).append((number, offset))

    @staticmethod
    def _choose(run: bytes, frequency: Counter[bytes]) -> list[int]:
        """Offsets of rare grams, spread over the run: one slip must not take them all."""
        counts = [frequency[gram] for gram in _grams(run)]
        usable = [(n, i) for i, n in enumerate(counts) if n <= _MOST_SEGMENTS_PER_GRAM]
        rare = sorted(offset for _, offset in sorted(usable)[: 4 * _SEEDS_PER_SEGMENT])
        if len(rare) <= _SEEDS_PER_SEGMENT:
            return rare
        return [rare[i * len(rare) // _SEEDS_PER_SEGMENT] for i in range(_SEEDS_PER_SEGMENT)]

    def resembling(self, squeezed: bytes) -> list[Resemblance]:
        """Find what `squeezed` resembles, best first; one resemblance a rule."""
        best: dict[int, Resemblance] = {}
        for number, start in self._propose(squeezed):
            segment = self.segments[number]
            found = _extend(segment, squeezed, start)
            if found and found.score > best.get(segment.rule, _NOTHING).score:
                best[segment.rule] = found
        return sorted(best.values(), key=lambda r: (-r.score, r.rule))

    def _propose(self, squeezed: bytes) -> list[tuple[int, int]]:
        bands_of: dict[int, list[int]] = {}
        for position, gram in self._seeded(squeezed):
            for number, offset in self._postings[gram]:
                bands_of.setdefault(number, []).append((position - offset) // _BAND)
        shares = []
        for number, bands in bands_of.items():
            least = max(2, 0.25 * self._seed_count[number])
            if len(bands) < least:
                continue
            votes = Counter(bands)
            for band, count in votes.items():
                total = count + max(votes.get(band - 1, 0), votes.get(band + 1, 0))
                if total >= least:
                    shares.append((-total / self._seed_count[number], number, band * _BAND))
        return [(number, start) for _, number, start in heapq.nsmallest(_MOST_PROPOSALS, shares)]

    def _seeded(self, squeezed: bytes) -> Iterator[tuple[int, bytes]]:
        """Where a gram with postings stands. Sets find the grams faster than a walk would."""
        grams = {squeezed[i : i + _GRAM] for i in range(len(squeezed) - _GRAM + 1)}
        for gram in self._postings.keys() & grams:
            position = squeezed.find(gram)
            while position >= 0:
                yield position, gram
                position = squeezed.find(gram, position + 1)


def _is_long(segment: Segment) -> bool:
    return len(segment.main) >= _LEAST_MAIN and sum(map(len, segment.runs)) >= _LEAST_LENGTH


_NO_WORD = (b"", b"")
_NOTHING = Resemblance(-1, 0, 0, 0.0)


def _grams(run: bytes) -> list[bytes]:
    return [run[i : i + _GRAM] for i in range(len(run) - _GRAM + 1)]


def _extend(segment: Segment, squeezed: bytes, start: int) -> Resemblance | None:
    main = segment.main
    low = max(0, start - 2 * _BAND)
    window = squeezed[low : start + len(main) + 3 * _BAND]
    high = start + len(main) + 3 * _BAND
    place = _align(main, window, first=low == 0, last=high >= len(squeezed), breaks=segment.breaks)
    if place is None:
        return None
    score, begin, end = place[0], low + place[1], low + place[2]
    words = _pair_words(main, squeezed[begin:end], segment.breaks)
    if not all(is_slip(word, found) for word, found in words[1:-1]):
        return None
    total, weight = score * len(main), len(main)
    at = segment.runs.index(main)
    left, right = begin, end
    for step, run in enumerate(segment.runs[at + 1 :], at + 1):
        around = squeezed[right : right + segment.gaps[step] + len(run) + _SLACK]
        found = _find(run, around)
        if found is None:
            return None
        right += found[2]
        total, weight = total + found[0] * len(run), weight + len(run)
    for step in range(at - 1, -1, -1):
        run = segment.runs[step]
        reach = segment.gaps[step + 1] + len(run) + _SLACK
        base = max(0, left - reach)
        found = _find(run, squeezed[base:left])
        if found is None:
            return None
        left = base + found[1]
        total, weight = total + found[0] * len(run), weight + len(run)
    # Beside another run lies what no literal tells: the word may go on there.
    first = words[0] if words and segment.runs[0] is main else _NO_WORD
    last = words[-1] if words and segment.runs[-1] is main else _NO_WORD
    return Resemblance(
        rule=segment.rule,
        start=begin,
        end=end,
        score=total / weight,
        reach=(left, right),
        breaks=len(segment.breaks),
        first=first,
        last=last,
    )


def _align(
    run: bytes,
    window: bytes,
    *,
    first: bool = False,
    last: bool = False,
    breaks: tuple[int, ...] = (),
) -> tuple[float, int, int] | None:
    """Similarity, begin and end of `run` in `window`; none where they differ too much.

    Where the window is the first or last of the text, the run may be cut there.
    """
    least = _LEAST_KEPT * len(run)
    if len(window) < least:
        return None
    alignment = fuzz.partial_ratio_alignment(run, window, score_cutoff=_SIMILAR - 6)
    if alignment is None or alignment.src_end - alignment.src_start < least:
        return None
    begin, end = _trim(run, window, alignment.dest_start, alignment.dest_end)
    found = window[begin:end]
    run = _cut(run, found, breaks, first=first and begin == 0, last=last and end == len(window))
    score = fuzz.ratio(run, found)
    if score < (_SIMILAR_SHORT if len(run) < _SHORT else _SIMILAR) or _is_other(run, found):
        return None
    return score / 100, begin, end


def _cut(run: bytes, found: bytes, breaks: tuple[int, ...], *, first: bool, last: bool) -> bytes:
    """Keep the part of `run` that a text can hold which begins or ends inside one of its words.

    A text that lacks whole words was not cut there: it says something else.
    """
    operations = Levenshtein.opcodes(run, found)
    start = operations[0].src_end if first and operations[0].tag == "delete" else 0
    end = operations[-1].src_start if last and operations[-1].tag == "delete" else len(run)
    if start in breaks:
        start = 0
    if end in breaks:
        end = len(run)
    return run[start:end] if end - start >= max(_LEAST_LENGTH, _LEAST_CUT * len(run)) else run


def _pair_words(run: bytes, found: bytes, breaks: tuple[int, ...]) -> list[tuple[bytes, bytes]]:
    """Each word of `run` with what stands for it in `found`."""
    edges = [0, *breaks, len(run)]
    places = [0] * (len(run) + 1)
    for op in Levenshtein.opcodes(run, found):
        for offset in range(op.src_start, op.src_end + 1):
            places[offset] = min(op.dest_start + offset - op.src_start, op.dest_end)
    places[len(run)] = len(found)
    return [
        (word[0], found[places[start + word.start()] : places[start + word.end()]])
        for start, end in pairwise(edges)
        for word in _WORD.finditer(run[start:end])
    ]


def is_slip(word: bytes, found: bytes) -> bool:
    """Whether `found` is `word` mistyped: the longer, the more letters may differ."""
    most = 1 + len(word) // _LETTERS_A_SLIP
    return OSA.distance(word, found, score_cutoff=most) <= most


def _trim(run: bytes, window: bytes, begin: int, end: int) -> tuple[int, int]:
    """Leave out what the alignment took from the neighbours only to be as long as `run`."""
    operations = Levenshtein.opcodes(run, window[begin:end])
    first, last = operations[0], operations[-1]
    if last.tag in ("insert", "replace"):
        end -= last.dest_end - last.dest_start
    if first.tag in ("insert", "replace") and len(operations) > 1:
        begin += first.dest_end - first.dest_start
    return begin, end


def _find(run: bytes, around: bytes) -> tuple[float, int, int] | None:
    """Similarity, begin and end of a lesser run; a short one must stand there unharmed."""
    position = around.find(run)
    if position >= 0:
        return 1.0, position, position + len(run)
    return _align(run, around) if len(run) >= 2 * _GRAM else None


def _is_other(run: bytes, found: bytes) -> bool:
    """Whether what would have to be edited is no slip: a digit, a sign, or most of a word."""
    slip = gap = 0
    for operation in Levenshtein.opcodes(run, found):
        length = max(
            operation.src_end - operation.src_start, operation.dest_end - operation.dest_start
        )
        if operation.tag == "equal":
            gap += length
            continue
        old = run[operation.src_start : operation.src_end]
        new = found[operation.dest_start : operation.dest_end]
        if _FIGURES.intersection(old) or _FIGURES.intersection(new):
            return True
        slip = slip + length if gap <= _SAME_SLIP else length
        gap = 0
        if slip > _LONGEST_SLIP:
            return True
    return False
