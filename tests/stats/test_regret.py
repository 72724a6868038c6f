from itertools import pairwise

import numpy as np
import pytest

from rules.rank import settle_order, worth
from tests.stats.world import best_minutes, compare_regret, expect_minutes


def test_the_index_with_true_rates_gives_the_best_of_all_orders():
    rng = np.random.default_rng(51)
    for _ in range(3000):
        k = int(rng.integers(2, 6))
        true, minutes = rng.uniform(0.02, 0.98, k), rng.choice([5.0, 10.0, 15.0, 60.0, 120.0], k)
        index = [worth(p, c) for p, c in zip(true, minutes, strict=True)]
        order = sorted(range(k), key=lambda i: -index[i])

        assert expect_minutes(order, true, minutes) <= best_minutes(true, minutes) + 1e-9


def test_hysteresis_never_leaves_neighbours_more_than_a_tenth_apart():
    rng = np.random.default_rng(52)
    for _ in range(1000):
        k = int(rng.integers(2, 8))
        stated, earned = rng.uniform(0.01, 0.1, k), rng.uniform(0.01, 0.1, k)
        order = settle_order(stated, earned, lambda first, second: 12.0)

        assert all(earned[b] <= 1.1 * earned[a] for a, b in pairwise(order))


@pytest.mark.parametrize("junk", [0.0, 0.2])
@pytest.mark.parametrize("seed", [53, 54])
def test_learning_costs_at_most_three_quarters_of_never_learning(junk, seed):
    learning, stated = compare_regret(vote_rate=0.15, junk=junk, seed=seed, worlds=150)

    assert learning <= 0.75 * stated


@pytest.mark.parametrize("junk", [0.0, 0.2])
def test_with_hardly_any_votes_learning_costs_no_more_than_never_learning(junk):
    learning, stated = compare_regret(vote_rate=0.02, junk=junk, seed=55, worlds=400)

    assert learning <= stated
