"""The playground opens with one example that the production bot has answered."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.app import run, start_bot
from bot.errors import UsageError
from bot.playground import EXAMPLE, open_playground
from bot.settings import read_settings
from bot.slack.workspaces import connect
from tests.scenarios.conftest import read_manifest

if TYPE_CHECKING:
    from bot.settings import Settings
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
    assert re.match(r"Job failures go to http://127.0.0.1:\d+/hooks/generic, once ", at_start[-2])
    assert ":0/" not in at_start[-2]


async def test_a_taken_port_of_the_page_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        monkeypatch.setattr("bot.playground.PAGE_PORT", read_page_port(settings))
        with pytest.raises(UsageError, match="NCCL_BOT_PORT"):
            async with open_playground(read_settings({})):
                pass


async def test_the_bot_has_the_port_that_is_set_and_else_the_next_one_where_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, hooks, chosen = find_free_ports(3)
    monkeypatch.setattr("bot.playground.PAGE_PORT", page)
    monkeypatch.setattr("bot.playground.HOOK_PORT", hooks)
    async with open_playground(read_settings({})) as settings:
        assert (read_page_port(settings), settings.port) == (page, hooks)
        monkeypatch.setattr("bot.playground.HOOK_PORT", page)
        async with open_playground(read_settings({"NCCL_BOT_PORT": str(chosen)})) as other:
            # The page, whose usual port is taken here, goes elsewhere.
            assert other.port == chosen
            assert read_page_port(other) not in {page, chosen}
    monkeypatch.setattr("bot.playground.HOOK_PORT", hooks)
    async with open_playground(read_settings({"NCCL_BOT_PORT": str(page)})) as settings:
        assert settings.port == page
        assert read_page_port(settings) != page
    with socket.create_server(("127.0.0.1", hooks)):
        async with open_playground(read_settings({})) as settings:
            assert settings.port == 0


async def test_jobs_show_though_the_channel_that_is_set_is_of_another_workspace(
    kb: KnowledgeBase,
) -> None:
    elsewhere = {
        "NCCL_BOT_PORT": "0",
        "NCCL_BOT_WEBHOOK_TOKEN": "t0ken",
        "NCCL_BOT_WEBHOOK_CHANNEL": "C0123456789",
        "NCCL_BOT_MAINTAINER_CHANNEL": "C0123456780",
    }
    with structlog.testing.capture_logs() as lines:
        async with open_playground(read_settings(elsewhere)) as settings:
            jobs = await find_channel(settings, "job-failures")
            assert settings.webhook_channel == jobs
            assert settings.maintainer_channel is None
            async with start_bot(settings, kb) as bot, aiohttp.ClientSession() as session:
                url = f"http://127.0.0.1:{bot.port}/hooks/generic"
                headers = {"Authorization": "Bearer t0ken"}
                body = {"id": "job-42", "log": EXAMPLE}
                async with session.post(url, json=body, headers=headers) as response:
                    assert response.status == 202
                client = await open_client(settings)
                said = ""
                async with asyncio.timeout(20):
                    while "job-42" not in said:
                        await asyncio.sleep(0.05)
                        history = await client.conversations_history(channel=jobs)
                        said = str(history["messages"])
    [line] = [each for each in lines if each["event"] == "webhook_channel_not_here"]

    assert (line["channel"], line["used"]) == ("C0123456789", "#job-failures")


async def test_a_channel_and_maintainers_that_are_set_stay() -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        training = await find_channel(settings, "training")
    chosen = {
        "NCCL_BOT_PORT": "0",
        "NCCL_BOT_WEBHOOK_CHANNEL": training,
        "NCCL_BOT_MAINTAINERS": "U0",
    }
    async with open_playground(read_settings(chosen)) as settings:
        assert settings.webhook_channel == training
        assert settings.maintainers == ("U0",)


async def test_the_first_person_is_a_maintainer_and_the_example_is_anothers(
    kb: KnowledgeBase,
) -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        state = await read_state(settings)
        first = next(each for each in state["users"] if not each["is_bot"])
        training = await find_channel(settings, "training")
        page = settings.slack_api_url.removesuffix("api/")
        async with (
            start_bot(settings, kb),
            aiohttp.ClientSession() as session,
            asyncio.timeout(20),
        ):
            ask = {"user": first["id"], "channel": training, "command": "/nccl", "text": "settings"}
            async with session.post(f"{page}local/act/command", json=ask) as response:
                assert response.ok
            posts: list[Any] = []
            titles: list[str] = []
            while not posts or not titles:
                await asyncio.sleep(0.05)
                state = await read_state(settings)
                posts = next(c["messages"] for c in state["channels"] if c["id"] == training)
                mine = next(each for each in state["views"] if each["user"] == first["id"])
                titles = [each["title"]["text"] for each in mine["modals"]]

    assert posts[0]["user"] != first["id"]
    assert titles == ["Channel settings"]


async def test_the_page_offers_the_shortcuts_of_the_manifest() -> None:
    async with open_playground(read_settings({"NCCL_BOT_PORT": "0"})) as settings:
        [app] = (await read_state(settings))["apps"]

    asked = [(each.callback_id, each.name, each.kind) for each in read_manifest()["shortcuts"]]
    assert [(s["callback_id"], s["name"], s["kind"]) for s in app["shortcuts"]] == asked


async def read_state(settings: Settings) -> dict[str, Any]:
    """What the page knows."""
    address = f"{settings.slack_api_url.removesuffix('api/')}local/state"
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        found: dict[str, Any] = await response.json()
        return found


async def find_channel(settings: Settings, name: str) -> str:
    channels = (await read_state(settings))["channels"]
    return str(next(each["id"] for each in channels if each["name"] == name))


async def open_client(settings: Settings) -> AsyncWebClient:
    assert settings.slack_bot_token is not None
    token = settings.slack_bot_token.get_secret_value()
    return AsyncWebClient(token=token, base_url=settings.slack_api_url)


def read_page_port(settings: Settings) -> int:
    return int(settings.slack_api_url.split(":")[2].split("/")[0])


def find_free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, each another."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(each.getsockname()[1]) for each in held]
