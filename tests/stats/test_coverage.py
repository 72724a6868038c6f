from functools import cache

import numpy as np
import pytest
from scipy import stats

from rules.beta import cumulate
from rules.posterior import update
from tests.stats.world import EPOCH, rate_fix, reports


@cache
def posterior(stated, strength, successes, n):
    outcomes = [True] * successes + [False] * (n - successes)
    return update(rate_fix(stated, strength), reports(outcomes), EPOCH)


@cache
def shape(stated, strength, successes, n):
    rate = posterior(stated, strength, successes, n)
    return rate.mean * (strength + n), (1.0 - rate.mean) * (strength + n)


@pytest.mark.parametrize("n", [0, 3, 10, 40])
def test_the_range_covers_four_in_five_when_the_truth_is_drawn_from_the_prior(n):
    rng = np.random.default_rng((31, n))
    truths = rng.beta(4 * 0.75, 4 * 0.25, 4000)
    drawn = [posterior(0.75, 4.0, int(s), n) for s in rng.binomial(n, truths)]

    covered = np.mean([r.low <= p <= r.high for r, p in zip(drawn, truths, strict=True)])

    assert 0.78 <= covered <= 0.82


@pytest.mark.parametrize("n", [0, 3, 10, 40])
def test_the_rank_of_the_truth_in_its_posterior_is_uniform(n):
    rng = np.random.default_rng((32, n))
    truths = rng.beta(4 * 0.75, 4 * 0.25, 4000)
    shapes = [shape(0.75, 4.0, int(s), n) for s in rng.binomial(n, truths)]

    pit = [cumulate(p, a, b) for p, (a, b) in zip(truths, shapes, strict=True)]

    assert stats.kstest(pit, "uniform").pvalue > 0.001


def test_twenty_incidents_bring_a_wrong_prior_to_within_a_tenth():
    rng = np.random.default_rng(33)
    means = [posterior(0.85, 4.0, int(s), 20).mean for s in rng.binomial(20, 0.55, 2000)]

    assert np.mean(np.abs(np.array(means) - 0.55)) <= 0.10


@pytest.mark.parametrize("strength", [2.0, 4.0, 8.0])
@pytest.mark.parametrize("stated", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("truth", [0.1, 0.5, 0.9])
def test_two_hundred_incidents_converge_from_any_stated_rate(strength, stated, truth):
    rng = np.random.default_rng(34)
    means = [posterior(stated, strength, int(s), 200).mean for s in rng.binomial(200, truth, 400)]

    assert np.mean(np.abs(np.array(means) - truth)) < 0.05
