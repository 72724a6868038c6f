import numpy as np

from rules.beta import invert
from rules.policy import PRIOR_HALF_LIFE_DAYS, fade
from rules.posterior import update
from rules.tally import Report
from rules.votes import NOWHERE
from tests.stats.world import EPOCH, rate_fix

WEEK = 7 * 86_400.0
BEFORE, AFTER, RUNS = 52, 77, 400


def aged_prior(week):
    """A cited rate of .75, verified when the first incident came."""
    strength = max(1.0, 4.0 * 2.0 ** (-7.0 * week / PRIOR_HALF_LIFE_DAYS))
    return rate_fix(0.75, strength)


def live_through_a_change(seed):
    """Decayed successes and incidents of RUNS fixes, one incident a week, .8 and then .3."""
    rng = np.random.default_rng(seed)
    decay = fade(0.0, WEEK)
    won = np.zeros(RUNS)
    n = 0.0
    for week in range(BEFORE + AFTER):
        won = won * decay + (rng.random(RUNS) < (0.8 if week < BEFORE else 0.3))
        n = n * decay + 1.0
        yield week, won, n


def test_the_mean_follows_a_fix_that_stopped_working_within_240_days():
    crossed = np.full(RUNS, np.inf)
    for week, won, n in live_through_a_change(41):
        prior = aged_prior(week)
        mean = (prior.a + won) / (prior.strength + n)
        days = 7.0 * (week - BEFORE + 1)
        if week >= BEFORE:
            crossed = np.where((mean < 0.5) & np.isinf(crossed), days, crossed)

    assert np.median(crossed) <= 240.0


def test_the_range_covers_at_least_four_in_five_while_nothing_changes():
    _, won, n = next(state for state in live_through_a_change(42) if state[0] == BEFORE - 1)
    prior = aged_prior(BEFORE - 1)
    shapes = [(prior.a + s, prior.b + n - s) for s in won]

    covered = [invert(0.1, a, b) <= 0.8 <= invert(0.9, a, b) for a, b in shapes]

    assert np.mean(covered) >= 0.80


def test_the_simulated_counts_are_those_of_the_model():
    outcomes = np.random.default_rng(43).random(50) < 0.6
    ages = [WEEK * (len(outcomes) - 1 - week) for week in range(len(outcomes))]
    weekly = [
        Report("T1", str(i), EPOCH - age, EPOCH - age, float(y), 1.0, (), NOWHERE)
        for i, (age, y) in enumerate(zip(ages, outcomes, strict=True))
    ]
    won = n = 0.0
    for y in outcomes:
        won, n = won * fade(0.0, WEEK) + y, n * fade(0.0, WEEK) + 1.0

    prior = aged_prior(0)
    rate = update(prior, weekly, EPOCH)

    assert abs(rate.mean - (prior.a + won) / (prior.strength + n)) < 1e-12
    assert abs(rate.n - n) < 1e-9
