"""Queries of the workspaces that installed the app by OAuth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new
from bot.store.tables import ledgers, metadata
from bot.store.workspace_tables import consents, departed, installations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class Installation:
    """What Slack said when a workspace installed the app; `tokens` are sealed."""

    team: str
    enterprise: str | None
    bot_user: str
    bot_id: str
    url: str
    tokens: bytes = field(repr=False)
    expires_at: float | None
    installed_at: float


async def save(connection: AsyncConnection, installation: Installation) -> None:
    """Keep an installation, in the place of an earlier one of the workspace."""
    team = installation.team
    row = {name: getattr(installation, name) for name in Installation.__dataclass_fields__}
    row["refreshing_until"] = None
    await connection.execute(sa.delete(departed).where(departed.c.team == team))
    if not await insert_new(connection, installations, row):
        mine = installations.c.team == team
        await connection.execute(sa.update(installations).where(mine).values(row))
    # Whoever still holds rates from before the workspace left must replay its log.
    fresh = {"team": team, "rewrites": int(installation.installed_at)}
    await insert_new(connection, ledgers, fresh)


async def find(connection: AsyncConnection, team: str) -> Row[Any] | None:
    """Find the installation in a workspace."""
    query = sa.select(installations).where(installations.c.team == team)
    return (await connection.execute(query)).one_or_none()


async def list_all(connection: AsyncConnection) -> Sequence[Row[Any]]:
    """List every installation: for the doctor, who tries each."""
    query = sa.select(installations).order_by(installations.c.team)
    return (await connection.execute(query)).all()


async def list_teams(connection: AsyncConnection) -> Sequence[str]:
    """List the workspaces that have the app: for whoever serves every team."""
    query = sa.select(installations.c.team).order_by(installations.c.team)
    return (await connection.execute(query)).scalars().all()


async def claim_refresh(connection: AsyncConnection, team: str, now: float, until: float) -> bool:
    """Take the refreshing of a workspace's token upon oneself; false where another does it."""
    lease = installations.c.refreshing_until
    mine = (installations.c.team == team, sa.or_(lease.is_(None), lease <= now))
    change = sa.update(installations).where(*mine).values(refreshing_until=until)
    return bool((await connection.execute(change)).rowcount)


async def set_tokens(
    connection: AsyncConnection, team: str, tokens: bytes, expires_at: float | None
) -> None:
    """Keep refreshed tokens."""
    change = {"tokens": tokens, "expires_at": expires_at, "refreshing_until": None}
    mine = installations.c.team == team
    await connection.execute(sa.update(installations).where(mine).values(change))


async def use_state(connection: AsyncConnection, state: str, now: float, before: float) -> bool:
    """Take a consent's state; false where it was taken before. Those older than `before` go.

    It is for every team: whose consent it is, nobody knows yet.
    """
    await connection.execute(sa.delete(consents).where(consents.c.at < before))
    return await insert_new(connection, consents, {"state": state, "at": now})


async def count_rows(connection: AsyncConnection, team: str) -> int:
    """Count every row of a workspace, in every table."""
    total = 0
    for table in metadata.sorted_tables:
        if "team" in table.c:
            mine = sa.select(sa.func.count()).select_from(table).where(table.c.team == team)
            total += int((await connection.execute(mine)).scalar_one())
    return total


async def delete_team(connection: AsyncConnection, team: str) -> None:
    """Delete every row of a workspace, from every table."""
    for table in reversed(metadata.sorted_tables):
        if "team" in table.c:
            await connection.execute(sa.delete(table).where(table.c.team == team))


async def note_departure(connection: AsyncConnection, team: str, now: float) -> None:
    """Note that a workspace left, for what may still arrive of it."""
    await insert_new(connection, departed, {"team": team, "at": now})


async def list_departed(connection: AsyncConnection) -> Sequence[Row[Any]]:
    """List workspaces that left lately: for whoever serves every team."""
    return (await connection.execute(sa.select(departed))).all()
