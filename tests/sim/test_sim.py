"""A small simulation over the wire; `python -m tests.sim` is the whole one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.sim.alone import live_alone
from tests.sim.draw import DARK, LIGHT, draw
from tests.sim.run import live
from tests.sim.told import Told, read, summarise
from tests.sim.world import draw_failures, make_failures

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {"seed": 7, "incidents": 30, "entries": 2, "vote_rate": 0.6, "made_up": True}
"""Few entries and eager voters, so that it is over soon."""


async def test_rates_learnt_over_the_wire_are_those_of_the_rules_alone(tmp_path: Path) -> None:
    told = await live(tmp_path, **SMALL)
    alone = live_alone(**SMALL)

    assert told.votes > 0
    assert told.ratio <= 0.75
    assert told.ratio_late() <= 0.5
    assert told.learning == pytest.approx(alone.learning)
    assert (told.votes, told.tries) == (alone.votes, alone.tries)


def test_over_many_seeds_learning_loses_at_most_three_quarters_of_never_learning() -> None:
    runs = [live_alone(seed=seed, incidents=500, entries=20, made_up=True) for seed in range(1, 17)]

    assert sum(sum(t.learning) for t in runs) <= 0.75 * sum(sum(t.stated) for t in runs)
    near = [t.is_near(t.learning) for t in runs]
    assert sum(sum(n[-125:]) for n in near) > sum(sum(n[:125]) for n in near)


def test_the_oracle_loses_nothing_and_nobody_loses_less() -> None:
    for failure in draw_failures(random.Random(7), 20) + make_failures(random.Random(7), 20):
        orders = [failure.stated_order, sorted(failure.true), failure.best_order[::-1]]
        assert {step.id for step in failure.fixes} == set(failure.best_order)
        if len({step.risk for step in failure.fixes}) == 1:
            assert all(
                failure.expect(failure.best_order) <= failure.expect(o) + 1e-9 for o in orders
            )


def make_told(seed: int, lost: float) -> Told:
    return Told(seed, [lost] * 200, [9.0] * 200, [40.0] * 200, ["d/e"] * 200, votes=30, tries=200)


def test_runs_are_kept_and_told_together() -> None:
    first, again, second = make_told(1, 8.0), make_told(1, 3.0), make_told(2, 6.0)

    runs = read([first.write(), second.write(), again.write()])

    assert runs == [again, second]
    text = summarise("2 seeds", runs)
    assert text.startswith("2 seeds: 4.50 minutes lost an incident, of 9.00: 0.50,")
    assert "in 50% of the first quarter, 50% of the last (50% where" in text
    assert "0% without learning" in text


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_the_picture_shows_both_pairs_of_curves(look: object) -> None:
    picture = draw([make_told(1, 3.0)], look)

    assert picture.count("<polyline") == 4
    assert picture.count(">learns<") == picture.count(">never learns<") == 2
    assert look.paper in picture
