"""The playground opens with one example that the production bot has answered."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import aiohttp
import pytest
import structlog

from bot.app import run, start_bot
from bot.errors import UsageError
from bot.playground import open_playground
from bot.settings import read_settings
from bot.slack.workspaces import connect

if TYPE_CHECKING:
    from rules.load import KnowledgeBase


async def test_the_first_screen_shows_an_answer(kb: KnowledgeBase) -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        assert settings.slack_bot_token is not None
        async with (
            start_bot(settings, kb),
            aiohttp.ClientSession() as session,
            asyncio.timeout(20),
        ):
            token = settings.slack_bot_token.get_secret_value()
            workspace = await connect(token, settings.slack_api_url, session)
            client = workspace.client
            channels = (await client.conversations_list())["channels"]
            [channel] = [c["id"] for c in channels if c["name"] == "training"]
            replies: list[dict[str, str]] = []
            while len(replies) < 3:
                history = (await client.conversations_history(channel=channel))["messages"]
                if history:
                    root = history[-1]["ts"]
                    thread = await client.conversations_replies(channel=channel, ts=root)
                    replies = thread["messages"]
                await asyncio.sleep(0.05)

    assert "AllReduce timed out" in replies[1]["text"]
    assert "you tried this" in str(replies).lower()


async def test_that_it_is_open_is_said_last(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def note(_: object, __: str, event: dict[str, str]) -> str:
        said.append(event["event"])
        raise structlog.DropEvent

    def show(text: str, **_: object) -> None:
        said.append(text)
        is_open.set()

    is_open = asyncio.Event()
    monkeypatch.setattr("builtins.print", show)
    before = structlog.get_config()
    structlog.configure(processors=[note])
    try:
        running = asyncio.create_task(run(read_settings({"NCCL_BOT_PORT": "0"}), kb))
        await asyncio.wait_for(is_open.wait(), 20)
        signal.raise_signal(signal.SIGTERM)
        await running
    finally:
        structlog.configure(**before)

    at_start = said[: said.index("stopping")]
    assert "started" in at_start
    assert at_start[-1].startswith("The playground is open: http://127.0.0.1:")


async def test_a_taken_port_is_one_line() -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        port = settings.slack_api_url.split(":")[2].split("/")[0]
        with pytest.raises(UsageError, match="NCCL_BOT_PORT"):
            async with open_playground(read_settings({"NCCL_BOT_PORT": port})):
                pass
