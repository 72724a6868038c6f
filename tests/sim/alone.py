"""The same failures without the wire: the rules alone, for many seeds and to hold the wire against."""

from __future__ import annotations

import datetime as dt
import random

from rules.learn import state_rates
from rules.rank import rank
from rules.votes import Target, Thumb, Vote
from tests.sim.told import Told
from tests.sim.world import (
    HOURS_APART,
    PEOPLE,
    START,
    VOTE_RATE,
    draw_failures,
    make_failures,
    weigh_failures,
)


def live_alone(
    *,
    seed: int,
    incidents: int,
    entries: int,
    vote_rate: float = VOTE_RATE,
    made_up: bool = False,
) -> Told:
    """Live through what `tests.sim.run.live` lives through, votes going straight into the rates."""
    rng = random.Random(f"sim-{seed}")
    failures = (make_failures if made_up else draw_failures)(rng, entries)
    weights = weigh_failures(failures)
    now = dt.datetime.fromtimestamp(START, dt.UTC)
    rates = state_rates([failure.entry for failure in failures], now)
    told = Told(seed)
    for number in range(incidents):
        failure = rng.choices(failures, weights)[0]
        now += dt.timedelta(hours=HOURS_APART)
        rates = rates.at(now)
        order = [ranked.step.id for ranked in rank(failure.entry, rates)]
        failure.note(order, told)
        votes = [
            Vote(
                team="T1",
                incident=str(number),
                entry=failure.entry.id,
                kind=Target.STEP,
                target=each.step,
                voter=f"~person{number % PEOPLE}",
                value=Thumb.UP if each.worked else Thumb.DOWN,
                source="+1" if each.worked else "-1",
                at=now,
                is_poster=True,
            )
            for each in failure.try_out(order, rng, vote_rate, told)
            if each.voted
        ]
        rates = rates.apply(votes)
    return told
