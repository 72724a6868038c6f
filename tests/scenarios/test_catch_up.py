"""After a stop longer than Slack delivers again, the bot answers what is still unanswered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot import catchup
from bot.catchup import FARTHEST, GAP, drop_answered, find_start, is_unanswered
from bot.localslack import Timing
from tests.scenarios.conftest import FOUNDING, set_stage
from tests.scenarios.test_conversation import IB, OOM, WRAPPER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage


@pytest.fixture(params=["socket", "http"])
async def stage(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    kb: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Stage]:
    """A Slack that delivers nothing again, and a bot for which every stop is a long one."""
    monkeypatch.setattr(catchup, "GAP", -1.0)
    async with set_stage(request.param, tmp_path, kb, Timing(retries=())) as made:
        yield made


async def test_what_was_posted_during_a_stop_is_answered_once(stage: Stage) -> None:
    async with stage.running():
        before = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(before)
        await stage.quiet()
    missed = await stage.slack.post(stage.bob, stage.channel, f"bob: {OOM}")
    talk = await stage.slack.post(stage.carol, stage.channel, "lunch?")
    for _ in range(2):
        async with stage.running():
            await stage.answered(missed)
            await stage.quiet()

    assert len(stage.bot_replies(missed)) == 2
    assert len(stage.bot_replies(before)) == 2
    assert not stage.bot_replies(talk)


async def test_what_people_answered_meanwhile_is_left_to_them(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.post(stage.alice, stage.channel, "hello")
        await stage.quiet()
    handled = await stage.slack.post(stage.bob, stage.channel, f"bob: {OOM}")
    await stage.slack.post(stage.carol, stage.channel, "lower the batch size", thread=handled)
    asked = await stage.slack.post(
        stage.bob, stage.channel, f"<@{stage.app.bot_user_id}> and this? {IB}"
    )
    async with stage.running():
        await stage.answered(asked)
        await stage.quiet()

    assert not stage.bot_replies(handled)


async def test_the_missing_log_that_came_during_a_stop_is_read(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.post(stage.alice, stage.channel, "hello")
        await stage.quiet()
    post = await stage.slack.post(stage.bob, stage.channel, WRAPPER)
    await stage.slack.post(stage.bob, stage.channel, OOM, thread=post)
    async with stage.running():
        head, _ = await stage.answered(post)
        await stage.quiet()

    assert "out of memory" in head.text.lower()


async def test_a_first_start_looks_at_nothing_that_was_there_before(stage: Stage) -> None:
    post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
    async with stage.running():
        await stage.quiet()

        assert not stage.bot_replies(post)


async def test_a_channel_that_the_bot_has_left_is_skipped(stage: Stage) -> None:
    other = stage.slack.add_channel("other", [stage.alice, stage.bob, stage.app])
    async with stage.running():
        for channel in (stage.channel, other):
            await stage.slack.post(stage.alice, channel, "hello")
        await stage.quiet()
    stage.channel.members.remove(stage.app.bot_user_id)
    missed = await stage.slack.post(stage.bob, other, FOUNDING)
    async with stage.running():
        stage.slack.fail("conversations.history", "ratelimited", seconds=1.0)

        assert len(await stage.answered(missed)) == 2


def test_posts_are_read_from_the_last_one_heard_and_an_hour_at_most() -> None:
    now = 1_800_000_000.0

    assert find_start(now - GAP, now) is None
    start = find_start(now - 2 * GAP, now)
    assert start is not None
    assert now - FARTHEST < start < now - 2 * GAP
    assert find_start(now - 86_400.0, now) == now - FARTHEST


def test_a_word_of_somebody_else_is_an_answer() -> None:
    assert is_unanswered({"user": "U1", "reply_users": ["U1"]})
    assert not is_unanswered({"user": "U1", "reply_users": ["U1", "U2"]})
    thread = [{"ts": str(place), "user": user} for place, user in enumerate("aabaa", 1)]
    assert [each["ts"] for each in drop_answered(thread, "1")] == ["5", "4"]
