"""Made-up entries, events and populations that the tests of the learning model share."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from rules.entry import Entry, Verification
from rules.policy import HALF_LIFE_DAYS
from rules.posterior import Measure, Prior
from rules.rank import GIVE_UP, UNSOLVED_MINUTES, settle_order, worth
from rules.tally import Report
from rules.votes import NOWHERE, Shown, Target, Thumb, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NOW = dt.datetime(2026, 12, 1, 12, tzinfo=dt.UTC)
EPOCH = to_epoch(NOW)
TODAY = NOW.date()


def make_entry(
    rates: Sequence[float] = (0.85, 0.75, 0.8),
    fail_rates: Sequence[float] = (0.7, 0.9, 0.95),
    *,
    name: str = "pytorch/timeout",
    verification: Verification = Verification.AI_GENERATED,
    verified_on: dt.date = TODAY,
    **fields: object,
) -> Entry:
    steps = [{"id": f"s{i}", "do": f"Do {i}", "success_rate": p} for i, p in enumerate(rates)]
    ends = [
        {"id": f"d{i}", "do": f"Try {i}", "why": "no", "fail_rate": p}
        for i, p in enumerate(fail_rates)
    ]
    plain = {
        "id": name,
        "title": "It timed out",
        "category": "timeout",
        "verification": verification,
        "verified_on": verified_on,
        "fix_rate": 0.8,
        "root_cause": "Something was slow.",
        "signatures": [{"text": "it timed out"}],
        "workarounds": steps,
        "dead_ends": ends,
    }
    return Entry.model_validate(plain | fields)


def vote(
    incident: object,
    voter: str = "~ann",
    target: str = "s0",
    *,
    up: bool = True,
    days: float = 0.0,
    **fields: object,
) -> Vote:
    """A vote `days` before NOW; the kind follows from the first letter of the target."""
    kinds = {"s": Target.STEP, "d": Target.DEAD_END, "e": Target.ENTRY, "": Target.HEAD}
    plain = {
        "team": "T1",
        "incident": str(incident),
        "entry": "pytorch/timeout",
        "kind": kinds[target[:1]],
        "target": "" if target == "e" else target,
        "voter": voter,
        "value": Thumb.UP if up else Thumb.DOWN,
        "source": "+1" if up else "-1",
        "at": NOW - dt.timedelta(days=days),
    }
    return Vote(**(plain | fields))


def shown(incident: object, target: str, position: int, days: float = 0.0) -> Shown:
    return Shown(
        team="T1",
        incident=str(incident),
        entry="pytorch/timeout",
        kind=Target.STEP if target[0] == "s" else Target.DEAD_END,
        target=target,
        position=position,
        at=NOW - dt.timedelta(days=days),
    )


def reports(outcomes: Iterable[bool], days: float = 0.0) -> list[Report]:
    """One whole report an outcome, all of one age."""
    at = EPOCH - days * 86_400
    return [
        Report("T1", str(i), at, at, float(worked), 1.0, (), NOWHERE)
        for i, worked in enumerate(outcomes)
    ]


def rate_fix(stated: float, strength: float) -> Prior:
    return Prior(Measure.FIX, stated, strength)


@dataclass(frozen=True)
class Fixes:
    """The steps of one entry: what is true, what is stated, and what they take."""

    true: list[float]
    stated: list[float]
    minutes: list[float]


def draw_fixes(
    rng: random.Random, *, junk: float, bias: float = 0.15, spread: float = 4.0
) -> Fixes:
    """Two to five fixes. What is true scatters about a mean that lies `bias` below what is stated,
    as widely as `spread` incidents would leave it open; some are junk whatever they state."""
    k = rng.randint(2, 5)
    stated = [rng.uniform(0.4, 0.95) for _ in range(k)]
    means = [max(0.05, p - bias) for p in stated]
    true = [rng.betavariate(spread * p, spread * (1.0 - p)) for p in means]
    true = [0.05 if rng.random() < junk else p for p in true]
    return Fixes(true, stated, [rng.choice([5.0, 10.0, 15.0, 30.0, 60.0]) for _ in range(k)])


def expect_minutes(order: Sequence[int], true: Sequence[float], minutes: Sequence[float]) -> float:
    """Expected minutes to a fix or to the end of an unsolved case, in a given order."""
    total = UNSOLVED_MINUTES
    for i in reversed(order):
        failing = 1.0 - true[i]
        total = minutes[i] + failing * (GIVE_UP * UNSOLVED_MINUTES + (1.0 - GIVE_UP) * total)
    return total


def best_minutes(true: Sequence[float], minutes: Sequence[float]) -> float:
    """The least over all orders, by trying them."""
    return min(expect_minutes(order, true, minutes) for order in permutations(range(len(true))))


@dataclass
class Learner:
    """Counts of one entry's steps under decay, and the order they give; the numbers of the model
    without its log, for simulations of many incidents."""

    fixes: Fixes
    strength: float
    decay: float = 2.0 ** (-1.0 / HALF_LIFE_DAYS)
    """Between two incidents: a day."""
    patient: bool = True
    """Whether no step is overtaken before 3 incidents bear on it or on the one that overtakes."""

    def __post_init__(self) -> None:
        self.won = [0.0] * len(self.fixes.true)
        self.n = [0.0] * len(self.fixes.true)
        self.pairs = dict.fromkeys(permutations(range(len(self.fixes.true)), 2), 0.0)
        pairs = zip(self.fixes.stated, self.fixes.minutes, strict=True)
        self.stated = [worth(p, c) for p, c in pairs]

    def order(self) -> list[int]:
        fixes, strength = self.fixes, self.strength
        earned = [
            worth((strength * p + won) / (strength + n), c)
            for p, c, won, n in zip(fixes.stated, fixes.minutes, self.won, self.n, strict=True)
        ]
        return settle_order(self.stated, earned, self.bear)

    def bear(self, first: int, second: int) -> float:
        return self.pairs[first, second] if self.patient else float("inf")

    def live(self, rng: random.Random, order: Sequence[int], vote_rate: float) -> None:
        """One incident: steps tried in order until one works or the person gives up."""
        self.won = [won * self.decay for won in self.won]
        self.n = [n * self.decay for n in self.n]
        voted = set()
        for i in order:
            worked = rng.random() < self.fixes.true[i]
            if rng.random() < vote_rate:
                self.won[i] += worked
                self.n[i] += 1.0
                voted.add(i)
            if worked or rng.random() < GIVE_UP:
                break
        self.pairs = {
            pair: n * self.decay + (not voted.isdisjoint(pair)) for pair, n in self.pairs.items()
        }


def compare_regret(
    *,
    vote_rate: float,
    junk: float,
    seed: int,
    worlds: int = 300,
    incidents: int = 120,
    spread: float = 4.0,
    patient: bool = True,
) -> tuple[float, float]:
    """Regret an incident, in minutes, against the best order: learning, and never learning."""
    learning = stated = 0.0
    for world in range(worlds):
        rng = random.Random(f"{seed}-{world}")
        fixes = draw_fixes(rng, junk=junk, spread=spread)
        learner = Learner(fixes, strength=2.0, patient=patient)
        best = best_minutes(fixes.true, fixes.minutes)
        stated += expect_minutes(learner.order(), fixes.true, fixes.minutes) - best
        for _ in range(incidents):
            order = learner.order()
            learning += expect_minutes(order, fixes.true, fixes.minutes) - best
            learner.live(rng, order, vote_rate)
    return learning / worlds / incidents, stated / worlds
