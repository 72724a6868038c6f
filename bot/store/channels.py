"""Queries of what was set for a channel."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.guided_tables import snoozes
from bot.store.tables import channels, outbox

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

ALL = ""
"""Stands for every entry in a snooze."""


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """How the bot behaves in one channel."""

    mode: str = "on"
    """on, asked (only when addressed), shadow or off."""
    threshold: float | None = None
    bots: tuple[str, ...] = ()
    owners: str | None = None
    """Id of a user group."""
    jobs: bool = False
    """Whether failed jobs are posted here, wherever the settings say."""
    greeted_at: float | None = None


async def read_channel(connection: AsyncConnection, team: str, channel: str) -> ChannelSettings:
    """Read the settings of a channel; the defaults where none were made."""
    query = sa.select(channels).where(channels.c.team == team, channels.c.channel == channel)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return ChannelSettings()
    return ChannelSettings(
        row.mode, row.threshold, tuple(row.bots), row.owners, row.jobs, row.greeted_at
    )


async def write_channel(
    connection: AsyncConnection, team: str, channel: str, settings: ChannelSettings
) -> None:
    """Keep the settings of a channel; the job feed is one channel of a team."""
    mine = (channels.c.team == team, channels.c.channel == channel)
    if settings.jobs:
        others = (channels.c.team == team, channels.c.channel != channel)
        await connection.execute(sa.update(channels).where(*others).values(jobs=False))
    values = {**asdict(settings), "bots": list(settings.bots)}
    if not await insert_new(connection, channels, {"team": team, "channel": channel, **values}):
        await connection.execute(sa.update(channels).where(*mine).values(values))


async def find_job_feed(connection: AsyncConnection, team: str) -> str | None:
    """Find the channel that was set to show failed jobs."""
    query = sa.select(channels.c.channel).where(channels.c.team == team, channels.c.jobs)
    return (await connection.execute(query.limit(1))).scalar_one_or_none()


async def list_owned(connection: AsyncConnection, team: str, groups: list[str]) -> list[str]:
    """List the channels whose owners are one of the groups."""
    mine = (channels.c.team == team, channels.c.owners.in_(groups))
    query = sa.select(channels.c.channel).where(*mine).order_by(channels.c.channel)
    return list((await connection.execute(query)).scalars())


async def greet_once(connection: AsyncConnection, team: str, channel: str, now: float) -> bool:
    """Note that a channel was greeted; false where it was before."""
    row = {"team": team, "channel": channel, "mode": "on", "bots": [], "greeted_at": now}
    if await insert_new(connection, channels, row):
        return True
    mine = (channels.c.team == team, channels.c.channel == channel, channels.c.greeted_at.is_(None))
    noted = await connection.execute(sa.update(channels).where(*mine).values(greeted_at=now))
    return bool(noted.rowcount)


async def snooze(
    connection: AsyncConnection, team: str, channel: str, entry: str, until: float
) -> None:
    """Leave an entry, or all, unanswered in a channel until then; a time gone by ends it."""
    mine = (
        snoozes.c.team == team,
        snoozes.c.channel == channel,
        snoozes.c.entry == entry,
    )
    row = {"team": team, "channel": channel, "entry": entry, "until": until}
    if not await insert_new(connection, snoozes, row):
        await connection.execute(sa.update(snoozes).where(*mine).values(until=until))


async def end_snoozes(connection: AsyncConnection, now: float) -> list[tuple[str, str, str]]:
    """Forget the snoozes that ran out; the team, the channel and the entry of each, of every team."""
    query = sa.select(snoozes.c.team, snoozes.c.channel, snoozes.c.entry)
    rows = await connection.execute(query.where(snoozes.c.until <= now))
    ended = [(row.team, row.channel, row.entry) for row in rows]
    if ended:
        await connection.execute(sa.delete(snoozes).where(snoozes.c.until <= now))
    return ended


async def find_last_notice(connection: AsyncConnection, team: str, prefix: str) -> str | None:
    """Find the key of the newest post whose key begins like this."""
    query = sa.select(outbox.c.key).where(
        outbox.c.team == team,
        outbox.c.method == "post",
        outbox.c.key.startswith(prefix, autoescape=True),
    )
    newest = await connection.execute(query.order_by(outbox.c.id.desc()).limit(1))
    return newest.scalar_one_or_none()


async def list_snoozed(
    connection: AsyncConnection, team: str, channel: str, now: float
) -> dict[str, float]:
    """List what is snoozed in a channel now, and until when."""
    query = sa.select(snoozes.c.entry, snoozes.c.until).where(
        snoozes.c.team == team, snoozes.c.channel == channel, snoozes.c.until > now
    )
    return {row.entry: row.until for row in await connection.execute(query)}
