"""Workspaces that removed the app: their rows go, and so does what still arrives of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import installations as store

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core

LINGER = 2 * 86_400.0
"""Seconds for which Slack may still deliver something of a workspace that left."""


async def delete_workspace(core: Core, team: str) -> None:
    """Delete every row of a workspace, at once."""
    async with core.database.write() as connection:
        await delete_rows(connection, team, core.now())
    core.ledger.forget(team)


async def delete_rows(connection: AsyncConnection, team: str, now: float) -> None:
    """Delete every row of a workspace; what is still written for it goes as it comes."""
    await store.delete_team(connection, team)
    await store.note_departure(connection, team, now)


async def delete_latecomers(core: Core) -> None:
    """Delete what was written for workspaces after they left, by work that was under way."""
    async with core.database.read() as connection:
        left = await store.list_departed(connection)
    for row in left:
        async with core.database.write() as connection:
            await store.delete_team(connection, row.team)
            if core.now() - row.at < LINGER:
                await store.note_departure(connection, row.team, row.at)
