"""From counts to a rate: the prior that an entry states, the reports, and what both come to.

The model is a beta-binomial with exponential forgetting (Josang and Ismail 2002): the stated rate
is the prior's mean, its strength in incidents follows from how the entry was verified and fades
with the time since then; a report weighs half after every 180 days.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rules.beta import invert, tails
from rules.entry import DeadEnd, StepKind, Workaround
from rules.policy import (
    PRIOR_HALF_LIFE_DAYS,
    RECENT_DAYS,
    age_days,
    clip,
    fade,
    is_sure,
)
from rules.votes import to_epoch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.entry import Entry
    from rules.policy import Policy
    from rules.tally import Report
    from rules.votes import Context

POOLED_STRENGTH = 8.0
MATCH_RATE, MATCH_STRENGTH = 0.9, 2.0
"""Prior of a diagnosis being right: a guess, as no entry states it."""
MARGIN = 0.05


class Measure(StrEnum):
    """What a rate is the rate of."""

    FIX = "fix"
    EVIDENCE = "evidence"
    DEAD_END = "dead_end"
    MATCH = "match"


class Flag(StrEnum):
    """What a person should look at; nothing changes by itself."""

    DISPUTED = "disputed"
    """A dead end that works for most."""
    FAILING = "failing"
    """A fix that hardly ever works."""
    PRIOR_ALARM = "prior_alarm"
    """The reports are not what the stated rate lets one expect."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The stated chance of success and how many incidents it is worth."""

    measure: Measure
    stated: float
    """As the entry has it; a dead end's is 1 - fail_rate."""
    strength: float

    @property
    def mean(self) -> float:
        """The stated rate, clipped."""
        return clip(self.stated)

    @property
    def a(self) -> float:
        """Successes that the prior is worth."""
        return self.strength * self.mean

    @property
    def b(self) -> float:
        """Failures that the prior is worth."""
        return self.strength * (1.0 - self.mean)


@dataclass(frozen=True, slots=True)
class Posterior:
    """A rate of success (a dead end's too) with its evidence; `low` to `high` covers 80 %."""

    measure: Measure
    mean: float
    low: float
    high: float
    n: float
    """Incidents that bear on it, each weighing less as it ages."""
    successes: int
    """Recent incidents in which it worked; plain count."""
    reports: int
    """Recent incidents in which somebody said; plain count."""
    last: dt.datetime | None
    """Time of the last report of any age."""
    stated_rate: float
    prior_mean: float
    strength: float
    flags: frozenset[Flag] = frozenset()
    context: Context | None = None
    """Where it holds; None: everywhere."""

    @property
    def stated(self) -> bool:
        """Too few incidents bear on it to say anything but what the entry states."""
        return not is_sure(self.n)

    @property
    def usually_works(self) -> bool:
        """Whether the words "usually works" are earned: the lower bound is for claims."""
        return not self.stated and self.low >= 0.6


def list_parts(entry: Entry) -> tuple[Workaround | DeadEnd, ...]:
    """List all that an entry rates: steps, then dead ends."""
    return (*entry.workarounds, *entry.dead_ends)


def state(entry: Entry, target: str, now: dt.datetime, policy: Policy) -> Prior:
    """Read the prior of a step or dead end at `now`. Raises KeyError for an id the entry lacks."""
    part = _find(entry, target)
    years = age_days(to_epoch(at_midnight(entry.verified_on)), to_epoch(now)) / PRIOR_HALF_LIFE_DAYS
    strength = max(1.0, policy.bases[entry.verification] * 2.0**-years)
    if isinstance(part, DeadEnd):
        return Prior(Measure.DEAD_END, 1.0 - part.fail_rate, strength)
    measure = Measure.EVIDENCE if part.kind is StepKind.EVIDENCE else Measure.FIX
    return Prior(measure, part.success_rate, strength)


def count(reports: Sequence[Report], now: float) -> tuple[float, float]:
    """Count decayed successes and failures."""
    won = lost = 0.0
    for report in reports:
        weight = report.weight * fade(report.at, now)
        won += weight * report.worked
        lost += weight * (1.0 - report.worked)
    return won, lost


def update(prior: Prior, reports: Sequence[Report], now: float) -> Posterior:
    """Work out the posterior over every context."""
    won, lost = count(reports, now)
    return _summarise(prior, (prior.a + won, prior.b + lost), reports, now)


def update_here(
    prior: Prior, reports: Sequence[Report], here: Sequence[Report], now: float, context: Context
) -> Posterior:
    """Work out the posterior in one context: the rest, as at most 8 incidents, is its prior."""
    won, lost = count(reports, now)
    won_here, lost_here = count(here, now)
    a = prior.a + max(0.0, won - won_here)
    b = prior.b + max(0.0, lost - lost_here)
    scale = min(POOLED_STRENGTH, a + b) / (a + b)
    counts = scale * a + won_here, scale * b + lost_here
    return _summarise(prior, counts, here, now, context)


def raise_flags(rate: Posterior, earlier: frozenset[Flag] = frozenset()) -> frozenset[Flag]:
    """Judge a rate; a flag raised `earlier` is cleared only past a margin of 0.05."""
    kept = rate.flags & {Flag.PRIOR_ALARM}
    return kept | _judge(rate.measure, rate.low, rate.high, rate.n, earlier)


def at_midnight(day: dt.date) -> dt.datetime:
    """Give the day's first moment, UTC."""
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def _find(entry: Entry, target: str) -> Workaround | DeadEnd:
    for part in list_parts(entry):
        if part.id == target:
            return part
    raise KeyError(f"{entry.id} has no step or dead end {target!r}")


def _summarise(
    prior: Prior,
    counts: tuple[float, float],
    reports: Sequence[Report],
    now: float,
    context: Context | None = None,
) -> Posterior:
    plain = [r for r in reports if r.weight >= 0.5 and age_days(r.at, now) <= RECENT_DAYS]
    successes = sum(1 for report in plain if report.worked > 0.5)
    n = sum(report.weight * fade(report.at, now) for report in reports)
    last = max((report.last for report in reports), default=None)
    a, b = counts
    low, high = invert(0.1, a, b), invert(0.9, a, b)
    return Posterior(
        measure=prior.measure,
        mean=a / (a + b),
        low=low,
        high=high,
        n=n,
        successes=successes,
        reports=len(plain),
        last=None if last is None else dt.datetime.fromtimestamp(last, dt.UTC),
        stated_rate=prior.stated,
        prior_mean=prior.mean,
        strength=prior.strength,
        flags=_judge(prior.measure, low, high, n) | _alarm(prior, successes, len(plain), n),
        context=context,
    )


def _judge(
    measure: Measure, low: float, high: float, n: float, earlier: frozenset[Flag] = frozenset()
) -> frozenset[Flag]:
    slack = dict.fromkeys(earlier, MARGIN)
    if measure is Measure.DEAD_END and is_sure(n, 5):
        if low > 0.5 - slack.get(Flag.DISPUTED, 0.0):
            return frozenset({Flag.DISPUTED})
    elif measure is Measure.FIX and is_sure(n, 8) and high < 0.3 + slack.get(Flag.FAILING, 0.0):
        return frozenset({Flag.FAILING})
    return frozenset()


def _alarm(prior: Prior, successes: int, reports: int, n: float) -> frozenset[Flag]:
    """Two-sided tail of what the prior predicts for as many reports, below 5 %."""
    if not is_sure(n) or not reports:
        return frozenset()
    rare = 2.0 * min(tails(successes, reports, prior.a, prior.b)) < 0.05
    return frozenset({Flag.PRIOR_ALARM} if rare else ())
