"""Queries of what becomes of posts and answers: taken over, taken back, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.answers import read_answer
from bot.store.database import insert_new
from bot.store.tables import answers, inbox, incidents, misses, outbox, places, posts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.posts import Post
    from bot.store.answers import Answer


@dataclass(frozen=True, slots=True)
class Place:
    """Who can read a conversation."""

    kind: str
    """channel (public), group, im or mpim, as Slack calls them."""
    is_shared: bool
    """Whether it is a Slack Connect channel."""

    @property
    def is_public(self) -> bool:
        """Whether every member of the workspace, and nobody else, can read it."""
        return self.kind == "channel" and not self.is_shared


async def read_place(connection: AsyncConnection, team: str, channel: str) -> Place | None:
    """Read what is known of a conversation."""
    query = sa.select(places).where(places.c.team == team, places.c.channel == channel)
    row = (await connection.execute(query)).one_or_none()
    return Place(row.kind, row.is_shared) if row else None


async def set_place(connection: AsyncConnection, team: str, channel: str, place: Place) -> None:
    """Note what a conversation is now."""
    change = {"kind": place.kind, "is_shared": place.is_shared}
    if not await insert_new(connection, places, {"team": team, "channel": channel, **change}):
        mine = (places.c.team == team, places.c.channel == channel)
        await connection.execute(sa.update(places).where(*mine).values(change))


async def list_places(connection: AsyncConnection, team: str) -> list[tuple[str, Place]]:
    """List the conversations that the bot hears."""
    query = sa.select(places).where(places.c.team == team).order_by(places.c.channel)
    rows = await connection.execute(query)
    return [(row.channel, Place(row.kind, row.is_shared)) for row in rows]


async def find_last_heard(connection: AsyncConnection, before: float) -> dict[str, float]:
    """When each team's newest event before then was taken in: for the worker that serves them all."""
    query = sa.select(inbox.c.team, sa.func.max(inbox.c.received_at)).where(
        inbox.c.kind == "event", inbox.c.received_at < before
    )
    rows = await connection.execute(query.group_by(inbox.c.team))
    return {row[0]: row[1] for row in rows}


async def has_neighbour(connection: AsyncConnection, post: Post, seconds: float) -> bool:
    """Whether the poster has another post in the channel within so many seconds."""
    at = float(post.ts)
    near = (
        posts.c.team == post.team,
        posts.c.channel == post.channel,
        posts.c.poster == post.poster,
        posts.c.thread.is_(None),
        posts.c.ts != post.ts,
        posts.c.ts.between(f"{at - seconds:.6f}", f"{at + seconds:.6f}"),
        posts.c.outcome != "deleted",
    )
    return (
        await connection.execute(sa.select(posts.c.ts).where(*near).limit(1))
    ).first() is not None


async def list_looked_at(
    connection: AsyncConnection, team: str, channel: str, stamps: Collection[str]
) -> Sequence[Row[Any]]:
    """List what became of some posts of a channel, oldest first."""
    mine = (posts.c.team == team, posts.c.channel == channel, posts.c.ts.in_(stamps))
    return (await connection.execute(sa.select(posts).where(*mine).order_by(posts.c.ts))).all()


async def count_posts(connection: AsyncConnection, team: str, answer: str) -> int:
    """How many posts got this answer, or a line that links to it."""
    query = sa.select(sa.func.count()).select_from(posts)
    mine = (posts.c.team == team, posts.c.answer == answer, posts.c.outcome != "deleted")
    return (await connection.execute(query.where(*mine))).scalar_one()


async def is_linked(connection: AsyncConnection, answer: Answer) -> bool:
    """Whether the line below another post links to an answer."""
    query = sa.select(posts.c.ts).where(
        posts.c.team == answer.team, posts.c.answer == answer.id, posts.c.outcome == "linked"
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def mark_edited(connection: AsyncConnection, post: Post, stamp: str) -> None:
    """Note the newest edit of a post that was looked at."""
    mine = (posts.c.team == post.team, posts.c.channel == post.channel, posts.c.ts == post.ts)
    await connection.execute(sa.update(posts).where(*mine).values(edited=stamp))


async def take_over(connection: AsyncConnection, old: Answer, new: str) -> None:
    """Have an answer's head, for whoever reacts to it, and its posts stand for another one."""
    head = (outbox.c.team == old.team, outbox.c.key == old.head_key)
    await connection.execute(sa.update(outbox).where(*head).values(answer=new, part="head"))
    mine = (posts.c.team == old.team, posts.c.answer == old.id)
    await connection.execute(sa.update(posts).where(*mine).values(answer=new))


async def is_from_another(connection: AsyncConnection, answer: Answer, post: Post) -> bool:
    """Whether another post than this one brought the answer that stands."""
    query = sa.select(posts.c.ts).where(
        posts.c.team == answer.team,
        posts.c.answer == answer.id,
        posts.c.outcome == "revised",
        posts.c.ts != post.ts,
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def list_messages(connection: AsyncConnection, answer: Answer) -> Sequence[Row[Any]]:
    """List the messages that an answer put into its thread, its head too."""
    query = sa.select(outbox).where(
        outbox.c.team == answer.team, outbox.c.answer == answer.id, outbox.c.method == "post"
    )
    return (await connection.execute(query.order_by(outbox.c.id))).all()


async def list_lines(connection: AsyncConnection, post: Post) -> Sequence[Row[Any]]:
    """List the single lines that a post got and that belong to no answer."""
    kinds = ("link", "not_found", "no_picture", "help")
    keys = [f"{what}:{post.channel}:{post.ts}" for what in kinds]
    query = sa.select(outbox).where(
        outbox.c.team == post.team,
        outbox.c.method == "post",
        sa.or_(*(outbox.c.key.startswith(key, autoescape=True) for key in keys)),
    )
    return (await connection.execute(query)).all()


async def cancel(connection: AsyncConnection, team: str, number: int) -> bool:
    """Take back a message that was not tried yet; false where it may be on its way."""
    mine = (outbox.c.team == team, outbox.c.id == number, outbox.c.status == "pending")
    change = sa.update(outbox).where(*mine).values(status="failed", error="taken_back", body=None)
    return bool((await connection.execute(change)).rowcount)


async def forget_trace(connection: AsyncConnection, team: str, incident: str) -> None:
    """Forget the hosts and the job that an incident's posts named."""
    mine = (incidents.c.team == team, incidents.c.id == incident)
    await connection.execute(sa.update(incidents).where(*mine).values(hosts=[], job=None))


async def forget_miss(connection: AsyncConnection, team: str, fingerprint: str) -> None:
    """Take one post back from an unknown error; its line goes with the last one."""
    mine = (misses.c.team == team, misses.c.fingerprint == fingerprint)
    change = sa.update(misses).where(*mine).values(posts=misses.c.posts - 1)
    await connection.execute(change)
    await connection.execute(sa.delete(misses).where(*mine, misses.c.posts < 1))


async def list_latest(
    connection: AsyncConnection, team: str, entry: str, limit: int
) -> list[Answer]:
    """List the latest answers in threads that name an entry, newest first."""
    query = (
        sa.select(answers)
        .where(
            answers.c.team == team,
            answers.c.entry == entry,
            answers.c.source != "ask",
            answers.c.thread.is_not(None),
            answers.c.state == "open",
        )
        .order_by(answers.c.at.desc())
        .limit(limit)
    )
    return [read_answer(row) for row in await connection.execute(query)]
