"""Queries of the log of votes and shown steps, and of reactions that came early."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.tables import barred, early_reactions, events, ledgers
from rules.votes import Act, Context, Outcome, Shown, Target, Thumb, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from rules.votes import Event


async def append(connection: AsyncConnection, event: Event, key: str, team: str) -> bool:
    """Add an event to a team's log under `key`; whether it was new."""
    return await insert_new(connection, events, _write(event, key, team))


async def list_after(
    connection: AsyncConnection, team: str, number: int
) -> list[tuple[int, Event]]:
    """List what was written to a team's log after row `number`, with the rows' numbers."""
    query = sa.select(events).where(events.c.team == team, events.c.id > number)
    rows = await connection.execute(query.order_by(events.c.id))
    return [(row.id, _read(row)) for row in rows]


async def find_end(connection: AsyncConnection, team: str) -> int:
    """Return the number of the last row of a team's log."""
    query = sa.select(sa.func.max(events.c.id)).where(events.c.team == team)
    return (await connection.execute(query)).scalar_one() or 0


async def list_teams(connection: AsyncConnection) -> list[str]:
    """List the teams that have a log: for whoever owns the database."""
    query = sa.select(events.c.team).distinct().order_by(events.c.team)
    return list((await connection.execute(query)).scalars())


async def has_vote(connection: AsyncConnection, team: str, incident: str) -> bool:
    """Whether anybody ever voted in an incident."""
    mine = (events.c.team == team, events.c.incident == incident, events.c.type == "vote")
    return (
        await connection.execute(sa.select(events.c.id).where(*mine).limit(1))
    ).first() is not None


async def count_votes(connection: AsyncConnection, team: str) -> dict[tuple[str, str], int]:
    """Count the votes given on each step and dead end, taken back or not."""
    query = (
        sa.select(events.c.entry, events.c.target, sa.func.count())
        .where(events.c.team == team, events.c.kind.in_((Target.STEP, Target.DEAD_END)))
        .where(events.c.type == "vote")
        .group_by(events.c.entry, events.c.target)
    )
    return {(row[0], row[1]): row[2] for row in await connection.execute(query)}


async def list_voters(connection: AsyncConnection, team: str) -> list[str]:
    """List who voted, as the log names them."""
    mine = (events.c.team == team, events.c.voter.is_not(None))
    return list(
        (await connection.execute(sa.select(events.c.voter).where(*mine).distinct())).scalars()
    )


async def rename_voter(
    connection: AsyncConnection, team: str, person: str, name: str, before: float
) -> int:
    """Put a pseudonym for a voter into events before then: keys and rates stay; how many."""
    mine = (events.c.team == team, events.c.voter == person, events.c.at < before)
    change = sa.update(events).where(*mine).values(voter=name)
    return (await connection.execute(change)).rowcount


async def erase_votes(connection: AsyncConnection, team: str, names: Collection[str]) -> int:
    """Delete the votes of one person, by all names of theirs; how many there were."""
    mine = (events.c.team == team, events.c.voter.in_(names))
    erased = (await connection.execute(sa.delete(events).where(*mine))).rowcount
    early = (early_reactions.c.team == team, early_reactions.c.person.in_(names))
    await connection.execute(sa.delete(early_reactions).where(*early))
    if erased:
        await note_rewrite(connection, team)
    return erased


async def count_rewrites(connection: AsyncConnection, team: str) -> int:
    """How often the team's log was changed other than by adding to it."""
    query = sa.select(ledgers.c.rewrites).where(ledgers.c.team == team)
    return (await connection.execute(query)).scalar_one_or_none() or 0


async def note_rewrite(connection: AsyncConnection, team: str) -> None:
    """Have everybody who holds rates of the team replay its log."""
    if not await insert_new(connection, ledgers, {"team": team, "rewrites": 1}):
        change = {"rewrites": ledgers.c.rewrites + 1}
        await connection.execute(sa.update(ledgers).where(ledgers.c.team == team).values(change))


async def list_barred(connection: AsyncConnection, team: str) -> frozenset[str]:
    """List the pseudonyms of those whose votes do not count."""
    query = sa.select(barred.c.person).where(barred.c.team == team)
    return frozenset((await connection.execute(query)).scalars())


async def bar(
    connection: AsyncConnection, team: str, person: str, at: float, *, is_barred: bool
) -> None:
    """Have a person's votes count no more, or again; the rates follow where that is news."""
    mine = (barred.c.team == team, barred.c.person == person)
    if is_barred:
        is_news = await insert_new(connection, barred, {"team": team, "person": person, "at": at})
    else:
        is_news = bool((await connection.execute(sa.delete(barred).where(*mine))).rowcount)
    if is_news:
        await note_rewrite(connection, team)


def _write(event: Event, key: str, team: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "team": team,
        "key": key,
        "type": type(event).__name__.lower(),
        "incident": event.incident,
        "entry": event.entry,
        "kind": "",
        "target": "",
        "origin": None if event.team == team else event.team,
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
    team = row.origin or row.team
    place = {"team": team, "incident": row.incident, "entry": row.entry, "at": at}
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
