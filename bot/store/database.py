"""The connection: SQLite in WAL mode or PostgreSQL, with the same code."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sqlalchemy.engine.interfaces import DBAPIConnection

_LOCK = 0x6E63636C
"""Number of the advisory lock that puts writers of one PostgreSQL database in a row."""


class UnreachableError(sa.exc.SQLAlchemyError):
    """The database cannot be connected to; it may be up again later."""


class Database:
    """One engine; `read` and `write` are the only ways in.

    Writers stand in a row, so that what a writer read stays true until it commits.
    """

    def __init__(self, url: str) -> None:
        self.engine = _create_engine(url)
        self._writer = asyncio.Lock()
        self._after_commit: list[Callable[[], None]] = []

    @property
    def is_sqlite(self) -> bool:
        """Whether the file is ours alone to lock."""
        return self.engine.dialect.name == "sqlite"

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Read a connection for queries."""
        async with self._connect() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Return a transaction, alone among writers; commits where the block ends well."""
        async with self._writer, self._connect() as connection:
            if self.is_sqlite:
                await connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            self._after_commit.clear()
            try:
                yield connection
            except BaseException:
                await connection.rollback()
                raise
            await connection.commit()
            for act in self._after_commit:
                act()

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[AsyncConnection]:
        async with AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(self.engine.connect())
            except sa.exc.SQLAlchemyError:
                raise
            except Exception as error:
                # What the driver raises while it connects comes as it is: OSError, or its own.
                raise UnreachableError(type(error).__name__) from error
            yield connection

    def on_commit(self, act: Callable[[], None]) -> None:
        """Have `act` called once the open write has committed, before the next one begins."""
        self._after_commit.append(act)

    async def close(self) -> None:
        """Give back every connection."""
        await self.engine.dispose()


async def insert_new(connection: AsyncConnection, table: sa.Table, values: dict[str, Any]) -> bool:
    """Insert a row unless its unique key is there already; whether it was new."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(table).values(values).on_conflict_do_nothing()
    result = await connection.execute(statement)
    return bool(result.rowcount)


def _create_engine(url: str) -> AsyncEngine:
    # The errors of a wrong address show it, and with it a password.
    if _read_backend(url) not in {"sqlite", "postgresql"}:
        raise UsageError("NCCL_BOT_DATABASE_URL is no address of SQLite or PostgreSQL")
    try:
        engine = create_async_engine(url, hide_parameters=True)
    except ModuleNotFoundError as error:
        message = f"the database needs the package {error.name}: pip install {error.name}"
        raise UsageError(message) from None
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


def _read_backend(url: str) -> str | None:
    try:
        address = sa.make_url(url)
        return address.get_backend_name() if (address.port or 0) in range(1 << 16) else None
    except (sa.exc.ArgumentError, ValueError):  # ValueError where the port is no number.
        return None


def _set_up_sqlite(connection: DBAPIConnection, _: object) -> None:
    # The driver's own BEGIN is deferred: a reader that turns writer would then fail as busy.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "busy_timeout=10000",
        "foreign_keys=ON",
        "secure_delete=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
