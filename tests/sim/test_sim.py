"""A small simulation over the wire; `python -m tests.sim` is the whole one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.sim.draw import draw
from tests.sim.run import Told, live
from tests.sim.world import draw_failures

if TYPE_CHECKING:
    from pathlib import Path


async def test_rates_learnt_over_the_wire_lose_less_than_never_learning(tmp_path: Path) -> None:
    """Few entries and eager voters, so that it is over soon."""
    told = await live(tmp_path, seed=SEED, incidents=30, entries=2, vote_rate=0.6)

    assert told.ratio <= 0.75
    assert told.ratio_late() <= 0.5
    assert told.votes > 0


def test_the_oracle_loses_nothing_and_nobody_loses_less() -> None:
    for failure in draw_failures(random.Random(7), 20):
        orders = [failure.stated_order, sorted(failure.true), failure.best_order[::-1]]
        assert {step.id for step in failure.fixes} == set(failure.best_order)
        if len({step.risk for step in failure.fixes}) == 1:
            assert all(
                failure.expect(failure.best_order) <= failure.expect(o) + 1e-9 for o in orders
            )


def test_the_picture_shows_both_curves() -> None:
    told = Told([3.0] * 200, [9.0] * 200, [True] * 200)
    picture = draw([told])

    assert picture.count("<polyline") == 2
    assert ">learns<" in picture
    assert ">never learns<" in picture


SEED = 7
