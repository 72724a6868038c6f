"""Queries of the guided run: names of voters, fixes found otherwise, unsolved threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.guided_tables import fixes, names, unsolved
from bot.store.tables import answers, incidents

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.answers import Answer

LONGEST_NAME = 80
LONGEST_FIX = 2000


async def keep_name(
    connection: AsyncConnection, team: str, voter: str, name: str, now: float
) -> None:
    """Keep the name that a pseudonym is shown by."""
    mine = (names.c.team == team, names.c.voter == voter)
    row = {"team": team, "voter": voter, "name": name[:LONGEST_NAME], "at": now}
    if not await insert_new(connection, names, row):
        await connection.execute(sa.update(names).where(*mine).values(name=row["name"], at=now))


async def list_names(
    connection: AsyncConnection, team: str, voters: Collection[str]
) -> dict[str, str]:
    """List the names of those voters that are known by one."""
    if not voters:
        return {}
    query = sa.select(names.c.voter, names.c.name).where(
        names.c.team == team, names.c.voter.in_(voters)
    )
    return {row.voter: row.name for row in await connection.execute(query)}


async def forget_old_names(connection: AsyncConnection, before: float) -> None:
    """Forget names last seen before then, of every team."""
    await connection.execute(sa.delete(names).where(names.c.at < before))


async def erase_traces(connection: AsyncConnection, team: str, voter: str, erased: str) -> None:
    """Forget a person's name; what they recorded stays without an author."""
    mine = (names.c.team == team, names.c.voter == voter)
    await connection.execute(sa.delete(names).where(*mine))
    for table in (fixes, unsolved):
        theirs = (table.c.team == team, table.c.voter == voter)
        await connection.execute(sa.update(table).where(*theirs).values(voter=erased))


async def add_fix(
    connection: AsyncConnection,
    *,
    answer: Answer,
    identity: str,
    voter: str,
    text: str,
    ts: str | None,
    at: float,
) -> bool:
    """Record what solved an incident otherwise; false where it is recorded already."""
    row = {
        "team": answer.team,
        "id": identity,
        "incident": answer.incident,
        "entry": answer.entry,
        "voter": voter,
        "text": text[:LONGEST_FIX],
        "channel": None if answer.is_private else answer.channel,
        "ts": ts,
        "at": at,
    }
    return await insert_new(connection, fixes, row)


async def list_fixes(connection: AsyncConnection, team: str, incident: str) -> Sequence[Row[Any]]:
    """List what solved an incident otherwise, the first one first."""
    mine = (fixes.c.team == team, fixes.c.incident == incident)
    query = sa.select(fixes).where(*mine).order_by(fixes.c.at, fixes.c.id)
    return (await connection.execute(query)).all()


async def save_unsolved(connection: AsyncConnection, answer: Answer, voter: str, at: float) -> bool:
    """Save a thread as unsolved; false where it is saved already."""
    row = {
        "team": answer.team,
        "answer": answer.id,
        "incident": answer.incident,
        "entry": answer.entry,
        "channel": answer.channel,
        "thread": answer.thread,
        "voter": voter,
        "at": at,
    }
    return await insert_new(connection, unsolved, row)


async def find_saver(connection: AsyncConnection, team: str, answer: str) -> str | None:
    """Find who saved an answer's thread as unsolved."""
    mine = (unsolved.c.team == team, unsolved.c.answer == answer)
    return (await connection.execute(sa.select(unsolved.c.voter).where(*mine))).scalar_one_or_none()


async def list_unsolved(connection: AsyncConnection, team: str, limit: int) -> Sequence[Row[Any]]:
    """List the unsolved threads without a fix on record, the latest first."""
    fixed = sa.and_(fixes.c.team == unsolved.c.team, fixes.c.incident == unsolved.c.incident)
    query = (
        sa.select(unsolved)
        .where(unsolved.c.team == team, ~sa.exists().where(fixed))
        .order_by(unsolved.c.at.desc(), unsolved.c.answer)
        .limit(limit)
    )
    return (await connection.execute(query)).all()


async def list_recent_fixes(
    connection: AsyncConnection, team: str, since: float, limit: int
) -> Sequence[Row[Any]]:
    """List the fixes recorded since then, the latest first."""
    query = sa.select(fixes).where(fixes.c.team == team, fixes.c.at >= since)
    return (await connection.execute(query.order_by(fixes.c.at.desc()).limit(limit))).all()


async def count_incidents(connection: AsyncConnection, team: str, since: float) -> dict[str, int]:
    """Count the incidents seen since then, by entry."""
    query = (
        sa.select(incidents.c.entry, sa.func.count())
        .where(incidents.c.team == team, incidents.c.last_at >= since)
        .group_by(incidents.c.entry)
    )
    return {row[0]: row[1] for row in await connection.execute(query)}


async def count_public_answers(connection: AsyncConnection, team: str, since: float) -> int:
    """Count the answers since then that a thread got."""
    mine = (answers.c.team == team, answers.c.at >= since, answers.c.source != "ask")
    query = sa.select(sa.func.count()).select_from(answers).where(*mine)
    return (await connection.execute(query)).scalar_one()
