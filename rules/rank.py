"""The order in which steps are worth trying, as a pure function of the counts.

Evidence first, then by risk, and within a risk class by the index that minimises the expected time
to a fix when people may give up (Kadane and Simon; Heckerman, Breese and Rommelse 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rules.entry import Risk, StepKind
from rules.gate import admits
from rules.policy import clip, fade, is_sure
from rules.posterior import Flag
from rules.votes import to_epoch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from rules.entry import DeadEnd, Entry, Workaround
    from rules.learn import Rates
    from rules.posterior import Posterior
    from rules.votes import Context

GIVE_UP = 0.15
"""Chance that a person gives up after a failed step."""
UNSOLVED_MINUTES = 240.0
LEAD = 1.10
"""How much better the lower of two neighbours must be to go first."""
RISKS = tuple(Risk)


@dataclass(frozen=True, slots=True)
class RankedStep:
    """A step in its place."""

    step: Workaround
    rate: Posterior
    """Over every context."""
    here: Posterior | None
    """In the poster's context, where enough incidents bear on it; the order goes by it."""
    index: float
    tried: bool


@dataclass(frozen=True, slots=True)
class RankedDeadEnd:
    """A dead end in its place; the rate is of its success."""

    dead_end: DeadEnd
    rate: Posterior
    tried: bool


def rank(
    entry: Entry,
    rates: Rates,
    versions: Mapping[str, str] | None = None,
    tried: Collection[str] = (),
    context: Context | None = None,
) -> tuple[RankedStep, ...]:
    """Put steps in the order most worth trying; those tried go last, those whose gate fails are gone.

    Raises KeyError where the entry is not in the knowledge base of `rates`.
    """
    placed = [
        _place(entry, step, rates, tried=step.id in tried, context=context)
        for step in entry.workarounds
        if admits(step.versions, versions or {})
    ]
    placed.sort(key=lambda ranked: _class(ranked.step))
    ordered: list[RankedStep] = []
    for (is_fix, _), group in groupby(placed, key=lambda ranked: _class(ranked.step)):
        steps = list(group)
        ordered += _order_fixes(entry, steps, rates) if is_fix else steps
    return tuple(sorted(ordered, key=lambda ranked: ranked.tried))


def rank_dead_ends(
    entry: Entry, rates: Rates, tried: Collection[str] = ()
) -> tuple[RankedDeadEnd, ...]:
    """Put dead ends in order: what the poster tried, then what failed in most incidents, then as listed.

    Disputed ones go last. An entry lists first what people try most.
    """
    placed = [
        RankedDeadEnd(end, rates.of(entry, end.id), end.id in tried) for end in entry.dead_ends
    ]
    return tuple(sorted(placed, key=_key_dead_end))


def worth(rate: float, minutes: float, give_up: float = GIVE_UP) -> float:
    """Work out a step's index, per minute: higher is tried earlier. With `give_up` 0 it is rate/minutes."""
    failing = 1.0 - rate
    solved_or_on = 1.0 - failing * (1.0 - give_up)
    return solved_or_on / (minutes + failing * give_up * UNSOLVED_MINUTES)


def settle_order(
    stated: Sequence[float], earned: Sequence[float], bear: Callable[[int, int], float]
) -> list[int]:
    """Order positions by their stated indices, then let the counts move them.

    Neighbours swap, from the top and again until nothing moves, where the lower's earned index
    leads by 10 % and 3 incidents bear on the two; `bear` counts the incidents that say something
    of one or both. Each swap mends an inversion, so it ends.
    """
    order = sorted(range(len(stated)), key=lambda i: (-stated[i], i))
    moved = True
    while moved:
        moved = False
        for upper in range(len(order) - 1):
            first, second = order[upper], order[upper + 1]
            if earned[second] > LEAD * earned[first] and is_sure(bear(first, second)):
                order[upper], order[upper + 1] = second, first
                moved = True
    return order


def _class(step: Workaround) -> tuple[bool, int]:
    return step.kind is not StepKind.EVIDENCE, RISKS.index(step.risk)


def _place(
    entry: Entry, step: Workaround, rates: Rates, *, tried: bool, context: Context | None
) -> RankedStep:
    rate = rates.of(entry, step.id)
    near = rates.of(entry, step.id, context) if context else rate
    here = near if near.context else None
    return RankedStep(step, rate, here, worth((here or rate).mean, step.minutes), tried)


def _order_fixes(entry: Entry, steps: Sequence[RankedStep], rates: Rates) -> list[RankedStep]:
    def bear(first: int, second: int) -> float:
        return _count_incidents(entry, rates, [steps[first].step.id, steps[second].step.id])

    order = settle_order(
        [worth(clip(ranked.step.success_rate), ranked.step.minutes) for ranked in steps],
        [ranked.index for ranked in steps],
        bear,
    )
    return [steps[i] for i in order]


def _count_incidents(entry: Entry, rates: Rates, targets: Collection[str]) -> float:
    """Count decayed incidents that bear on any of the targets, each once however many it judged."""
    now, weights = to_epoch(rates.now), dict[tuple[str, str], tuple[float, float]]()
    for target in targets:
        for report in rates.evidence(entry, target).reports:
            held, _ = weights.get((report.team, report.incident), (0.0, 0.0))
            weight = min(1.0, held + report.weight)
            weights[report.team, report.incident] = weight, report.at
    return sum(weight * fade(at, now) for weight, at in weights.values())


def _key_dead_end(ranked: RankedDeadEnd) -> tuple[bool, bool, float]:
    rate = ranked.rate
    failures = 0.0 if rate.stated else rate.n * (1.0 - rate.mean)
    return not ranked.tried, Flag.DISPUTED in rate.flags, -failures
