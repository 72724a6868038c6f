"""Queries of the log of votes and shown steps, and of reactions that came early."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.tables import early_reactions, events
from rules.votes import Act, Context, Outcome, Shown, Target, Thumb, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from rules.votes import Event


async def append(connection: AsyncConnection, event: Event) -> bool:
    """Add an event to the log; whether it was new."""
    return await insert_new(connection, events, _write(event))


async def list_all(connection: AsyncConnection, team: str) -> list[Event]:
    """List the whole log of a team, in the order it was written."""
    query = sa.select(events).where(events.c.team == team).order_by(events.c.id)
    return [_read(row) for row in await connection.execute(query)]


def _write(event: Event) -> dict[str, Any]:
    row: dict[str, Any] = {
        "team": event.team,
        "key": event.key,
        "type": type(event).__name__.lower(),
        "incident": event.incident,
        "entry": event.entry,
        "kind": "",
        "target": "",
        "is_poster": False,
        "context": {},
        "at": to_epoch(event.at),
    }
    if not isinstance(event, Outcome):
        row |= {"kind": event.kind, "target": event.target, "position": event.position}
    if not isinstance(event, Shown):
        row["context"] = asdict(event.context)
    if isinstance(event, Vote):
        row |= {
            "voter": event.voter,
            "value": event.value,
            "act": event.act,
            "source": event.source,
            "is_poster": event.is_poster,
        }
    return row


def _read(row: Row[Any]) -> Event:
    at = dt.datetime.fromtimestamp(row.at, dt.UTC)
    place = {"team": row.team, "incident": row.incident, "entry": row.entry, "at": at}
    if row.type == "outcome":
        return Outcome(**place, context=Context(**row.context))
    what = {"kind": Target(row.kind), "target": row.target}
    if row.type == "shown":
        return Shown(**place, **what, position=row.position)
    return Vote(
        **place,
        **what,
        voter=row.voter,
        value=Thumb(row.value),
        act=Act(row.act),
        source=row.source,
        is_poster=row.is_poster,
        position=row.position,
        context=Context(**row.context),
    )


async def keep_early(
    connection: AsyncConnection,
    *,
    team: str,
    channel: str,
    ts: str,
    person: str,
    reaction: str,
    act: str,
    at: float,
) -> None:
    """Keep a reaction to a message that is not known yet."""
    row = {
        "team": team,
        "channel": channel,
        "ts": ts,
        "person": person,
        "reaction": reaction[:100],
        "act": act,
        "at": at,
    }
    await connection.execute(sa.insert(early_reactions).values(row))


async def take_early(
    connection: AsyncConnection, team: str, channel: str, ts: str
) -> Sequence[Row[Any]]:
    """Return the reactions kept for a message, which are then gone."""
    mine = (
        early_reactions.c.team == team,
        early_reactions.c.channel == channel,
        early_reactions.c.ts == ts,
    )
    kept = (await connection.execute(sa.select(early_reactions).where(*mine))).all()
    await connection.execute(sa.delete(early_reactions).where(*mine))
    return kept
