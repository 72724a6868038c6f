"""Channels shared by Slack Connect: strangers read, and vote only where that is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from bot.localslack import Message, User
    from tests.scenarios.conftest import Stage


async def post_among_strangers(stage: Stage) -> tuple[User, list[Message]]:
    """An error in a shared channel; the stranger in it, and the answer."""
    other = stage.slack.add_team("partner")
    stranger = stage.slack.add_user("dan", team=other)
    channel = stage.slack.add_channel(
        "shared", [stage.alice, stranger, stage.app], shared_with=[other]
    )
    post = await stage.slack.post(stranger, channel, FOUNDING)
    return stranger, await stage.answered(post)


@pytest.mark.parametrize(("allowed", "counts"), [(False, False), (True, True)])
async def test_a_strangers_thumb_and_button(stage: Stage, *, allowed: bool, counts: bool) -> None:
    async with stage.running(strangers_vote=allowed):
        stranger, (head, step) = await post_among_strangers(stage)
        await stage.slack.react(stranger, step, "+1")
        await stage.slack.click(stranger, step, "worked")
        await stage.quiet()
        assert ("1 of 1 reports" in head.text) is counts
        told = stage.slack.ephemerals(stranger)[-1].text
        assert ("Only members" in told) is not counts
        await stage.slack.react(stage.alice, step, "+1")
        await stage.quiet()

        assert "1 of 1 reports" in head.text


FABRIC = "NET/IB: Got completion with error 12, opcode 0, len 4096, vendor err 129"


@pytest.mark.parametrize(("allowed", "count"), [(False, 2), (True, 3)])
async def test_a_stranger_goes_on_after_a_check_only_where_they_may_vote(
    stage: Stage, *, allowed: bool, count: int
) -> None:
    async with stage.running(strangers_vote=allowed):
        other = stage.slack.add_team("partner")
        stranger = stage.slack.add_user("dan", team=other)
        channel = stage.slack.add_channel(
            "shared", [stage.alice, stranger, stage.app], shared_with=[other]
        )
        post = await stage.slack.post(stranger, channel, FABRIC)
        _, check = await stage.answered(post)
        await stage.slack.click(stranger, check, "next_step")
        await stage.quiet()
        said = [m for m in stage.bot_replies(post) if m.visible_to is None]
        told = stage.slack.ephemerals(stranger)

        assert len(said) == count
        assert any("Show all steps" in m.text for m in told) is not allowed


async def test_a_strangers_bot_does_not_vote_even_there(stage: Stage) -> None:
    async with stage.running(strangers_vote=True):
        other = stage.slack.add_team("partner")
        robot = stage.slack.add_bot("robot", team=other)
        channel = stage.slack.add_channel(
            "shared", [stage.alice, robot, stage.app], shared_with=[other]
        )
        head, step = await stage.answered(await stage.slack.post(stage.alice, channel, FOUNDING))
        await stage.slack.react(robot, step, "+1")
        await stage.quiet()

        assert "reports" not in head.text
