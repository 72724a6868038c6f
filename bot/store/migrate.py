"""Bringing a database up to the newest revision, at start and by command."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bot.store.database import Database

MIGRATIONS = Path(__file__).parent / "migrations"


_LOOK = "look at NCCL_BOT_DATA_DIR and NCCL_BOT_DATABASE_URL, which must be those of the bot"


class DatabaseError(UsageError):
    """The database cannot be used; the text says which and why."""


def find_unmade(database: Database) -> Path | None:
    """Return the database file that is not there yet."""
    name = database.engine.url.database
    if not database.is_sqlite or name in {None, "", ":memory:"}:
        return None
    path = Path(str(name))
    return None if path.exists() else path


async def upgrade(database: Database, *, make: bool = True) -> None:
    """Run the migrations that are missing.

    Raises DatabaseError where the database cannot be reached or written, where a newer version wrote
    it, and unless it is to be made, where there is none.
    """
    try:
        if not make and (unmade := find_unmade(database)) is not None:
            raise DatabaseError(f"there is no database {unmade}: {_LOOK}")
        if database.is_sqlite and database.engine.url.database not in {None, "", ":memory:"}:
            folder = Path(str(database.engine.url.database)).parent
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        async with database.engine.connect() as connection:
            if database.is_sqlite:
                await connection.exec_driver_sql("BEGIN IMMEDIATE")
            if not make and await connection.run_sync(_read_revision) is None:
                raise DatabaseError(f"the database {_say(database)} is not the bot's: {_LOOK}")
            await connection.run_sync(_upgrade)
            await connection.commit()
    except CommandError:
        message = (
            f"{_say(database)} was written by a newer nccl-bot: install that version or a later one"
        )
        raise DatabaseError(message) from None
    except (SQLAlchemyError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        message = f"cannot use the database {_say(database)}: {reason}"
        raise DatabaseError(message) from None


def _say(database: Database) -> str:
    return make_url(str(database.engine.url)).render_as_string(hide_password=True)


def _read_revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
