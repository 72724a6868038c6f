"""Migrations, and the same code on both databases."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.errors import UsageError
from bot.store.database import Database, insert_new
from bot.store.migrate import DatabaseError, upgrade
from bot.store.tables import channels, metadata

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy import Connection


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)],
)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite+aiosqlite:///{tmp_path / 'bot.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    made = Database(url)
    yield made
    async with made.engine.begin() as connection:
        await connection.run_sync(metadata.drop_all)
        await connection.execute(sa.text("DROP TABLE IF EXISTS alembic_version"))
    await made.close()


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


async def test_migrations_make_what_the_tables_say_and_run_again_unharmed(
    database: Database,
) -> None:
    await upgrade(database)
    await upgrade(database)
    async with database.read() as connection:
        found = await connection.run_sync(differences)

    assert found == []


async def test_a_second_row_with_the_same_key_is_no_new_one(database: Database) -> None:
    await upgrade(database)
    row = {"team": "T1", "channel": "C1", "mode": "on", "bots": []}
    async with database.write() as connection:
        assert await insert_new(connection, channels, row)
        assert not await insert_new(connection, channels, row)
        assert await insert_new(connection, channels, {**row, "team": "T2"})


async def test_a_write_that_fails_leaves_nothing_and_tells_nobody(database: Database) -> None:
    await upgrade(database)
    told: list[str] = []
    row = {"team": "T1", "channel": "C1", "mode": "on", "bots": []}
    with suppress(ZeroDivisionError):
        async with database.write() as connection:
            await insert_new(connection, channels, row)
            database.on_commit(lambda: told.append("failed"))
            raise ZeroDivisionError
    async with database.write() as connection:
        database.on_commit(lambda: told.append("done"))
        assert (await connection.execute(sa.select(channels))).all() == []

    assert told == ["done"]


def test_every_table_belongs_to_a_team() -> None:
    keyed = {
        name
        for name, table in metadata.tables.items()
        if not any("team" in columns for columns in _keys(table))
    }

    # A consent comes back before anybody knows of which workspace.
    assert keyed == {"consents"}


def _keys(table: sa.Table) -> list[list[str]]:
    unique = [
        list(c.columns.keys()) for c in table.constraints if isinstance(c, sa.UniqueConstraint)
    ]
    indexes = [list(index.columns.keys()) for index in table.indexes]
    return [list(table.primary_key.columns.keys()), *unique, *indexes]


async def test_a_database_that_cannot_be_used_is_named_without_its_password(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    for url in (
        f"sqlite+aiosqlite:///{tmp_path / 'file' / 'bot.db'}",
        "postgresql+asyncpg://bot:pass-word@127.0.0.1:9/nowhere",
    ):
        database = Database(url)
        with pytest.raises(UsageError) as error:
            await upgrade(database)
        await database.close()

        assert "cannot use the database" in str(error.value)
        assert "pass-word" not in str(error.value)


async def test_a_database_of_a_newer_version_is_said_to_be_one(database: Database) -> None:
    await upgrade(database)
    async with database.write() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(DatabaseError, match="newer nccl-bot"):
        await upgrade(database)


async def test_what_the_driver_raises_while_it_connects_is_an_error_of_the_database() -> None:
    database = Database("postgresql+asyncpg://nobody@127.0.0.1:9/nothing")
    for enter in (database.read, database.write):
        with pytest.raises(sa.exc.SQLAlchemyError):
            async with enter():
                pass
    await database.close()
