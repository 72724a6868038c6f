"""After a stop longer than Slack delivers again: what was posted meanwhile, read from the channels."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError
from sqlalchemy.exc import SQLAlchemyError

from bot.delivery import Kind, read_delivery
from bot.slack.calls import Later, read_error
from bot.slack.workspaces import OUT_OF_REACH
from bot.store import life

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.core import Core
    from bot.inbox import Inbox
    from bot.slack.workspaces import Workspace
    from bot.store.life import Place

Json = dict[str, Any]
log = structlog.get_logger(__name__)

GAP = 300.0
"""Seconds after which Slack delivers nothing again: its last retry comes five minutes later."""
FARTHEST = 3600.0
"""How far back posts are read, in seconds: what is older has been dealt with by people."""
OVERLAP = 10.0
PERIOD = 60.0
AGAIN_SECONDS = 30.0
PAGE = 200


class CatchUp:
    """Hands the inbox what nobody delivered.

    Once at the start, after each sleep of the machine, and after nothing could be stored.
    """

    def __init__(self, core: Core, inbox: Inbox) -> None:
        self._core = core
        self._inbox = inbox
        self._started = core.now()
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Begin nothing more."""
        self._stop.set()

    async def run(self) -> None:
        """Catch up until `stop`."""
        await self._repeat(None)
        tick = self._core.now()
        while not await self._sleep(PERIOD):
            missed = self._inbox.outage.take_missed(GAP)
            if missed is not None or self._core.now() - tick > GAP:
                await self._repeat(min(filter(None, (tick, missed))))
            tick = self._core.now()

    async def _repeat(self, since: float | None) -> None:
        before = self._started if since is None else self._core.now()
        while not self._stop.is_set():
            try:
                async with self._core.database.read() as connection:
                    teams = await life.find_last_heard(connection, before)
                for team, heard in teams.items():
                    await self._follow(team, since or heard)
            except (*OUT_OF_REACH, SQLAlchemyError) as error:
                log.warning("catch_up_failed", error=error)
                await self._sleep(AGAIN_SECONDS)
            else:
                return

    async def _follow(self, team: str, heard: float) -> None:
        since = find_start(heard, self._core.now())
        workspace = await self._core.workspaces.find(team) if since is not None else None
        if since is None or workspace is None:
            return
        async with self._core.database.read() as connection:
            places = await life.list_places(connection, team)
        count = 0
        for channel, place in places:
            if self._stop.is_set():
                return
            count += await self._read_channel(workspace, channel, place, since)
        log.info("caught_up", channels=len(places), posts=count, seconds=round(heard - since))

    async def _read_channel(
        self, workspace: Workspace, channel: str, place: Place, since: float
    ) -> int:
        """Take in the posts of a channel that nobody answered; how many."""
        roots = await self._read_pages(
            workspace.client.conversations_history, channel=channel, oldest=f"{since:.6f}"
        )
        found = list(roots)
        for root in roots:
            if float(root.get("latest_reply") or 0.0) > since:
                thread = await self._read_pages(
                    workspace.client.conversations_replies,
                    channel=channel,
                    ts=root["ts"],
                    oldest=f"{since:.6f}",
                )
                found += drop_answered(thread, root["ts"])
        messages = [each for each in found if is_unanswered(each)]
        for message in sorted(messages, key=lambda each: str(each["ts"])):
            event = {**message, "type": "message", "channel": channel, "channel_type": place.kind}
            await self._inbox.accept(read_delivery(Kind.EVENT, envelop(workspace, event, place)))
        return len(messages)

    async def _read_pages(
        self, call: Callable[..., Awaitable[Any]], **arguments: str
    ) -> list[Json]:
        found: list[Json] = []
        cursor = ""
        while not self._stop.is_set():
            try:
                page = await call(**arguments, limit=PAGE, cursor=cursor)
            except SlackApiError as error:
                outcome = read_error(error, "update")
                if not isinstance(outcome, Later):
                    log.info("channel_not_read", reason=error.response.get("error"))
                    break
                await self._sleep(outcome.seconds)
                continue
            found += page["messages"]
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return found

    async def _sleep(self, seconds: float) -> bool:
        """Whether the bot was stopped meanwhile."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return False
        return True


def find_start(heard: float, now: float) -> float | None:
    """Find from when on posts are missing; none where Slack delivers them again by itself."""
    if now - heard <= GAP:
        return None
    return max(heard - OVERLAP, now - FARTHEST)


def is_unanswered(message: Json) -> bool:
    """Whether nobody but the poster has said anything below a message."""
    others = set(message.get("reply_users") or ()) - {message.get("user"), message.get("bot_id")}
    return not others


def drop_answered(thread: list[Json], root: str) -> list[Json]:
    """Leave out the root and the replies after which somebody else spoke."""
    replies = sorted((m for m in thread if m["ts"] != root), key=lambda each: str(each["ts"]))
    last = replies[-1].get("user") if replies else None
    kept: list[Json] = []
    for message in reversed(replies):
        if message.get("user") != last:
            break
        kept.append(message)
    return kept


def envelop(workspace: Workspace, event: Json, place: Place) -> Json:
    """Make the delivery that Slack would have made; the same each time."""
    return {
        "type": "event_callback",
        "team_id": workspace.team,
        "event_id": f"catch-up:{event['channel']}:{event['ts']}",
        "event": event,
        "authorizations": [{"team_id": workspace.team, "user_id": workspace.bot_user}],
        "is_ext_shared_channel": place.is_shared,
    }
