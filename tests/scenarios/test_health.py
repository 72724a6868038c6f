"""Health, readiness and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


async def fetch(stage: Stage, path: str) -> tuple[int, str]:
    assert stage.bot is not None
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{stage.bot.port}{path}") as response,
    ):
        return response.status, await response.text()


async def test_a_running_bot_says_so_and_counts(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()
        assert (await fetch(stage, "/healthz"))[0] == 200
        assert (await fetch(stage, "/readyz"))[0] == 200
        _, text = await fetch(stage, "/metrics")

    assert 'nccl_bot_posts_total{outcome="answer"} 1.0' in text
    assert 'nccl_bot_votes_total{act="cast",target="step"} 1.0' in text
    assert "nccl_bot_outbox_depth" in text


async def test_a_bot_whose_socket_is_gone_reconnects(socket_stage: Stage) -> None:
    stage = socket_stage
    async with stage.running():
        for reason in ("warning", "refresh_requested"):
            await stage.slack.disconnect(stage.app, reason)
            await stage.slack.connected(stage.app)
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)

        assert await stage.answered(post)
