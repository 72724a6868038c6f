"""Scores of labelled cases: how often the engine is right, silent when it should be, and sure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BINS = 10


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled post."""

    id: str
    text: str
    expect: tuple[str, ...]
    also_ok: tuple[str, ...] = ()
    silence_ok: bool = False
    shape: str = ""
    notes: str = ""

    @property
    def accepted(self) -> frozenset[str]:
        """Entries that are right as the first answer."""
        return frozenset((*self.expect, *self.also_ok))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the engine said of a case."""

    case: Case
    answer: str | None
    """The entry it answered or asked with; none for silence."""
    candidates: tuple[str, ...]
    """All entries it considered, best first, whether it spoke or not."""
    confidence: float
    matched_by: str
    milliseconds: float

    @property
    def ranked(self) -> tuple[str, ...]:
        """The candidates as far as the engine spoke."""
        return self.candidates if self.answer else ()

    @property
    def right(self) -> bool:
        """Whether the first answer, or the silence, is right."""
        if self.answer is None:
            return not self.case.expect or self.case.silence_ok
        return self.answer in self.case.accepted

    @property
    def deserved(self) -> bool:
        """Whether the best candidate deserves to be the answer."""
        return bool(self.candidates) and self.candidates[0] in self.case.accepted


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures of `nccl-bot eval`."""

    n: int
    top1: float
    top3: float
    mrr: float
    false_replies: int
    silent_cases: int
    missed: int
    ece: float
    auroc: float
    p50_ms: float
    p99_ms: float
    matched_by: dict[str, int]


def score(outcomes: Sequence[Outcome]) -> Scores:
    """Score `outcomes` as the definition of the labelled cases says."""
    positive = [o for o in outcomes if o.case.expect]
    silent = [o for o in outcomes if not o.case.expect]
    times = sorted(o.milliseconds for o in outcomes) or [0.0]
    kinds: dict[str, int] = {}
    for outcome in outcomes:
        if outcome.answer:
            kinds[outcome.matched_by] = kinds.get(outcome.matched_by, 0) + 1
    return Scores(
        n=len(outcomes),
        top1=_mean([float(o.right) for o in positive]),
        top3=_mean([float(_reciprocal(o) >= 1 / 3) for o in positive]),
        mrr=_mean([_reciprocal(o) for o in positive]),
        false_replies=sum(not o.right for o in silent),
        silent_cases=len(silent),
        missed=sum(o.answer is None and not o.right for o in positive),
        ece=calibration_error([(o.confidence, o.deserved) for o in outcomes]),
        auroc=auroc([(o.confidence, o.deserved) for o in outcomes]),
        p50_ms=statistics.median(times),
        p99_ms=times[min(len(times) - 1, int(len(times) * 0.99))],
        matched_by=dict(sorted(kinds.items())),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _reciprocal(outcome: Outcome) -> float:
    if outcome.answer is None:
        return float(outcome.case.silence_ok)
    for place, entry in enumerate(outcome.ranked, 1):
        if entry in outcome.case.accepted:
            return 1 / place
    return 0.0


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float:
    """Give the expected calibration error in ten bins of equal width (Naeini 2015)."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for confidence, truth in pairs:
        bins[min(_BINS - 1, int(confidence * _BINS))].append((confidence, truth))
    gaps = (
        len(group) * abs(_mean([c for c, _ in group]) - _mean([float(t) for _, t in group]))
        for group in bins
        if group
    )
    return sum(gaps) / len(pairs) if pairs else 0.0


def auroc(pairs: Sequence[tuple[float, bool]]) -> float:
    """Chance that a true pair has the higher confidence than a false one; ties count half."""
    order = sorted(pairs)
    positives = sum(truth for _, truth in order)
    negatives = len(order) - positives
    if not positives or not negatives:
        return 0.5
    rank_sum, place = 0.0, 0
    while place < len(order):
        end = place
        while end < len(order) and order[end][0] == order[place][0]:
            end += 1
        middle = (place + 1 + end) / 2
        rank_sum += middle * sum(truth for _, truth in order[place:end])
        place = end
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)
