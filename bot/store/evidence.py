"""Queries of what surrounds the log: questions to posters, jobs, digests, edited texts, misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.answers import read_answer
from bot.store.database import insert_new
from bot.store.tables import (
    answers,
    digests,
    edits,
    incidents,
    jobs,
    misses,
    outbox,
    posts,
    questions,
    texts,
)
from rules.edits import Edit, TextEdit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.answers import Answer

MISSES_KEPT = 90 * 86400.0


async def list_unasked(
    connection: AsyncConnection, since: float, until: float, limit: int
) -> list[Answer]:
    """List public answers of that time whose incident has no question yet, of every team."""
    asked = sa.and_(questions.c.team == answers.c.team, questions.c.incident == answers.c.incident)
    query = (
        sa.select(answers)
        .outerjoin(questions, asked)
        .where(
            questions.c.team.is_(None),
            answers.c.at >= since,
            answers.c.at <= until,
            answers.c.source.in_(("post", "share")),
        )
        .order_by(answers.c.at)
        .limit(limit)
    )
    return [read_answer(row) for row in await connection.execute(query)]


async def note_question(
    connection: AsyncConnection, answer: Answer, outcome: str, at: float
) -> bool:
    """Note what became of the question about an incident; false where that is settled already."""
    row = {
        "team": answer.team,
        "incident": answer.incident,
        "answer": answer.id,
        "outcome": outcome,
        "at": at,
    }
    return await insert_new(connection, questions, row)


async def note_reply(connection: AsyncConnection, team: str, incident: str) -> None:
    """Note that a question was answered by its buttons."""
    mine = (questions.c.team == team, questions.c.incident == incident)
    await connection.execute(sa.update(questions).where(*mine).values(outcome="answered"))


async def count_questions(connection: AsyncConnection, team: str, since: float) -> dict[str, int]:
    """Count questions by what became of them."""
    query = (
        sa.select(questions.c.outcome, sa.func.count())
        .where(questions.c.team == team, questions.c.at >= since)
        .group_by(questions.c.outcome)
    )
    rows = await connection.execute(query)
    return {row[0]: row[1] for row in rows}


async def add_job(
    connection: AsyncConnection,
    *,
    team: str,
    sender: str,
    cluster: str,
    job: str,
    incident: str,
    at: float,
) -> None:
    """Note which incident a job's failure belongs to."""
    row = {
        "team": team,
        "sender": sender,
        "cluster": cluster[:255],
        "job": job[:255],
        "incident": incident,
        "at": at,
    }
    await insert_new(connection, jobs, row)


async def list_job_incidents(
    connection: AsyncConnection, *, team: str, sender: str, cluster: str, job: str, since: float
) -> Sequence[Row[Any]]:
    """List the incidents that a job's failures belong to."""
    query = (
        sa.select(incidents)
        .join(
            jobs,
            sa.and_(jobs.c.team == incidents.c.team, jobs.c.incident == incidents.c.id),
        )
        .where(
            jobs.c.team == team,
            jobs.c.sender == sender,
            jobs.c.cluster == cluster[:255],
            jobs.c.job == job[:255],
            jobs.c.at >= since,
        )
    )
    return (await connection.execute(query)).all()


async def find_digest(connection: AsyncConnection, team: str, week: str) -> Row[Any] | None:
    """Find the digest of a week."""
    query = sa.select(digests).where(digests.c.team == team, digests.c.week == week)
    return (await connection.execute(query)).one_or_none()


async def last_flags(connection: AsyncConnection, team: str) -> dict[str, list[str]]:
    """Return the flags that the last digest showed, by `entry step`."""
    query = sa.select(digests.c.flags).where(digests.c.team == team).order_by(digests.c.at.desc())
    return (await connection.execute(query.limit(1))).scalar_one_or_none() or {}


async def add_digest(
    connection: AsyncConnection, team: str, week: str, flags: dict[str, list[str]], at: float
) -> bool:
    """Note a week's digest; false where there is one."""
    row = {"team": team, "week": week, "flags": flags, "at": at}
    return await insert_new(connection, digests, row)


async def count_answers(connection: AsyncConnection, team: str, since: float) -> dict[str, int]:
    """Count answers by entry, since then."""
    query = (
        sa.select(answers.c.entry, sa.func.count())
        .where(answers.c.team == team, answers.c.at >= since)
        .group_by(answers.c.entry)
    )
    rows = await connection.execute(query)
    return {row[0]: row[1] for row in rows}


