"""Queries of what was set for a channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from bot.store.tables import channels

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """How the bot behaves in one channel."""

    mode: str = "on"
    """on, asked (only when addressed), shadow or off."""
    threshold: float | None = None
    bots: tuple[str, ...] = ()
    owners: str | None = None
    greeted_at: float | None = None


async def read_channel(connection: AsyncConnection, team: str, channel: str) -> ChannelSettings:
    """Read the settings of a channel; the defaults where none were made."""
    query = sa.select(channels).where(channels.c.team == team, channels.c.channel == channel)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return ChannelSettings()
    return ChannelSettings(row.mode, row.threshold, tuple(row.bots), row.owners, row.greeted_at)
