"""Queries of the outbox, which is also the map from a message to its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.tables import early_reactions, outbox
from bot.store.workspace_tables import paces

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.seal import Seal

Method = Literal["post", "update", "delete", "ephemeral", "respond"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send: `body` are the arguments of the method."""

    team: str
    key: str
    method: Method
    channel: str
    body: dict[str, Any] = field(repr=False)
    thread: str | None = None
    target: str | None = None
    """Key of the message that an update or delete is about."""
    thread_of: str | None = None
    """Key of the message under which this one goes, where its time stamp is not known yet."""
    answer: str | None = None
    part: str | None = None
    """`head`, `job`, `line` or `step:<id>`: what a reaction to it is about."""
    lane: str | None = None
    """Messages of one lane go in order; the thread where not given."""

    @property
    def row(self) -> dict[str, Any]:
        """The columns that do not change."""
        return {
            "team": self.team,
            "key": self.key,
            "method": self.method,
            "channel": self.channel,
            "lane": self.lane or self.thread or self.thread_of or self.target or self.key,
            "target": self.target,
            "answer": self.answer,
            "part": self.part,
        }

    @property
    def content(self) -> dict[str, Any]:
        """What is sealed."""
        place = {"thread_ts": self.thread} if self.thread and self.method != "update" else {}
        return {**self.body, **place, "thread_of": self.thread_of}


async def enqueue(connection: AsyncConnection, seal: Seal, message: Outgoing, now: float) -> bool:
    """Add a message; whether its key was new."""
    row = {
        **message.row,
        "status": "pending",
        "attempts": 0,
        "body": seal.close(message.content),
        "created_at": now,
        "not_before": now,
    }
    return await insert_new(connection, outbox, row)


async def replace_pending(
    connection: AsyncConnection, seal: Seal, message: Outgoing, now: float
) -> None:
    """Add an update, in the place of one about the same message that was not sent yet."""
    assert message.target is not None
    waiting = (
        outbox.c.team == message.team,
        outbox.c.target == message.target,
        outbox.c.method == message.method,
        outbox.c.status == "pending",
    )
    change = {"body": seal.close(message.content)}
    replaced = await connection.execute(sa.update(outbox).where(*waiting).values(change))
    if not replaced.rowcount:
        await enqueue(connection, seal, message, now)


async def list_pending(connection: AsyncConnection, limit: int) -> Sequence[Row[Any]]:
    """Messages to send, oldest first, of every team: the sender serves them all."""
    waiting = outbox.c.status.in_(("pending", "sending"))
    query = sa.select(outbox).where(waiting).order_by(outbox.c.id).limit(limit)
    return (await connection.execute(query)).all()


async def count_pending(connection: AsyncConnection) -> int:
    """How many messages wait, of every team."""
    query = (
        sa.select(sa.func.count())
        .select_from(outbox)
        .where(outbox.c.status.in_(("pending", "sending")))
    )
    return (await connection.execute(query)).scalar_one()


async def claim(
    connection: AsyncConnection, numbers: Collection[int], worker: str, until: float
) -> None:
    """Take messages of any team to send them, away from other processes."""
    lease = {"status": "sending", "worker": worker, "leased_until": until}
    await connection.execute(sa.update(outbox).where(outbox.c.id.in_(numbers)).values(lease))


async def renew(
    connection: AsyncConnection, worker: str, numbers: Collection[int], until: float
) -> None:
    """Keep other processes from messages, of any team, that are still being sent."""
    mine = (outbox.c.worker == worker, outbox.c.id.in_(numbers))
    await connection.execute(sa.update(outbox).where(*mine).values(leased_until=until))


async def settle(connection: AsyncConnection, team: str, number: int, **values: object) -> None:
    """Set columns of a message that nobody is sending any more."""
    mine = (outbox.c.team == team, outbox.c.id == number)
    values |= {"worker": None, "leased_until": None}
    await connection.execute(sa.update(outbox).where(*mine).values(**values))


async def read_paces(
    connection: AsyncConnection, channels: Collection[str]
) -> dict[tuple[str, str, str], float]:
    """When the buckets of channels are full, by team, channel and method; of every team."""
    query = sa.select(paces).where(paces.c.channel.in_(channels))
    found = await connection.execute(query)
    return {(row.team, row.channel, row.method): row.free_at for row in found}


async def set_pace(
    connection: AsyncConnection, team: str, channel: str, method: str, free_at: float
) -> None:
    """Set when a bucket is full."""
    row = {"team": team, "channel": channel, "method": method, "free_at": free_at}
    if not await insert_new(connection, paces, row):
        mine = (paces.c.team == team, paces.c.channel == channel, paces.c.method == method)
        await connection.execute(sa.update(paces).where(*mine).values(free_at=free_at))


async def find_by_key(connection: AsyncConnection, team: str, key: str) -> Row[Any] | None:
    """Find the message of a key."""
    query = sa.select(outbox).where(outbox.c.team == team, outbox.c.key == key)
    return (await connection.execute(query)).one_or_none()


async def find_by_ts(
    connection: AsyncConnection, team: str, channel: str, ts: str
) -> Row[Any] | None:
    """Find the message that stands at `ts` of a channel."""
    query = sa.select(outbox).where(
        outbox.c.team == team,
        outbox.c.channel == channel,
        outbox.c.ts == ts,
        outbox.c.method == "post",
    )
    return (await connection.execute(query)).first()


async def has_unsent(connection: AsyncConnection, team: str, channel: str) -> bool:
    """Whether a message to the channel has no known time stamp yet."""
    query = sa.select(outbox.c.id).where(
        outbox.c.team == team,
        outbox.c.channel == channel,
        outbox.c.method == "post",
        outbox.c.status.in_(("pending", "sending")),
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def sweep(connection: AsyncConnection, before: float) -> None:
    """Forget ended edits and private messages from before then, of every team.

    So it goes with reactions to nothing of ours, and with buckets full for long.

    Posted messages stay: votes on them may come at any time.
    """
    ended = (
        outbox.c.status.in_(("sent", "failed")),
        outbox.c.method != "post",
        outbox.c.created_at < before,
    )
    await connection.execute(sa.delete(outbox).where(*ended))
    await connection.execute(sa.delete(early_reactions).where(early_reactions.c.at < before))
    await connection.execute(sa.delete(paces).where(paces.c.free_at < before))
