"""Persist, acknowledge, work: nothing acknowledged lives in memory alone."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bot import lease
from bot.delivery import Delivery, Kind
from bot.lease import name_worker
from bot.outage import Outage
from bot.store import inbox as rows

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from sqlalchemy import Row

    from bot.metrics import Metrics
    from bot.seal import Seal
    from bot.store.database import Database

log = structlog.get_logger(__name__)

KEEP_SECONDS = 3600.0
"""How long a delivery may wait for its answer; then what it said is wiped."""
FORGET_SECONDS = 2 * 86400.0
"""How long a key is remembered: longer than Slack delivers again."""
SWEEP_SECONDS = 60.0
RETRY_SECONDS = 1.0
MOST_AT_ONCE = 8
MOST_TRIES = 5
"""How often a delivery is worked that the program stumbles over: time does not mend that."""
_BROKEN = (TypeError, AttributeError, LookupError, ValueError, AssertionError, RecursionError)
OVERLOAD = 5000
"""Deliveries waiting at which new webhook deliveries are refused."""


class UnworkableError(Exception):
    """The delivery cannot be worked, now or later."""


class Inbox:
    """Takes deliveries in and has them worked, each until it succeeded once."""

    def __init__(
        self,
        database: Database,
        seal: Seal,
        metrics: Metrics,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._seal = seal
        self._metrics = metrics
        self._now = now
        self._worker = name_worker()
        self._wake = asyncio.Event()
        self._busy: dict[int, asyncio.Task[None]] = {}
        self._renewed_at = 0.0
        self._waiting = 0
        self.outage = Outage(now)
        self._stopped = False
        self._swept_at = 0.0

    async def accept(self, delivery: Delivery) -> bool:
        """Commit a delivery; once this returns it may be acknowledged. Whether it was new.

        Raises SQLAlchemyError where it cannot be stored; that is noted and said already.
        """
        body = self._seal.close(delivery.body)
        try:
            async with self._database.write() as connection:
                new = await rows.add(
                    connection,
                    team=delivery.team,
                    key=delivery.key,
                    kind=delivery.kind,
                    body=body,
                    now=self._now(),
                )
        except SQLAlchemyError as error:
            self.outage.note(error, len(body))
            self._wake.set()
            raise
        self.outage.end()
        self._metrics.deliveries.labels(delivery.kind, "new" if new else "again").inc()
        self._wake.set()
        return new

    @property
    def overloaded(self) -> bool:
        """Whether so much waits that senders should come back later."""
        return self._waiting >= OVERLOAD

    async def run(self, work: Callable[[Delivery], Awaitable[None]]) -> None:
        """Work what was taken in until `stop`; then end when what is being worked has ended."""
        while not self._stopped:
            self._wake.clear()
            try:
                await self._try_to_store()
                await self._sweep_when_due()
                next_due = await self._start_due(work)
            except SQLAlchemyError as error:
                self.outage.note(error)
                next_due = self._now() + RETRY_SECONDS
            await self._sleep_until(next_due)
        while self._busy:
            await asyncio.wait(self._busy.values(), timeout=lease.RENEW_SECONDS)
            await self._renew_when_due()

    def stop(self) -> None:
        """Start nothing more."""
        self._stopped = True
        self._wake.set()

    async def _try_to_store(self) -> None:
        """See whether an outage is over: whoever asks for readiness may hold deliveries back."""
        if self.outage.is_on:
            async with self._database.write() as connection:
                await rows.try_out(connection, self.outage.size, self._now())
            self.outage.end()

    async def _start_due(self, work: Callable[[Delivery], Awaitable[None]]) -> float | None:
        await self._renew_when_due()
        free = MOST_AT_ONCE - len(self._busy)
        if free <= 0:
            return None
        due = await self._claim(free)
        async with self._database.read() as connection:
            busy = [*self._busy, *(row.id for row in due)]
            next_due = await rows.next_due(connection, busy)
            self._waiting = await rows.count_waiting(connection)
        self._metrics.inbox_depth.set(self._waiting)
        for row in due:
            task = asyncio.create_task(self._work(row, work))
            self._busy[row.id] = task
            task.add_done_callback(partial(self._forget, row.id))
        return next_due

    async def _claim(self, free: int) -> Sequence[Row[Any]]:
        now, busy = self._now(), list(self._busy)
        async with self._database.read() as connection:
            if not await rows.is_due(connection, now, busy):
                return ()
        until = now + lease.LEASE_SECONDS
        async with self._database.write() as connection:
            return await rows.claim(
                connection, worker=self._worker, now=now, until=until, busy=busy, limit=free
            )

    async def _renew_when_due(self) -> None:
        now = self._now()
        if self._busy and abs(now - self._renewed_at) >= lease.RENEW_SECONDS:
            self._renewed_at = now
            until = now + lease.LEASE_SECONDS
            try:
                async with self._database.write() as connection:
                    await rows.renew(connection, self._worker, list(self._busy), until)
            except SQLAlchemyError as error:
                self.outage.note(error)

    async def _sleep_until(self, due: float | None) -> None:
        # Another process may have taken in what nobody here was woken for, and ended since.
        longest = lease.RENEW_SECONDS if self._busy else lease.LEASE_SECONDS
        seconds = longest if due is None else min(longest, max(0.0, due - self._now()))
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    def _forget(self, number: int, task: asyncio.Task[None]) -> None:
        # What failed while it was being ended is still in the inbox.
        if not task.cancelled() and (error := task.exception()):
            log.error("delivery_not_ended", error=error)
        self._busy.pop(number, None)
        self._wake.set()

    async def _work(self, row: Row[Any], work: Callable[[Delivery], Awaitable[None]]) -> None:
        status = "done"
        try:
            await work(self._read(row))
        except UnworkableError as error:
            status = "unworkable"
            log.warning("delivery_unworkable", kind=row.kind, reason=str(error))
        except Exception as error:  # noqa: BLE001  whatever failed: it is tried again
            log.warning("delivery_failed", kind=row.kind, attempts=row.attempts + 1, error=error)
            if not (isinstance(error, _BROKEN) and row.attempts + 1 >= MOST_TRIES):
                await self._put_off(row)
                return
            status = "unworkable"
        self._metrics.deliveries.labels(row.kind, status).inc()
        self._metrics.answer.observe(max(0.0, self._now() - row.received_at))
        async with self._database.write() as connection:
            await rows.finish(connection, row.team, row.id, status)

    def _read(self, row: Row[Any]) -> Delivery:
        body = self._seal.open(row.body)
        if body is None:
            raise UnworkableError("sealed with another key")
        return Delivery(row.team, Kind(row.kind), row.key, body)

    async def _put_off(self, row: Row[Any]) -> None:
        until = self._now() + min(60.0, 2.0**row.attempts)
        async with self._database.write() as connection:
            await rows.postpone(connection, row.team, row.id, until)

    async def _sweep_when_due(self) -> None:
        if self._now() - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = self._now()
            await self.sweep()

    async def sweep(self) -> None:
        """Wipe what nobody can be answered any more and forget old keys."""
        now = self._now()
        async with self._database.write() as connection:
            given_up = await rows.sweep(
                connection, wipe_before=now - KEEP_SECONDS, forget_before=now - FORGET_SECONDS
            )
        if given_up:
            log.warning("deliveries_given_up", count=given_up)
