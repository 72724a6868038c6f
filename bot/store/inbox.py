"""Queries of the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.tables import inbox

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection


async def add(
    connection: AsyncConnection, *, team: str, key: str, kind: str, body: bytes, now: float
) -> bool:
    """Keep a delivery; whether it was new."""
    row = {
        "team": team,
        "key": key,
        "kind": kind,
        "status": "new",
        "attempts": 0,
        "body": body,
        "received_at": now,
        "not_before": now,
    }
    return await insert_new(connection, inbox, row)


async def try_out(connection: AsyncConnection, size: int, now: float) -> None:
    """Write a delivery of so many bytes and take it away: it fails where a real one would."""
    key = f"try:{now:.6f}"
    await add(connection, team="", key=key, kind="try", body=bytes(size), now=now)
    await connection.execute(sa.delete(inbox).where(inbox.c.team == "", inbox.c.key == key))


def _is_free(now: float) -> sa.ColumnElement[bool]:
    return sa.or_(inbox.c.leased_until.is_(None), inbox.c.leased_until <= now)


async def is_due(connection: AsyncConnection, now: float, busy: Collection[int]) -> bool:
    """Whether there is a delivery to work on, of any team: the worker serves them all."""
    due = sa.select(inbox.c.id).where(
        inbox.c.status == "new", inbox.c.not_before <= now, inbox.c.id.not_in(busy), _is_free(now)
    )
    return (await connection.execute(due.limit(1))).first() is not None


async def claim(
    connection: AsyncConnection,
    *,
    worker: str,
    now: float,
    until: float,
    busy: Collection[int],
    limit: int,
) -> Sequence[Row[Any]]:
    """Take deliveries to work on, oldest first, of every team, away from other processes."""
    due = (
        sa.select(inbox)
        .where(
            inbox.c.status == "new",
            inbox.c.not_before <= now,
            inbox.c.id.not_in(busy),
            _is_free(now),
        )
        .order_by(inbox.c.id)
        .limit(limit)
    )
    found = (await connection.execute(due)).all()
    mine = inbox.c.id.in_([row.id for row in found])
    lease = {"worker": worker, "leased_until": until}
    await connection.execute(sa.update(inbox).where(mine).values(lease))
    return found


async def renew(
    connection: AsyncConnection, worker: str, busy: Collection[int], until: float
) -> None:
    """Keep other processes from deliveries, of any team, that are still being worked."""
    mine = (inbox.c.worker == worker, inbox.c.id.in_(busy))
    await connection.execute(sa.update(inbox).where(*mine).values(leased_until=until))


async def next_due(connection: AsyncConnection, busy: Collection[int]) -> float | None:
    """When the next delivery of any team is due; none where none waits."""
    lease = inbox.c.leased_until
    at = sa.case((lease > inbox.c.not_before, lease), else_=inbox.c.not_before)
    query = sa.select(sa.func.min(at)).where(inbox.c.status == "new", inbox.c.id.not_in(busy))
    due: float | None = (await connection.execute(query)).scalar_one()
    return due


async def count_waiting(connection: AsyncConnection) -> int:
    """How many deliveries wait, of every team."""
    query = sa.select(sa.func.count()).select_from(inbox).where(inbox.c.status == "new")
    return (await connection.execute(query)).scalar_one()


async def finish(connection: AsyncConnection, team: str, number: int, status: str) -> None:
    """End a delivery and wipe what it said."""
    mine = (inbox.c.team == team, inbox.c.id == number)
    change = {"status": status, "body": None, "worker": None, "leased_until": None}
    await connection.execute(sa.update(inbox).where(*mine).values(change))


async def postpone(connection: AsyncConnection, team: str, number: int, until: float) -> None:
    """Put a delivery off after its work failed."""
    mine = (inbox.c.team == team, inbox.c.id == number)
    change = {
        "not_before": until,
        "attempts": inbox.c.attempts + 1,
        "worker": None,
        "leased_until": None,
    }
    await connection.execute(sa.update(inbox).where(*mine).values(change))


async def sweep(connection: AsyncConnection, *, wipe_before: float, forget_before: float) -> int:
    """Give up what is too old to answer, forget what cannot be delivered again, of every team.

    Returns how many were given up.
    """
    old = sa.and_(inbox.c.status == "new", inbox.c.received_at < wipe_before)
    given_up = await connection.execute(
        sa.update(inbox).where(old).values(status="expired", body=None)
    )
    await connection.execute(
        sa.delete(inbox).where(inbox.c.status != "new", inbox.c.received_at < forget_before)
    )
    return given_up.rowcount
