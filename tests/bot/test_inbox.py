"""The inbox: once, until it worked, and not for longer than an hour."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from cryptography.fernet import Fernet

from bot import lease
from bot.delivery import Delivery, Kind, identify, read_delivery
from bot.inbox import FORGET_SECONDS, KEEP_SECONDS, MOST_TRIES, Inbox
from bot.lease import LEASE_SECONDS
from bot.metrics import Metrics
from bot.seal import Seal
from bot.store import inbox as store
from bot.store.database import Database
from bot.store.migrate import upgrade
from bot.store.tables import inbox as table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

DELIVERY = Delivery("T1", Kind.EVENT, "event:Ev1", {"text": "words"})


class Clock:
    """A clock that is set by hand, or goes on by so much each time it is read."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.step = 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    made = Database(f"sqlite+aiosqlite:///{tmp_path / 'bot.db'}")
    await upgrade(made)
    yield made
    await made.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inbox(database: Database, clock: Clock) -> Inbox:
    return Inbox(database, Seal(Fernet.generate_key().decode()), Metrics(), clock)


async def rows(database: Database) -> list[tuple[str, bytes | None]]:
    async with database.read() as connection:
        found = await connection.execute(sa.select(table.c.status, table.c.body))
    return [(row.status, row.body) for row in found]


async def work_until(
    inbox: Inbox, done: asyncio.Event, work: Callable[[Delivery], Awaitable[None]]
) -> None:
    task = asyncio.create_task(inbox.run(work))
    async with asyncio.timeout(10):
        await done.wait()
    inbox.stop()
    await task


async def test_a_delivery_is_taken_once_and_wiped_when_it_is_worked(
    inbox: Inbox, database: Database
) -> None:
    assert await inbox.accept(DELIVERY)
    assert not await inbox.accept(DELIVERY)
    seen: list[Delivery] = []
    done = asyncio.Event()

    async def work(delivery: Delivery) -> None:
        seen.append(delivery)
        done.set()

    await work_until(inbox, done, work)

    assert seen == [DELIVERY]
    assert await rows(database) == [("done", None)]
    assert not await inbox.accept(DELIVERY)


async def test_what_fails_is_worked_again(inbox: Inbox, database: Database, clock: Clock) -> None:
    await inbox.accept(DELIVERY)
    clock.step = 10.0
    done = asyncio.Event()
    tries: list[float] = []

    async def work(_: Delivery) -> None:
        tries.append(clock.time)
        if len(tries) < 3:
            raise ConnectionError
        done.set()

    await work_until(inbox, done, work)

    assert len(tries) == 3
    assert await rows(database) == [("done", None)]


async def test_what_waits_for_an_hour_is_wiped_and_later_forgotten(
    inbox: Inbox, database: Database, clock: Clock
) -> None:
    await inbox.accept(DELIVERY)
    clock.time += KEEP_SECONDS
    await inbox.sweep()
    assert [status for status, _ in await rows(database)] == ["new"]
    clock.time += 1
    await inbox.sweep()
    assert await rows(database) == [("expired", None)]
    clock.time += FORGET_SECONDS
    await inbox.sweep()

    assert await rows(database) == []


async def test_what_one_process_works_another_leaves_alone_until_it_is_silent(
    inbox: Inbox, database: Database, clock: Clock
) -> None:
    await inbox.accept(DELIVERY)
    async with database.write() as connection:
        until = clock.time + LEASE_SECONDS
        claimed = await store.claim(
            connection, worker="other", now=clock.time, until=until, busy=[], limit=8
        )
    assert len(claimed) == 1
    await inbox.accept(Delivery("T1", Kind.EVENT, "event:Ev2", {}))
    seen: list[str] = []
    free, taken = asyncio.Event(), asyncio.Event()

    async def work(delivery: Delivery) -> None:
        seen.append(delivery.key)
        (taken if delivery.key == DELIVERY.key else free).set()

    await work_until(inbox, free, work)
    assert seen == ["event:Ev2"]
    clock.time += LEASE_SECONDS
    inbox._stopped = False
    await work_until(inbox, taken, work)

    assert seen == ["event:Ev2", DELIVERY.key]


async def test_a_long_work_stays_with_its_process(
    inbox: Inbox, database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.01)
    await inbox.accept(DELIVERY)
    begun, end = asyncio.Event(), asyncio.Event()

    async def work(_: Delivery) -> None:
        begun.set()
        await end.wait()

    task = asyncio.create_task(inbox.run(work))
    async with asyncio.timeout(10):
        await begun.wait()
        clock.time += 2 * LEASE_SECONDS
        while await is_free(database, clock):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    end.set()
    inbox.stop()
    await task

    assert await rows(database) == [("done", None)]


async def is_free(database: Database, clock: Clock) -> bool:
    async with database.read() as connection:
        return await store.is_due(connection, clock.time, [])


async def test_what_the_program_stumbles_over_is_given_up(
    inbox: Inbox, database: Database, clock: Clock
) -> None:
    await inbox.accept(DELIVERY)
    clock.step = 10.0
    tries: list[float] = []
    last = asyncio.Event()

    async def work(delivery: Delivery) -> None:
        tries.append(clock.time)
        if len(tries) == MOST_TRIES:
            last.set()
        raise TypeError(delivery.key)

    await work_until(inbox, last, work)

    assert await rows(database) == [("unworkable", None)]


async def test_what_another_key_sealed_is_given_up(
    inbox: Inbox, database: Database, clock: Clock
) -> None:
    other = Inbox(database, Seal(Fernet.generate_key().decode()), Metrics(), clock)
    await other.accept(DELIVERY)
    done = asyncio.Event()
    await inbox.accept(Delivery("T1", Kind.EVENT, "event:Ev2", {}))

    async def work(delivery: Delivery) -> None:
        assert delivery.key == "event:Ev2"
        done.set()

    await work_until(inbox, done, work)

    assert sorted(status for status, _ in await rows(database)) == ["done", "unworkable"]


def test_deliveries_are_the_same_by_what_slack_keeps_the_same() -> None:
    event = {"event_id": "Ev1", "authorizations": [{"team_id": "T9"}], "team_id": "T1"}
    press = {"type": "block_actions", "trigger_id": "1.2", "team": {"id": "T1"}}
    form = {"type": "view_submission", "trigger_id": "1.2", "view": {"id": "V1", "hash": "h"}}

    assert read_delivery(Kind.EVENT, event).key == "event:Ev1"
    assert read_delivery(Kind.EVENT, event).team == "T9"
    assert identify(Kind.INTERACTIVE, press) == "interactive:1.2"
    assert identify(Kind.INTERACTIVE, form) == "view:V1:h"
    assert identify(Kind.SLASH, {"text": "x"}) == identify(Kind.SLASH, {"text": "x"})
    assert identify(Kind.SLASH, {"text": "x"}) != identify(Kind.SLASH, {"text": "y"})
