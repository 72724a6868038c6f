"""All literals of all signatures in one automaton, and the seeds for fuzzy matching.

Text and literals are compared squeezed (lower case, no white space), so that a wrapped line,
a doubled space or a tab makes no difference. Hyperscan finds every literal in one linear pass.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import re2

from rules.automaton import Automaton
from rules.pattern import Run, anchor_runs, loosen, runs, squeeze
from rules.seeds import Seeds, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.entry import Entry, Signature


_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A literal found at squeezed offsets [start, end)."""

    literal: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One signature of one entry, ready to match."""

    entry: Entry
    signature: Signature
    number: int


class Index:
    """The compiled signatures of `entries`; immutable after it is built."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self.rules = tuple(
            Rule(entry, signature, number)
            for number, (entry, signature) in enumerate(
                (entry, signature) for entry in self.entries for signature in entry.signatures
            )
        )
        self.literals: list[bytes] = []
        self._ids: dict[bytes, int] = {}
        self.rules_of: dict[int, list[Rule]] = {}
        self.gates: dict[str, tuple[int, ...]] = {}
        """Entry id -> literals of which any shows that it is something else."""
        self.near: dict[int, tuple[int, ...]] = {}
        """Rule number -> literals of which one must stand in the post too."""
        sharing = Counter(run for rule in self.rules for run in _all_runs(rule.signature))
        for rule in self.rules:
            for literal in _literals_of(rule.signature, sharing):
                self.rules_of.setdefault(self._add(literal), []).append(rule)
            if rule.signature.near:
                self.near[rule.number] = tuple(self._add(squeeze(t)) for t in rule.signature.near)
        for entry in self.entries:
            if entry.unless:
                self.gates[entry.id] = tuple(self._add(squeeze(text)) for text in entry.unless)
        self._ways = {rule.number: _ways(rule.signature) for rule in self.rules}
        self._automaton = Automaton(self.literals)
        self._expressions: dict[int, Any] = {}

    def _add(self, literal: bytes) -> int:
        number = self._ids.setdefault(literal, len(self.literals))
        if number == len(self.literals):
            self.literals.append(literal)
        return number

    def scan(self, squeezed: bytes) -> list[Hit]:
        """Every literal in `squeezed`, in order of its end; linear in the length."""
        hits: list[Hit] = []
        lengths = self._lengths

        def note(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            hits.append(Hit(literal, end - lengths[literal], end))

        self._automaton.scan(squeezed, note)
        return hits

    def plausible(self, rule: Rule, squeezed: bytes) -> bool:
        """Whether all literal runs of some way through `rule` stand in `squeezed`.

        Cheap, and false for most literals that several signatures share.
        """
        ways = self._ways[rule.number]
        return not ways or any(all(run in squeezed for run in way) for way in ways)

    def expression(self, rule: Rule) -> Any:
        """Compile the RE2 program of a regex signature when it is first needed."""
        found = self._expressions.get(rule.number)
        if found is None:
            found = re2.compile(loosen(rule.signature.regex or ""), _OPTIONS)
            self._expressions[rule.number] = found
        return found

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(map(len, self.literals))

    @cached_property
    def seeds(self) -> Seeds:
        """Short pieces of every signature that propose candidates for fuzzy matching."""
        return Seeds(list(self._segments()))

    def _segments(self) -> Iterator[Segment]:
        for rule in self.rules:
            if rule.signature.text is not None:
                text = rule.signature.text
                yield Segment(rule.number, (squeeze(text),), (0,), _breaks(text))
            else:
                for way in runs(rule.signature.regex or ""):
                    squeezed = tuple(run.squeezed for run in way)
                    longest = max(way, key=lambda run: len(run.squeezed), default=Run(""))
                    gaps = tuple(run.gap for run in way)
                    yield Segment(rule.number, squeezed, gaps, _breaks(longest.text))


def _breaks(text: str) -> tuple[int, ...]:
    """Offsets into the squeezed `text` at which white space stood."""
    return tuple(accumulate(len(squeeze(word)) for word in text.split()))[:-1]


def _all_runs(signature: Signature) -> set[str]:
    if signature.regex is None:
        return set()
    return {run.text for way in runs(signature.regex) for run in way}


def _literals_of(signature: Signature, sharing: Counter[str]) -> tuple[bytes, ...]:
    if signature.text is not None:
        return (squeeze(signature.text),)
    return tuple(dict.fromkeys(map(squeeze, anchor_runs(signature.regex or "", sharing))))


def _ways(signature: Signature) -> tuple[tuple[bytes, ...], ...]:
    if signature.regex is None:
        return ()
    ways = (tuple(run.squeezed for run in way) for way in runs(signature.regex))
    return tuple(dict.fromkeys(ways))
