"""A small cast on a running local Slack, and an app that acknowledges everything."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import App, Channel, LocalSlack, ManualClock, Shortcut, Timing, User
from bot.localslack.model import Json

ALL_SCOPES = (
    "app_mentions:read channels:history channels:join channels:read chat:write commands "
    "files:read files:write groups:history groups:read im:history im:read im:write mpim:history "
    "mpim:read mpim:write reactions:read reactions:write team:read usergroups:read users:read"
)
ALL_EVENTS = (
    "app_home_opened app_mention app_uninstalled file_shared member_joined_channel "
    "member_left_channel message.channels message.groups message.im message.mpim "
    "reaction_added reaction_removed tokens_revoked"
)
Reply = Callable[[Json], Json | None]


@dataclass
class Cast:
    """Two people, an app and a channel that all three are in."""

    slack: LocalSlack
    alice: User
    bob: User
    app: App
    channel: Channel
    web: AsyncWebClient

    async def call(self, method: str, **arguments: object) -> Json:
        """Call a method over HTTP with a JSON body; returns the answer, refused or not."""
        headers = {"Authorization": f"Bearer {self.app.bot_token}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(f"{self.slack.base_url}{method}", json=arguments) as response,
        ):
            answer: Json = await response.json()
            return answer


@dataclass
class Listener:
    """A raw Socket Mode client: keeps every frame and acknowledges by `reply`."""

    frames: list[Json] = field(default_factory=list)
    hello: Json = field(default_factory=dict)

    @property
    def events(self) -> list[Json]:
        return [each["payload"]["event"] for each in self.frames if each["type"] == "events_api"]

    def of(self, kind: str) -> list[Json]:
        return [each for each in self.events if each["type"] == kind]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with LocalSlack(timing=Timing(ack=2.0, retries=(0.0, 0.01, 0.01))) as running:
        yield running


def assemble(slack: LocalSlack) -> Cast:
    alice, bob = slack.add_user("alice"), slack.add_user("bob")
    app = slack.add_app(
        scopes=ALL_SCOPES,
        events=ALL_EVENTS,
        shortcuts=[
            Shortcut("diagnose_message", "Diagnose this message", "message"),
            Shortcut("paste_log", "Paste a log", "global"),
        ],
    )
    channel = slack.add_channel("train-alerts", [alice, bob, app])
    web = AsyncWebClient(token=app.bot_token, base_url=slack.base_url, retry_handlers=[])
    return Cast(slack, alice, bob, app, channel, web)


@pytest.fixture
async def cast(slack: LocalSlack) -> Cast:
    return assemble(slack)


async def connect(
    slack: LocalSlack,
    app: App,
    session: aiohttp.ClientSession,
    reply: Reply | None = None,
) -> tuple[Listener, Awaitable[None]]:
    """Open one raw connection; the second value runs it."""
    headers = {"Authorization": f"Bearer {app.app_token}"}
    async with session.post(f"{slack.base_url}apps.connections.open", headers=headers) as response:
        url = (await response.json())["url"]
    ws = await session.ws_connect(url)
    listener = Listener(hello=await ws.receive_json())

    async def run() -> None:
        async for message in ws:
            frame = message.json()
            if "envelope_id" not in frame:
                listener.frames.append(frame)
                continue
            listener.frames.append(frame)
            ack = {"envelope_id": frame["envelope_id"]}
            answer = reply(frame) if reply else {}
            if answer is not None:
                await ws.send_json(ack | ({"payload": answer} if answer else {}))
            slack.changed()

    return listener, run()


@pytest.fixture
async def listener(cast: Cast) -> AsyncIterator[Listener]:
    import asyncio

    async with aiohttp.ClientSession() as session:
        found, running = await connect(cast.slack, cast.app, session)
        task = asyncio.ensure_future(running)
        yield found
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
