"""Socket Mode: what ends a connection is said, and what was begun is ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.slack import socket
from tests.scenarios.conftest import FOUNDING, poll
from tests.scenarios.test_health import fetch

if TYPE_CHECKING:
    import pytest

    from tests.scenarios.conftest import Stage


async def test_socket_mode_switched_off_is_said_and_on_again_is_noticed(
    socket_stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "PING_SECONDS", 0.2)
    stage = socket_stage
    async with stage.running():
        with structlog.testing.capture_logs() as logs:
            stage.app.socket_mode = False
            await stage.slack.disconnect(stage.app, "link_disabled")

            async def is_told() -> bool:
                status, _ = await fetch(stage, "/readyz")
                said = {line["event"]: line.get("hint", "") for line in logs}
                return status == 503 and "Socket Mode" in said.get("socket_mode_switched_off", "")

            await poll(is_told)
        stage.app.socket_mode = True
        await stage.slack.connected(stage.app)

        assert await stage.answered(await stage.slack.post(stage.alice, stage.channel, FOUNDING))


async def test_a_reconnect_says_why(socket_stage: Stage) -> None:
    stage = socket_stage
    async with stage.running():
        with structlog.testing.capture_logs() as logs:
            await stage.slack.disconnect(stage.app, "refresh_requested")
            await stage.slack.connected(stage.app)

            async def is_told() -> bool:
                return {"event": "socket_reconnects", "reason": "refresh_requested"}.items() <= {
                    key: line[key] for line in logs for key in ("event", "reason") if key in line
                }.items()

            await poll(is_told)


async def test_what_is_under_way_is_ended_before_the_bot_stops(stage: Stage) -> None:
    async with stage.running() as bot:
        stage.slack.fail("chat.postMessage", "delay", seconds=0.5)
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.slack.settled()

        async def is_sending() -> bool:
            return bool(bot.core.outbox._busy)

        await poll(is_sending)
    assert stage.slack.calls_of("chat.postMessage")
    async with stage.running() as bot:
        await stage.answered(post)
        await poll(bot.core.outbox.is_empty)

    assert len(stage.slack.calls_of("chat.postMessage")) == 2
