"""The one path: a posted error, its answer, thumbs, and the rates that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


async def test_the_thread_has_the_head_and_the_first_step(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)

    places = [head.text.index(rate) for rate in ("stated 85 %", "stated 80 %", "stated 75 %")]
    assert places == sorted(places)
    assert all(f"fails {rate} %" in head.text for rate in (70, 90, 95))
    assert step.text.startswith("*Step 1 of 3")
