"""Two workspaces that install the app by OAuth, and a browser to do it with."""

from __future__ import annotations

import re
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, Any

import aiohttp
from cryptography.fernet import Fernet
from yarl import URL

from bot.app import Bot, start_bot
from bot.localslack import LocalSlack, Timing
from bot.localslack.consent import query_of
from bot.settings import Settings
from tests.scenarios.conftest import read_manifest, wait_idle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import App, Channel, Message, Team, User
    from bot.localslack.clock import Clock
    from rules.load import KnowledgeBase


@dataclass
class House:
    """A workspace with one person and one channel."""

    team: Team
    person: User
    channel: Channel


@dataclass
class Town:
    """Both workspaces, the app, and how the bot is started."""

    slack: LocalSlack
    app: App
    first: House
    second: House
    folder: Path
    kb: KnowledgeBase
    port: int
    key: str = field(default_factory=lambda: Fernet.generate_key().decode())
    bot: Bot | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self, **more: Any) -> Settings:
        values = {
            "client_id": self.app.client_id,
            "client_secret": self.app.client_secret,
            "slack_signing_secret": self.app.signing_secret,
            "slack_api_url": self.slack.base_url,
            "public_url": self.origin,
            "key": self.key,
            "data_dir": self.folder,
            "port": self.port,
            **more,
        }
        return Settings.model_validate(values)

    @asynccontextmanager
    async def running(self, **more: Any) -> AsyncIterator[Bot]:
        """The bot, started; Slack reaches it."""
        async with start_bot(self.settings(**more), self.kb, self.slack.clock.now) as bot:
            self.bot = bot
            self.app.request_url = f"{self.origin}/slack/events"
            yield bot
            self.bot = None

    async def install(self, house: House) -> tuple[int, str]:
        """Install as a person does; the last page's status and text."""
        async with browse() as browser:
            link = await self.start(browser)
            back = self.slack.consent.allow(query_of(link), house.person)
            result = await read(browser, back)
        if result[0] == 200:
            bot_user = self.app.installations[house.team.id].bot_user
            if bot_user not in house.channel.members:
                house.channel.members.append(bot_user)
        return result

    async def start(self, browser: aiohttp.ClientSession) -> str:
        """Open the page; the link to Slack."""
        status, text = await read(browser, f"{self.origin}/slack/install")
        assert status == 200
        found = re.search(r'href="([^"]+)"', text)
        assert found
        return unescape(found[1])

    def replies(self, house: House, post: Message) -> list[Message]:
        bot_user = self.app.installations[house.team.id].bot_user
        return [m for m in self.slack.replies(post) if m.user == bot_user]

    async def ask(self, house: House, text: str, count: int = 2) -> list[Message]:
        """Post an error; the replies."""
        post = await self.slack.post(house.person, house.channel, text)
        return await self.slack.wait_for(
            lambda: (found := self.replies(house, post)) and len(found) >= count and found
        )

    async def quiet(self) -> None:
        assert self.bot is not None
        await self.slack.settled()
        await wait_idle(self.bot, self.slack)


@asynccontextmanager
async def browse() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser: it keeps cookies, also of this machine."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        yield session


async def read(browser: aiohttp.ClientSession, address: str) -> tuple[int, str]:
    async with browser.get(URL(address, encoded=True)) as response:
        return response.status, await response.text()


@asynccontextmanager
async def found_town(
    folder: Path,
    kb: KnowledgeBase,
    *,
    clock: Clock | None = None,
    rotates: bool = False,
    enterprise: str | None = None,
) -> AsyncIterator[Town]:
    """Two workspaces; nobody has the app yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    # A bot that starts again on its port leaves Slack with connections that are closed.
    timing = Timing(retries=(0.0, 0.05, 0.1, 0.2))
    async with LocalSlack(clock=clock, timing=timing) as slack:
        app = slack.add_app(
            "nccl-bot",
            install=False,
            request_url=f"http://127.0.0.1:{port}/slack/events",
            redirect_url=f"http://127.0.0.1:{port}/slack/oauth_redirect",
            rotates_tokens=rotates,
            **read_manifest(),
        )
        other = slack.add_team("other", enterprise=enterprise)
        first = _settle(slack, slack.team, "alice")
        second = _settle(slack, other, "bob")
        yield Town(slack, app, first, second, folder, kb, port)


def _settle(slack: LocalSlack, team: Team, name: str) -> House:
    person = slack.add_user(name, team=team)
    return House(team, person, slack.add_channel("train", [person], team=team))