async def list_texts(connection: AsyncConnection, team: str) -> dict[str, dict[str, str]]:
    """List the hashes of the texts voted on, by entry and id."""
    found: dict[str, dict[str, str]] = {}
    for row in await connection.execute(sa.select(texts).where(texts.c.team == team)):
        found.setdefault(row.entry, {})[row.target] = row.hash
    return found


async def set_text(
    connection: AsyncConnection, team: str, entry: str, target: str, digest: str | None
) -> None:
    """Keep the hash of a text voted on; none forgets it."""
    mine = (texts.c.team == team, texts.c.entry == entry, texts.c.target == target)
    await connection.execute(sa.delete(texts).where(*mine))
    if digest is not None:
        row = {"team": team, "entry": entry, "target": target, "hash": digest}
        await connection.execute(sa.insert(texts).values(row))


async def list_open_edits(connection: AsyncConnection, team: str) -> list[TextEdit]:
    """List the edits that no editor has answered for."""
    query = sa.select(edits).where(edits.c.team == team).order_by(edits.c.entry, edits.c.target)
    return [
        TextEdit(row.entry, row.target, Edit(row.edit), row.moved_to)
        for row in await connection.execute(query)
    ]


async def replace_edits(
    connection: AsyncConnection,
    team: str,
    found: Iterable[TextEdit],
    hashes: dict[str, dict[str, str]],
    at: float,
) -> None:
    """Keep exactly these edits as open ones."""
    await connection.execute(sa.delete(edits).where(edits.c.team == team))
    for edit in found:
        row = {
            "team": team,
            "entry": edit.entry,
            "target": edit.target,
            "edit": edit.edit,
            "moved_to": edit.now,
            "hash": hashes[edit.entry][edit.target],
            "at": at,
        }
        await connection.execute(sa.insert(edits).values(row))


async def note_miss(
    connection: AsyncConnection, team: str, fingerprint: str, line: str, at: float
) -> None:
    """Count an unknown error."""
    row = {"team": team, "fingerprint": fingerprint, "line": line[:300], "posts": 1, "last_at": at}
    if not await insert_new(connection, misses, row):
        mine = (misses.c.team == team, misses.c.fingerprint == fingerprint)
        change = {"posts": misses.c.posts + 1, "last_at": at}
        await connection.execute(sa.update(misses).where(*mine).values(change))


async def list_misses(
    connection: AsyncConnection, team: str, since: float, limit: int
) -> Sequence[Row[Any]]:
    """List the unknown errors seen since then, the most frequent first; older ones are forgotten."""
    query = (
        sa.select(misses)
        .where(misses.c.team == team, misses.c.last_at >= since)
        .order_by(misses.c.posts.desc(), misses.c.fingerprint)
        .limit(limit)
    )
    return (await connection.execute(query)).all()


async def forget_misses(connection: AsyncConnection, before: float) -> None:
    """Forget unknown errors last seen before then, of every team."""
    await connection.execute(sa.delete(misses).where(misses.c.last_at < before))


_PEOPLE = ((posts, posts.c.poster, posts.c.at), (incidents, incidents.c.poster, incidents.c.last_at),
           (answers, answers.c.poster, answers.c.at))  # fmt: skip


async def list_posters(connection: AsyncConnection, team: str, before: float) -> set[str]:
    """List the posters that rows last touched before then still name."""
    found: set[str] = set()
    for table, poster, at in _PEOPLE:
        query = sa.select(poster).where(table.c.team == team, at < before).distinct()
        found.update((await connection.execute(query)).scalars())
    return found


async def rename_poster(
    connection: AsyncConnection, team: str, person: str, name: str, before: float
) -> int:
    """Put another name for a poster into rows last touched before then; how many rows."""
    count = 0
    for table, poster, at in _PEOPLE:
        mine = (table.c.team == team, poster == person, at < before)
        count += (
            await connection.execute(sa.update(table).where(*mine).values(poster=name))
        ).rowcount
    return count


async def forget_messages(connection: AsyncConnection, team: str, person: str) -> None:
    """Forget messages to one person alone, and questions back to them."""
    theirs = sa.or_(outbox.c.channel == person, outbox.c.key.like(f"doubt:%:{person}"))
    await connection.execute(sa.delete(outbox).where(outbox.c.team == team, theirs))
