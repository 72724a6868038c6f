"""A network and a Slack that fail: everything is said once, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot import outbox
from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "LOOK_AFTER", 0.05)


@pytest.mark.parametrize("kind", ["drop_answer", "reset", "http_500", "ratelimited"])
async def test_an_answer_is_posted_once_whatever_becomes_of_the_calls(
    kind: str, socket_stage: Stage
) -> None:
    stage = socket_stage
    async with stage.running():
        stage.slack.fail("chat.postMessage", kind, times=3)
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(post)
        await stage.quiet()

        assert ["Step 1" in m.text for m in stage.bot_replies(post)] == [False, True]


async def test_edits_survive_lost_answers(socket_stage: Stage) -> None:
    stage = socket_stage
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        stage.slack.fail("chat.update", "drop_answer")
        stage.slack.fail("chat.update", "ratelimited")
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()

        assert "1 of 1 reports" in head.text


async def test_a_reaction_that_comes_before_the_answer_of_the_post_counts(
    socket_stage: Stage,
) -> None:
    stage = socket_stage
    async with stage.running():
        stage.slack.fail(
            "chat.postMessage", "drop_answer", matches=lambda args: "Step 1" in args["text"]
        )
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()

        assert "1 of 1 reports" in head.text


@pytest.mark.parametrize("code", ["not_in_channel", "is_archived", "channel_not_found"])
async def test_a_refused_answer_is_given_up_and_leaves_the_rest_working(
    code: str, socket_stage: Stage
) -> None:
    stage = socket_stage
    async with stage.running() as bot:
        stage.slack.fail("chat.postMessage", "error", code=code)
        await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.quiet()
        assert await bot.core.outbox.is_empty()
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.answered(post)


async def test_a_private_answer_is_sent_at_most_once(socket_stage: Stage) -> None:
    stage = socket_stage
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        stage.slack.fail("chat.postEphemeral", "drop_answer")
        await stage.slack.react(stage.bob, head, "-1")
        await stage.quiet()

        assert len(stage.slack.ephemerals(stage.bob)) == 1
