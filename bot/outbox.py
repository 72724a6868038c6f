"""Everything the bot says goes through here: in order a thread, paced a channel, nothing twice."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError
from sqlalchemy.exc import SQLAlchemyError

from bot import lease, pace
from bot.lease import name_worker
from bot.outage import Outage
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
from bot.slack.workspaces import OUT_OF_REACH
from bot.store import outbox as rows
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.metrics import Metrics
    from bot.seal import Seal
    from bot.slack.workspaces import Workspace, Workspaces
    from bot.store.database import Database

log = structlog.get_logger(__name__)

Lane = tuple[str, str, str]
Bucket = tuple[str, str, str]

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
        self._outage = Outage(now)
        self._worker = name_worker()
        self._wake = asyncio.Event()
        self._busy: dict[Lane, tuple[int, asyncio.Task[None]]] = {}
        self._renewed_at = 0.0
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
        while not self._stopped:
            self._wake.clear()
            try:
                await self._sweep_when_due()
                delay = await self._start_ready()
                self._outage.end()
            except SQLAlchemyError as error:
                self._outage.note(error)
                delay = RETRY_SECONDS
            try:
                await asyncio.wait_for(self._wake.wait(), delay)
            except TimeoutError:
                continue
        while self._busy:
            tasks = [task for _, task in self._busy.values()]
            await asyncio.wait(tasks, timeout=lease.RENEW_SECONDS)
            await self._renew_when_due()

    async def _renew_when_due(self) -> None:
        now = self._now()
        if self._busy and abs(now - self._renewed_at) >= lease.RENEW_SECONDS:
            self._renewed_at = now
            numbers = [number for number, _ in self._busy.values()]
            until = now + lease.LEASE_SECONDS
            try:
                async with self._database.write() as connection:
                    await rows.renew(connection, self._worker, numbers, until)
            except SQLAlchemyError as error:
                self._outage.note(error)

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
        await self._renew_when_due()
        async with self._database.read() as connection:
            self._metrics.outbox_depth.set(await rows.count_pending(connection))
            ready, _, delay = await self._pick(connection)
        if ready:
            async with self._database.write() as connection:
                ready, paces, delay = await self._pick(connection)
                until = self._now() + lease.LEASE_SECONDS
                await rows.claim(connection, [row.id for row in ready], self._worker, until)
                for bucket, free_at in paces.items():
                    await rows.set_pace(connection, *bucket, free_at)
        for row in ready:
            self._start(row)
        return min(delay, lease.RENEW_SECONDS) if self._busy else delay

    async def _pick(
        self, connection: AsyncConnection
    ) -> tuple[list[Row[Any]], dict[Bucket, float], float]:
        """Messages that may go, their buckets after that, and seconds until others may."""
        pending = await rows.list_pending(connection, 500)
        paces = await rows.read_paces(connection, {row.channel for row in pending})
        # Another process may have put in what nobody here was woken for, and ended since.
        now, delay = self._now(), lease.LEASE_SECONDS
        ready: list[Row[Any]] = []
        taken: dict[Bucket, float] = {}
        seen = set(self._busy)
        for row in pending:
            lane = (row.team, row.channel, row.lane)
            if lane in seen or len(self._busy) + len(ready) >= MOST_AT_ONCE:
                continue
            seen.add(lane)
            bucket = (row.team, row.channel, pace.name_bucket(row.method))
            free_at = taken.get(bucket, paces.get(bucket, 0.0))
            due = max(row.not_before, row.leased_until or 0.0) - now
            wait = max(due, pace.wait(row.method, free_at, now))
            if wait > 0:
                delay = min(delay, wait)
                continue
            taken[bucket] = pace.take(row.method, free_at, now)
            ready.append(row)
        return ready, taken, delay

    def _start(self, row: Row[Any]) -> None:
        lane = (row.team, row.channel, row.lane)
        task = asyncio.create_task(self._send(row))
        self._busy[lane] = (row.id, task)

        def end(done: asyncio.Task[None]) -> None:
            del self._busy[lane]
            self._wake.set()
            if not done.cancelled() and done.exception():
                log.error("outbox_failed", error=done.exception())

        task.add_done_callback(end)

    async def _send(self, row: Row[Any]) -> None:
        """Send a message that was claimed; `row` is as it was before."""
        try:
            workspace = await self._workspaces.find(row.team)
        except OUT_OF_REACH:
            await self._settle(row, Later(RETRY_SECONDS))
            return
        arguments = await self._prepare(row)
        if workspace is None or arguments is None:
            await self._settle(row, Refused("no_installation" if arguments else "no_target"))
            return
        if row.status == "sending":
            outcome = await self._look(workspace, row, arguments)
            if outcome is not None:
                await self._settle(row, outcome)
                return
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

    async def _look(
        self, workspace: Workspace, row: Row[Any], arguments: dict[str, Any]
    ) -> Outcome | None:
        """Return what became of a message whose outcome is unknown; none where it has to be sent."""
        if row.method in _AT_MOST_ONCE:
            return Refused("outcome_unknown")
        if row.method != "post":
            return None
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
                await rows.settle(connection, row.team, row.id, **end)
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
            free_at = pace.pause(row.method, seconds, now)
            bucket = pace.name_bucket(row.method)
            await rows.set_pace(connection, row.team, row.channel, bucket, free_at)
        await rows.settle(
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
        end = {"status": "failed", "error": reason, "body": None}
        await rows.settle(connection, row.team, row.id, **end)
        failure = body.get("on_failure")
        if failure:
            note = Outgoing(row.team, f"{row.key}:failed", "respond", row.channel, failure)
            await rows.enqueue(connection, self._seal, note, self._now())
