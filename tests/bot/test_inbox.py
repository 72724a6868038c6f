"""The inbox: once, until it worked, and not for longer than an hour."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from cryptography.fernet import Fernet

from bot.delivery import Delivery, Kind, identify, read_delivery
from bot.inbox import FORGET_SECONDS, KEEP_SECONDS, Inbox
from bot.metrics import Metrics
from bot.seal import Seal
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
