"""Queries of the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


async def list_due(
    connection: AsyncConnection, now: float, busy: Collection[int], limit: int
) -> Sequence[Row[tuple[object, ...]]]:
    """Deliveries to work on, oldest first, of every team: the worker serves them all."""
    due = (
        sa.select(inbox)
        .where(inbox.c.status == "new", inbox.c.not_before <= now, inbox.c.id.not_in(busy))
        .order_by(inbox.c.id)
        .limit(limit)
    )
    return (await connection.execute(due)).all()


async def next_due(connection: AsyncConnection, busy: Collection[int]) -> float | None:
    """When the next delivery is due; none where none waits."""
    query = sa.select(sa.func.min(inbox.c.not_before)).where(
        inbox.c.status == "new", inbox.c.id.not_in(busy)
    )
    due: float | None = (await connection.execute(query)).scalar_one()
    return due


async def count_waiting(connection: AsyncConnection) -> int:
    """How many deliveries wait."""
    query = sa.select(sa.func.count()).select_from(inbox).where(inbox.c.status == "new")
    return (await connection.execute(query)).scalar_one()


async def finish(connection: AsyncConnection, team: str, number: int, status: str) -> None:
    """End a delivery and wipe what it said."""
    mine = (inbox.c.team == team, inbox.c.id == number)
    await connection.execute(sa.update(inbox).where(*mine).values(status=status, body=None))


async def postpone(connection: AsyncConnection, team: str, number: int, until: float) -> None:
    """Put a delivery off after its work failed."""
    mine = (inbox.c.team == team, inbox.c.id == number)
    change = {"not_before": until, "attempts": inbox.c.attempts + 1}
    await connection.execute(sa.update(inbox).where(*mine).values(change))


async def sweep(connection: AsyncConnection, *, wipe_before: float, forget_before: float) -> int:
    """Give up what is too old to answer, forget what cannot be delivered again; count of given up."""
    old = sa.and_(inbox.c.status == "new", inbox.c.received_at < wipe_before)
    given_up = await connection.execute(
        sa.update(inbox).where(old).values(status="expired", body=None)
    )
    await connection.execute(
        sa.delete(inbox).where(inbox.c.status != "new", inbox.c.received_at < forget_before)
    )
    return given_up.rowcount
