"""The weekly digest to the maintainers' channel."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.evidence import DAY, advance, fail_anew, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Channel, Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

SUNDAY = dt.datetime(2026, 12, 6, 20, tzinfo=dt.UTC)
STEP = "check-connectivity-and-interface"


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb, SUNDAY.timestamp()) as made:
        yield made


@pytest.fixture
def upkeep(late: Stage) -> Channel:
    return late.slack.add_channel("upkeep", [late.carol, late.app])


def digests(stage: Stage, channel: Channel) -> list[Message]:
    return [m for m in stage.slack.messages(channel) if m.user == stage.app.bot_user_id]


async def test_one_digest_a_week_tells_what_moved_and_by_whom(late: Stage, upkeep: Channel) -> None:
    options = {"maintainer_channel": upkeep.id}
    async with late.running(**options):
        for _ in range(3):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
        await late.slack.post(late.alice, late.channel, "KeyError: 'loss_scale' of run 17")
        assert digests(late, upkeep) == []
        await advance(late, 0.6 * DAY)
        [digest] = digests(late, upkeep)
    async with late.running(**options):
        await advance(late, DAY)
        await advance(late, 3 * DAY)
        assert len(digests(late, upkeep)) == 1
        await fail_anew(late)
        await advance(late, 4 * DAY)
        _, second = digests(late, upkeep)

    assert digest.text.startswith("*Rates, week 2026-W50*\n3 answers, votes in 3 incidents.")
    moved = f"{FOUNDING_ENTRY} {STEP}: works 85 % (stated) → 34 % ("
    assert moved in digest.text
    assert f"worked in 0 of 3 reports, last today), most by {late.bob.id}" in digest.text
    assert "1 × KeyError: 'loss_scale' of run #" in digest.text
    assert "3 entries never answered here" in digest.text
    assert "Gained" not in digest.text
    assert second.text.startswith("*Rates, week 2026-W51*\n1 answer, votes in 0 incidents.")
    assert "Lost" not in second.text


async def test_a_week_in_which_nothing_happened_has_no_digest(late: Stage, upkeep: Channel) -> None:
    async with late.running(maintainer_channel=upkeep.id):
        for _ in range(3):
            await advance(late, 7 * DAY)

        assert digests(late, upkeep) == []


async def test_without_a_channel_there_is_no_digest(late: Stage, upkeep: Channel) -> None:
    async with late.running():
        await fail_anew(late)
        await advance(late, 7 * DAY)

        assert digests(late, upkeep) == []


async def test_a_bot_that_was_down_on_monday_sends_it_when_it_is_up(
    late: Stage, upkeep: Channel
) -> None:
    assert late.clock is not None
    options = {"maintainer_channel": upkeep.id}
    async with late.running(**options):
        await fail_anew(late)
        await late.quiet()
    late.clock.advance(3 * DAY)
    async with late.running(**options):
        await advance(late, 1)

        assert len(digests(late, upkeep)) == 1
