"""Queries of answers, incidents and posts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.incidents import Known, Trace
from bot.store.database import insert_new
from bot.store.tables import answers, incidents, posts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.posts import Post


_STANDING = answers.c.state.not_in(("replaced", "withdrawn"))


@dataclass(frozen=True, slots=True)
class Facts:
    """What an answer shows besides the entry; redacted, and all that is kept of a post."""

    kind: str
    quote: str
    line: int
    how: str
    count: int
    confidence: float
    stated: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    dead_ends: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    solved: str = ""
    """Address of the thread in which this was last solved."""
    unread: str = ""
    """A sentence on what was left out of a log that could not be read whole."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the order of its steps and how many of them were shown in full."""

    team: str
    id: str
    source: str
    """post, ask (seen by one person alone), share or webhook."""
    incident: str
    entry: str
    kb_version: str
    channel: str
    thread: str | None
    """Time stamp of the thread's root; none until it is known."""
    root: str | None
    """Key of the bot's own message that is the thread's root; none under somebody's post."""
    poster: str
    state: str
    """open, dismissed, wrong, replaced (by a better one in its place) or withdrawn (with its post)."""
    facts: Facts
    steps: tuple[str, ...]
    shown: int
    revision: int
    at: float
    head: str | None = None
    """Key of the head message where the answer took it over from another one."""

    @property
    def is_private(self) -> bool:
        """Whether one person alone sees it."""
        return self.source == "ask"

    @property
    def head_key(self) -> str:
        """Key of the head message."""
        return self.head or f"answer:{self.id}:head"


def read_answer(row: Row[Any]) -> Answer:
    """Read a row of the table of answers."""
    values = dict(row._mapping)  # noqa: SLF001
    facts = {k: tuple(v) if isinstance(v, list) else v for k, v in values["facts"].items()}
    values["facts"] = Facts(**facts)  # type: ignore[arg-type]
    values["steps"] = tuple(values["steps"])
    return Answer(**values)


async def add_post(connection: AsyncConnection, post: Post, now: float) -> bool:
    """Take a post for the one that answers it; false where it was looked at already."""
    row = {
        "team": post.team,
        "channel": post.channel,
        "ts": post.ts,
        "thread": post.thread,
        "poster": post.poster,
        "outcome": "silence",
        "at": now,
    }
    return await insert_new(connection, posts, row)


async def was_looked_at(connection: AsyncConnection, post: Post) -> bool:
    """Whether the post has its outcome."""
    return await find_post(connection, post.team, post.channel, post.ts) is not None


async def find_post(
    connection: AsyncConnection, team: str, channel: str, ts: str
) -> Row[Any] | None:
    """Find what became of a post."""
    mine = (posts.c.team == team, posts.c.channel == channel, posts.c.ts == ts)
    return (await connection.execute(sa.select(posts).where(*mine))).one_or_none()


async def set_outcome(
    connection: AsyncConnection,
    post: Post,
    outcome: str,
    fingerprint: str | None = None,
    answer: str | None = None,
) -> None:
    """Record what a post got."""
    mine = (posts.c.team == post.team, posts.c.channel == post.channel, posts.c.ts == post.ts)
    change = {"outcome": outcome, "fingerprint": fingerprint, "answer": answer}
    await connection.execute(sa.update(posts).where(*mine).values(change))


async def list_incidents(
    connection: AsyncConnection, team: str, fingerprint: str, since: float
) -> list[Known]:
    """Incidents of a fingerprint that were last seen after `since`."""
    query = sa.select(incidents).where(
        incidents.c.team == team,
        incidents.c.fingerprint == fingerprint,
        incidents.c.last_at >= since,
    )
    return [
        Known(
            row.id,
            Trace(
                row.fingerprint, row.scope, row.poster, row.job, frozenset(row.hosts), row.last_at
            ),
        )
        for row in await connection.execute(query)
    ]


async def add_incident(
    connection: AsyncConnection,
    *,
    team: str,
    identity: str,
    entry: str,
    trace: Trace,
    context: dict[str, str | None],
) -> None:
    """Open an incident."""
    row = {
        "team": team,
        "id": identity,
        "entry": entry,
        "fingerprint": trace.fingerprint,
        "scope": trace.scope,
        "poster": trace.poster,
        "job": trace.job,
        "hosts": sorted(trace.hosts),
        "context": context,
        "posts": 1,
        "opened_at": trace.at,
        "last_at": trace.at,
    }
    await insert_new(connection, incidents, row)


async def see_again(connection: AsyncConnection, team: str, identity: str, trace: Trace) -> int:
    """Count one more post of an incident; how many there are now."""
    row = await find_incident(connection, team, identity)
    assert row is not None
    change = {
        "posts": row.posts + 1,
        "last_at": max(row.last_at, trace.at),
        "hosts": sorted({*row.hosts, *trace.hosts}),
        "job": row.job or trace.job,
    }
    mine = (incidents.c.team == team, incidents.c.id == identity)
    await connection.execute(sa.update(incidents).where(*mine).values(change))
    return int(change["posts"])


async def find_incident(connection: AsyncConnection, team: str, identity: str) -> Row[Any] | None:
    """Find an incident by its id."""
    query = sa.select(incidents).where(incidents.c.team == team, incidents.c.id == identity)
    return (await connection.execute(query)).one_or_none()


async def add_answer(connection: AsyncConnection, answer: Answer) -> bool:
    """Record an answer; whether its id was new."""
    row = {name: getattr(answer, name) for name in Answer.__dataclass_fields__}
    row |= {"facts": asdict(answer.facts), "steps": list(answer.steps)}
    return await insert_new(connection, answers, row)


async def find_answer(connection: AsyncConnection, team: str, identity: str) -> Answer | None:
    """Find an answer by its id."""
    query = sa.select(answers).where(answers.c.team == team, answers.c.id == identity)
    row = (await connection.execute(query)).one_or_none()
    return read_answer(row) if row else None


async def find_standing(connection: AsyncConnection, team: str, identity: str) -> Answer | None:
    """Find an answer that was neither replaced nor withdrawn."""
    query = sa.select(answers).where(answers.c.team == team, answers.c.id == identity, _STANDING)
    row = (await connection.execute(query)).one_or_none()
    return read_answer(row) if row else None


async def list_answers(connection: AsyncConnection, team: str, incident: str) -> list[Answer]:
    """List the answers that an incident got and that still stand, oldest first."""
    mine = (answers.c.team == team, answers.c.incident == incident, _STANDING)
    query = sa.select(answers).where(*mine).order_by(answers.c.at, answers.c.id)
    return [read_answer(row) for row in await connection.execute(query)]


async def find_in_thread(
    connection: AsyncConnection, team: str, channel: str, thread: str
) -> Answer | None:
    """Find the latest public answer in a thread."""
    query = (
        sa.select(answers)
        .where(
            answers.c.team == team,
            answers.c.channel == channel,
            answers.c.thread == thread,
            answers.c.source != "ask",
            _STANDING,
        )
        .order_by(answers.c.at.desc())
        .limit(1)
    )
    row: Sequence[Row[Any]] = (await connection.execute(query)).all()
    return read_answer(row[0]) if row else None


async def change_answer(
    connection: AsyncConnection, team: str, identity: str, **values: object
) -> None:
    """Set columns of an answer."""
    mine = (answers.c.team == team, answers.c.id == identity)
    await connection.execute(sa.update(answers).where(*mine).values(**values))
