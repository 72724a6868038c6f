"""The bot against the local Slack, over either transport."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import yaml

from bot.app import Bot, start_bot
from bot.localslack import LocalSlack, Shortcut
from bot.settings import Settings
from bot.store import inbox
from bot.store.database import Database
from bot.store.migrate import upgrade
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bot.localslack import App, Channel, ManualClock, Message, Timing, User
    from rules.load import KnowledgeBase

FOUNDING = "RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)"


def read_manifest() -> dict[str, Any]:
    """What the shipped manifest asks of Slack: a scenario has no scope beyond it."""
    path = Path(__file__).parents[2] / "deploy" / "slack-manifest.yaml"
    manifest = yaml.safe_load(path.read_text())
    return {
        "scopes": manifest["oauth_config"]["scopes"]["bot"],
        "events": manifest["settings"]["event_subscriptions"]["bot_events"],
        "shortcuts": [
            Shortcut(each["callback_id"], each["name"], each["type"])
            for each in manifest["features"]["shortcuts"]
        ],
    }


@pytest.fixture(scope="session")
def kb() -> KnowledgeBase:
    return build_kb()


_made: list[bytes] = []


async def make_database() -> bytes:
    """A new database with its tables: the migrations are run once a process."""
    if not _made:
        with TemporaryDirectory() as folder:
            database = Database(f"sqlite+aiosqlite:///{folder}/made.db")
            await upgrade(database)
            async with database.read() as connection:
                await connection.exec_driver_sql(f"VACUUM INTO '{folder}/whole.db'")
            await database.close()
            _made.append(await asyncio.to_thread(Path(folder, "whole.db").read_bytes))
    return _made[0]


def lay_database(path: Path, whole: bytes) -> None:
    """Put a new database at `path`, unless there is one."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(whole)


@dataclass
class Stage:
    """A workspace with some people, a channel and the bot in it."""

    slack: LocalSlack
    app: App
    alice: User
    bob: User
    carol: User
    channel: Channel
    transport: str
    folder: Path
    kb: KnowledgeBase
    port: int = 0
    bot: Bot | None = None
    clock: ManualClock | None = None

    def settings(self, **more: Any) -> Settings:
        """Settings of the bot for this workspace."""
        secret = {"slack_app_token": self.app.app_token}
        if self.transport == "http":
            secret = {"slack_signing_secret": self.app.signing_secret}
        return Settings.model_validate(
            {
                "slack_bot_token": self.app.bot_token,
                "slack_api_url": self.slack.base_url,
                "data_dir": self.folder,
                "port": 0,
                **secret,
                **more,
            }
        )

    @asynccontextmanager
    async def running(self, **more: Any) -> AsyncIterator[Bot]:
        """The bot, started and connected."""
        now = self.clock.now if self.clock else time.time
        if not {"database_url", "data_dir"} & set(more):
            lay_database(self.folder / "nccl-bot.db", await make_database())
        async with start_bot(self.settings(**more), self.kb, now) as bot:
            self.bot = bot
            if self.transport == "http":
                self.app.request_url = f"http://127.0.0.1:{bot.port}/slack/events"
            else:
                await self.slack.connected(self.app)
            yield bot
            self.bot = None

    async def answered(self, post: Message, count: int = 2) -> list[Message]:
        """The replies to a post once there are `count`, the head being edited in place."""
        return await self.slack.wait_for(
            lambda: (found := self.bot_replies(post)) and len(found) >= count and found
        )

    def bot_replies(self, post: Message) -> list[Message]:
        """What the bot said below a post."""
        return [m for m in self.slack.replies(post) if m.user == self.app.bot_user_id]

    def roots(self) -> list[Message]:
        """What the channel shows to everybody, threads folded."""
        messages = self.slack.messages(self.channel)
        return [m for m in messages if m.in_channel and m.visible_to is None]

    async def quiet(self) -> None:
        """Until nothing is on its way and nothing waits in the bot."""
        await self.slack.settled()
        assert self.bot is not None
        await wait_idle(self.bot, self.slack)

    async def post(self, path: str, **options: Any) -> tuple[int, str]:
        """A request to the bot's own web server."""
        assert self.bot is not None
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"http://127.0.0.1:{self.bot.port}{path}", **options) as response,
        ):
            return response.status, await response.text()


async def wait_worked(bot: Bot) -> None:
    """Until every delivery has been worked."""

    async def has_worked() -> bool:
        async with bot.core.database.read() as connection:
            return not await inbox.count_waiting(connection)

    await poll(has_worked)


async def wait_idle(bot: Bot, slack: LocalSlack) -> None:
    """Until the inbox and the outbox are empty and Slack has nothing to deliver."""
    await wait_worked(bot)
    await poll(bot.core.outbox.is_empty)
    await slack.settled()
    await wait_worked(bot)


async def poll(condition: Callable[[], Awaitable[bool]]) -> None:
    """Until a condition that nobody announces is true."""
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@asynccontextmanager
async def set_stage(
    transport: str,
    folder: Path,
    kb: KnowledgeBase,
    timing: Timing | None = None,
    clock: ManualClock | None = None,
) -> AsyncIterator[Stage]:
    """A fresh workspace."""
    async with LocalSlack(timing=timing, clock=clock) as slack:
        alice, bob, carol = (slack.add_user(name) for name in ("alice", "bob", "carol"))
        url = "http://127.0.0.1:9/slack/events" if transport == "http" else None
        app = slack.add_app("nccl-bot", request_url=url, **read_manifest())
        channel = slack.add_channel("train", [alice, bob, carol, app])
        yield Stage(slack, app, alice, bob, carol, channel, transport, folder, kb, clock=clock)


@pytest.fixture(params=["socket", "http"])
async def stage(
    request: pytest.FixtureRequest, tmp_path: Path, kb: KnowledgeBase
) -> AsyncIterator[Stage]:
    async with set_stage(request.param, tmp_path, kb) as made:
        yield made


@pytest.fixture
async def socket_stage(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_stage("socket", tmp_path, kb) as made:
        yield made
