"""Bringing a database up to the newest revision, at start and by command."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bot.store.database import Database

MIGRATIONS = Path(__file__).parent / "migrations"


class DatabaseError(UsageError):
    """The database cannot be used; the text says which and why."""


async def upgrade(database: Database) -> None:
    """Run the migrations that are missing.

    Raises DatabaseError where the database cannot be reached or written.
    """
    try:
        if database.is_sqlite and database.engine.url.database not in {None, "", ":memory:"}:
            folder = Path(str(database.engine.url.database)).parent
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        async with database.engine.connect() as connection:
            if database.is_sqlite:
                await connection.exec_driver_sql("BEGIN IMMEDIATE")
            await connection.run_sync(_upgrade)
            await connection.commit()
    except (SQLAlchemyError, OSError) as error:
        address = make_url(str(database.engine.url)).render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        message = f"cannot use the database {address}: {reason}"
        raise DatabaseError(message) from None


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
