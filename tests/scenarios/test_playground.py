"""The playground opens with one example that the production bot has answered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest

from bot.app import start_bot
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


async def test_a_taken_port_is_one_line() -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        port = settings.slack_api_url.split(":")[2].split("/")[0]
        with pytest.raises(UsageError, match="NCCL_BOT_PORT"):
            async with open_playground(read_settings({"NCCL_BOT_PORT": port})):
                pass
