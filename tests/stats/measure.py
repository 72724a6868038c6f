"""Print the figures of docs/learning.md: `python -m tests.stats.measure`, under two minutes."""

from __future__ import annotations

import datetime as dt
import itertools
import random
import sys
import time

import numpy as np

from rules.beta import invert
from rules.learn import replay
from rules.rank import rank, rank_dead_ends
from rules.votes import Target, Thumb, Vote
from tests.stats import test_beta_table, test_coverage, test_drift, test_manipulation, test_pooling
from tests.stats.world import (
    NOW,
    compare_regret,
    make_entry,
)


def say(name: str, *figures: object) -> None:
    sys.stdout.write(f"{name}: {', '.join(map(str, figures))}\n")


def measure_coverage() -> None:
    for n in (0, 3, 10, 40):
        rng = np.random.default_rng((31, n))
        truths = rng.beta(3.0, 1.0, 4000)
        drawn = [test_coverage.posterior(0.75, 4.0, int(s), n) for s in rng.binomial(n, truths)]
        inside = [r.low <= p <= r.high for r, p in zip(drawn, truths, strict=True)]
        say(f"coverage of the 80 % range at n = {n}", round(float(np.mean(inside)), 3))
    rng = np.random.default_rng(33)
    for n in (5, 10, 20, 200):
        drawn = [test_coverage.posterior(0.85, 4.0, int(s), n) for s in rng.binomial(n, 0.55, 2000)]
        error = np.mean([abs(rate.mean - 0.55) for rate in drawn])
        say(f"stated .85, truth .55: mean error at n = {n}", round(float(error), 3))


def measure_drift() -> None:
    crossed = np.full(test_drift.RUNS, np.inf)
    for week, won, n in test_drift.live_through_a_change(41):
        prior = test_drift.aged_prior(week)
        mean = (prior.a + won) / (prior.strength + n)
        days = 7.0 * (week - test_drift.BEFORE + 1)
        if week >= test_drift.BEFORE:
            crossed = np.where((mean < 0.5) & np.isinf(crossed), days, crossed)
        elif week == test_drift.BEFORE - 1:
            shapes = [(prior.a + s, prior.b + n - s) for s in won]
            inside = [invert(0.1, a, b) <= 0.8 <= invert(0.9, a, b) for a, b in shapes]
            say("coverage of the range before a change", round(float(np.mean(inside)), 3))
    say("days until .8 -> .3 is seen, median", float(np.median(crossed)))


def measure_regret() -> None:
    settings = itertools.product((4.0, 8.0, 16.0), (0.2, 0.0), (0.15, 0.05, 0.02))
    for spread, junk, rate in settings:
        told = [
            compare_regret(
                vote_rate=rate, junk=junk, seed=55, worlds=400, spread=spread, patient=patient
            )
            for patient in (True, False)
        ]
        (learning, stated), (hasty, _) = told
        say(
            f"regret, scatter {spread:.0f}, junk {junk:.0%}, vote rate {rate}",
            f"{learning:.2f} min of {stated:.2f}",
            f"ratio {learning / stated:.2f}",
            f"without waiting for 3 incidents {hasty / stated:.2f}",
        )


def measure_pooling() -> None:
    for name, effect in test_pooling.EFFECTS.items():
        errors = [round(float(error), 3) for error in test_pooling.measure(effect, 61, worlds=400)]
        say(f"context effect {name}: error partly, pooled, separate", *errors)


def measure_brigade() -> None:
    raid = [test_manipulation.vote("raid", voter) for voter in test_manipulation.CROWD]
    alone = [test_manipulation.vote(f"x{i}", "~one", days=20 + 2 * i) for i in range(10)]
    shifts: dict[str, list[float]] = {"ten in one thread": [], "one person in ten threads": []}
    for seed in range(50):
        before = test_manipulation.honest(12, 0.3, seed)
        mean = test_manipulation.mean_of(before)
        for name, attack in zip(shifts, (raid, alone), strict=True):
            shifts[name].append(test_manipulation.mean_of(before + attack) - mean)
    for name, moved in shifts.items():
        say(f"a bad fix of 12 incidents, {name}: mean moves by", round(float(np.mean(moved)), 3))


def measure_speed() -> None:
    rng = random.Random(1)
    entries = [make_entry(name=f"pytorch/e{e}") for e in range(100)]
    log = [
        Vote(
            team="T1",
            incident=str(rng.randrange(60_000)),
            entry=rng.choice(entries).id,
            kind=Target.STEP,
            target=rng.choice(["s0", "s1", "s2"]),
            voter=f"~v{rng.randrange(2000)}",
            value=rng.choice([Thumb.UP, Thumb.DOWN]),
            source="+1",
            at=NOW - dt.timedelta(days=rng.random() * 700),
        )
        for _ in range(100_000)
    ]
    begin = time.process_time()
    rates = replay(log, entries, NOW)
    say("replay of 100,000 votes, s of processor time", round(time.process_time() - begin, 2))
    begin = time.process_time()
    for entry in entries:
        rank(entry, rates)
        rank_dead_ends(entry, rates)
    spent = (time.process_time() - begin) * 1000 / len(entries)
    say("order and rates of one entry, ms", round(spent, 2))
    begin = time.process_time()
    rates.apply(log[:1])
    say("one more vote, ms", round((time.process_time() - begin) * 1000, 2))


def measure_beta() -> None:
    rows = [tuple(map(float, line.split("\t"))) for line in test_beta_table.TABLE]
    say(
        "quantiles against scipy, largest error",
        max(abs(invert(p, a, b) - q) for p, a, b, q in rows),
    )


def main() -> None:
    measure_beta()
    measure_coverage()
    measure_drift()
    measure_pooling()
    measure_brigade()
    measure_regret()
    measure_speed()


if __name__ == "__main__":
    main()
