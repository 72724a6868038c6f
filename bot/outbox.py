"""Everything the bot says goes through here: in order a thread, paced a channel, nothing twice."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError
from sqlalchemy.exc import SQLAlchemyError

from bot.pace import Pace
from bot.slack.calls import (
    Later,
    NotSent,
    Outcome,
    Refused,
    Sent,
    Unknown,
    find_own,
    read_error,
    send,
)
from bot.store import outbox as rows
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.metrics import Metrics
    from bot.seal import Seal
    from bot.slack.workspaces import Workspaces
    from bot.store.database import Database

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 8
LOOK_AFTER = 2.0
"""Seconds to wait before looking for a message of unknown outcome: it may still be on its way."""
LOOK_BACK = 120.0
"""Seconds by which the clocks of Slack and of this machine may differ."""
GIVE_UP_AFTER = 3600.0
RETRY_SECONDS = 1.0
SWEEP_SECONDS = 600.0
FORGET_SECONDS = 2 * 86400.0
_AT_MOST_ONCE = frozenset({"ephemeral", "respond"})


class Outbox:
    """Sends what is in the outbox, each message until its end is known."""

    def __init__(
        self,
        database: Database,
        seal: Seal,
        workspaces: Workspaces,
        metrics: Metrics,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._seal = seal
        self._workspaces = workspaces
        self._metrics = metrics
        self._now = now
        self._pace = Pace()
        self._wake = asyncio.Event()
        self._busy: dict[tuple[str, str, str], asyncio.Task[None]] = {}
        self._stopped = False
        self._swept_at = 0.0
        self.on_sent: Callable[[AsyncConnection, Row[Any], str], Awaitable[None]] | None = None
        """Told of each message that got its time stamp, in the same transaction."""

    def wake(self) -> None:
        """There is something new to send."""
        self._wake.set()

    def stop(self) -> None:
        """Start nothing more."""
        self._stopped = True
        self._wake.set()

    async def run(self) -> None:
        """Send until `stop`; then end when what is being sent has ended."""
        async with self._database.write() as connection:
            await rows.put_off_unknown(connection, self._now() + LOOK_AFTER)
        while not self._stopped:
            self._wake.clear()
            try:
                await self._sweep_when_due()
                delay = await self._start_ready()
            except SQLAlchemyError as error:
                log.warning("database_unavailable", error=error)
                delay = RETRY_SECONDS
            try:
                await asyncio.wait_for(self._wake.wait(), delay)
            except TimeoutError:
                continue
        if self._busy:
            await asyncio.wait(self._busy.values())

    async def _sweep_when_due(self) -> None:
        """Forget messages that can no longer be edited or voted on."""
        if self._now() - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = self._now()
            async with self._database.write() as connection:
                await rows.sweep(connection, self._now() - FORGET_SECONDS)

    async def is_empty(self) -> bool:
        """Whether nothing waits."""
        async with self._database.read() as connection:
            return not await rows.count_pending(connection)

    async def _start_ready(self) -> float:
        """Start the first message of each lane that may go; seconds until there is more to do."""
        async with self._database.read() as connection:
            pending = await rows.list_pending(connection, 500)
            self._metrics.outbox_depth.set(await rows.count_pending(connection))
        now, delay = self._now(), 60.0
        seen = set(self._busy)
        for row in pending:
            lane = (row.team, row.channel, row.lane)
            if lane in seen or len(self._busy) >= MOST_AT_ONCE:
                continue
            seen.add(lane)
            wait = max(
                row.not_before - now, self._pace.wait(row.team, row.channel, row.method, now)
            )
            if wait > 0:
                delay = min(delay, wait)
                continue
            self._pace.take(row.team, row.channel, row.method, now)
            self._start(lane, row)
        return delay

    def _start(self, lane: tuple[str, str, str], row: Row[Any]) -> None:
        task = asyncio.create_task(self._send(row))
        self._busy[lane] = task

        def end(done: asyncio.Task[None]) -> None:
            del self._busy[lane]
            self._wake.set()
            if not done.cancelled() and done.exception():
                log.error("outbox_failed", error=done.exception())

        task.add_done_callback(end)

    async def _send(self, row: Row[Any]) -> None:
        workspace = await self._workspaces.find(row.team)
        arguments = await self._prepare(row)
        if workspace is None or arguments is None:
            await self._settle(row, Refused("no_installation" if arguments else "no_target"))
            return
        if row.status == "sending":
            outcome = await self._look(row, arguments)
            if outcome is not None:
                await self._settle(row, outcome)
                return
        async with self._database.write() as connection:
            await rows.change(connection, row.team, row.id, status="sending")
        arguments.pop("on_failure", None)
        await self._settle(row, await send(workspace.client, row.method, row.key, arguments))

    async def _prepare(self, row: Row[Any]) -> dict[str, Any] | None:
        """Arguments of the call; none where what it hangs on was never sent."""
        body = self._seal.open(row.body) if row.body else None
        if body is None:
            return None
        async with self._database.read() as connection:
            for field, key in (("thread_ts", body.pop("thread_of")), ("ts", row.target)):
                if key is None:
                    continue
                found = await rows.find_by_key(connection, row.team, key)
                if found is None or found.ts is None:
                    return None
                body[field] = found.ts
        return body if row.method == "respond" else {**body, "channel": row.channel}

    async def _look(self, row: Row[Any], arguments: dict[str, Any]) -> Outcome | None:
        """Return what became of a message whose outcome is unknown; none where it has to be sent."""
        if row.method in _AT_MOST_ONCE:
            return Refused("outcome_unknown")
        if row.method != "post":
            return None
        workspace = await self._workspaces.find(row.team)
        assert workspace is not None
        try:
            ts = await find_own(
                workspace.client,
                key=row.key,
                channel=row.channel,
                thread=arguments.get("thread_ts"),
                since=row.created_at - LOOK_BACK,
            )
        except SlackApiError as error:
            outcome = read_error(error, "post")
            return Refused("thread_gone") if outcome == Refused("thread_not_found") else outcome
        except Exception:  # noqa: BLE001
            return Unknown()
        return Sent(ts) if ts else None

    async def _settle(self, row: Row[Any], outcome: Outcome) -> None:
        self._metrics.calls.labels(row.method, type(outcome).__name__.lower()).inc()
        now = self._now()
        async with self._database.write() as connection:
            if isinstance(outcome, Sent):
                end = {"status": "sent", "ts": outcome.ts, "body": None}
                await rows.change(connection, row.team, row.id, **end)
                if outcome.ts and self.on_sent:
                    await self.on_sent(connection, row, outcome.ts)
            elif isinstance(outcome, Refused) or self._is_hopeless(row, outcome, now):
                await self._fail(connection, row, outcome)
            else:
                await self._postpone(connection, row, outcome, now)

    def _is_hopeless(self, row: Row[Any], outcome: Outcome, now: float) -> bool:
        if isinstance(outcome, Unknown) and row.method in _AT_MOST_ONCE:
            return True
        return now - row.created_at > GIVE_UP_AFTER and not isinstance(outcome, Later)

    async def _postpone(
        self, connection: AsyncConnection, row: Row[Any], outcome: Outcome, now: float
    ) -> None:
        status = "sending" if isinstance(outcome, Unknown) else "pending"
        seconds = min(60.0, LOOK_AFTER * 2.0 ** min(row.attempts, 5))
        if isinstance(outcome, NotSent):
            seconds = min(30.0, 0.5 * 2.0 ** min(row.attempts, 6))
        if isinstance(outcome, Later):
            # A look that was put off leaves the outcome as unknown as it was.
            status, seconds = row.status, outcome.seconds
            self._pace.pause(row.team, row.channel, row.method, now + seconds)
        await rows.change(
            connection,
            row.team,
            row.id,
            status=status,
            attempts=row.attempts + 1,
            not_before=now + seconds,
        )

    async def _fail(self, connection: AsyncConnection, row: Row[Any], outcome: Outcome) -> None:
        reason = outcome.error if isinstance(outcome, Refused) else "gave_up"
        log.warning("message_not_sent", method=row.method, reason=reason, part=row.part)
        body = (self._seal.open(row.body) if row.body else None) or {}
        await rows.change(connection, row.team, row.id, status="failed", error=reason, body=None)
        failure = body.get("on_failure")
        if failure:
            note = Outgoing(row.team, f"{row.key}:failed", "respond", row.channel, failure)
            await rows.enqueue(connection, self._seal, note, self._now())
