"""Checks of this machine: database, key, knowledge base, port."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import SQLAlchemyError

from bot.doctor.finding import Finding, fail, warn, well
from bot.errors import UsageError
from bot.seal import KEY_FILE, Seal, SealError, read_key
from bot.store.database import Database
from bot.store.migrate import MIGRATIONS, find_unmade
from bot.store.tables import channels
from rules.lint import Severity, lint
from rules.load import read, shipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.settings import Settings

_TRIAL = "nccl_bot_doctor"
_PAGE = "<title>Playground</title>"


async def examine_database(settings: Settings) -> tuple[Finding, tuple[str, ...]]:
    """Try the database without changing it; what was found, and the channels it knows of."""
    try:
        database = Database(settings.resolved_database_url)
    except UsageError as error:
        return fail("database", str(error), "look at NCCL_BOT_DATABASE_URL"), ()
    address = database.engine.url.render_as_string(hide_password=True)
    try:
        if (unmade := find_unmade(database)) is not None:
            return _examine_folder(unmade.parent), ()
        async with database.engine.connect() as connection:
            known = await _list_channels(connection)
            current = await connection.run_sync(_read_revision)
            await connection.rollback()
            await _try_writing(connection, database)
    except (SQLAlchemyError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        mend = "look at NCCL_BOT_DATABASE_URL, the server, and who may write there"
        return fail("database", f"cannot use {address}: {reason}", mend), ()
    finally:
        await database.close()
    return _judge_revision(address, current), known


def _examine_folder(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if os.access(existing, os.W_OK | os.X_OK):
        return well("database", f"none yet; the first start makes it in {folder}")
    mend = f"make {folder} writable for this user, or set NCCL_BOT_DATA_DIR"
    return fail("database", f"cannot be made: {existing} is not writable", mend)


async def _list_channels(connection: AsyncConnection) -> tuple[str, ...]:
    exists = await connection.run_sync(lambda c: sa.inspect(c).has_table(channels.name))
    if not exists:
        return ()
    query = sa.select(channels.c.channel).where(channels.c.mode != "off").distinct()
    return tuple((await connection.execute(query)).scalars())


def _read_revision(connection: sa.Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


async def _try_writing(connection: AsyncConnection, database: Database) -> None:
    """Make a table and take it back: what the migrations have to be able to do."""
    if database.is_sqlite:
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
    await connection.exec_driver_sql(f"CREATE TABLE {_TRIAL} (number INTEGER)")
    await connection.rollback()


def _judge_revision(address: str, current: str | None) -> Finding:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    newest = script.get_current_head()
    if current == newest:
        return well("database", f"{address} is writable and up to date ({current})")
    if current is not None and current not in {each.revision for each in script.walk_revisions()}:
        said = f"{address} was written by a newer nccl-bot (revision {current})"
        return fail("database", said, "install the version that wrote it, or a newer one")
    said = f"{address} is at revision {current or 'none'}, the newest is {newest}"
    return warn("database", said, "nccl-bot db upgrade, or the next start, brings it up to date")


def examine_key(settings: Settings) -> Finding:
    """Whether the key is one, and whether others on this machine could read it."""
    path = settings.data_dir / KEY_FILE
    if settings.key is None and not path.exists():
        return well("key", f"none yet; the first start makes {path}")
    try:
        Seal(read_key(settings.key.get_secret_value() if settings.key else None, settings.data_dir))
    except SealError as error:
        mend = "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"
        return fail("key", str(error), f"make one in Python: {mend}")
    except OSError as error:
        return fail(
            "key", f"{path} cannot be read ({error.strerror})", f"chown it to this user: {path}"
        )
    return well("key", "from NCCL_BOT_KEY") if settings.key else _judge_key_file(settings, path)


def _judge_key_file(settings: Settings, path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return fail("key", f"{path} is open to others ({mode:o})", f"chmod 600 {path}")
    if not settings.resolved_database_url.startswith("sqlite"):
        mend = "where other processes share the database, give all of them one NCCL_BOT_KEY"
        return warn("key", f"{path}, which other machines do not have", mend)
    return well("key", f"{path}, readable by its owner alone")


def examine_kb(directories: Sequence[Path]) -> list[Finding]:
    """Whether every entry can be read, and what the lint says."""
    reading = read([shipped(), *directories])
    if reading.errors:
        first, more = reading.errors[0], len(reading.errors) - 1
        said = f"{first}" + (f" (and {more} more)" if more else "")
        return [fail("knowledge base", said, "nccl-bot kb lint names each, with its line")]
    base = reading.base
    found = [well("knowledge base", f"{len(base.entries)} entries, version {base.version}")]
    # What ships has been linted; what a team adds may not have been.
    added = {key for key, source in reading.sources.items() if not _ships(source.path)}
    issues = lint(reading, added) if added else []
    if issues:
        errors = sum(issue.severity is Severity.ERROR for issue in issues)
        said = f"lint of {len(added)} added: {errors} errors, {len(issues) - errors} warnings"
        found.append(warn("knowledge base", said, "nccl-bot kb lint says what and how to mend it"))
    return found


def _ships(path: str) -> bool:
    return Path(path).is_relative_to(shipped())


async def examine_port(settings: Settings) -> Finding:
    """Whether the port is free, or a bot or the playground's page has it already."""
    place = f"[{settings.host}]" if ":" in settings.host else settings.host
    place = f"{place}:{settings.port}"
    try:
        server = await asyncio.start_server(lambda *_: None, settings.host, settings.port)
    except OSError as error:
        if await _fetch(f"http://{place}/healthz") == "ok":
            return well("port", f"{place} is served by a running bot")
        if settings.mode == "playground" and _PAGE in await _fetch(f"http://{place}/"):
            return well("port", f"{place} is served by a running playground")
        mend = "set another NCCL_BOT_PORT, or end what uses it"
        return fail("port", f"cannot listen on {place} ({error.strerror or error})", mend)
    server.close()
    await server.wait_closed()
    return well("port", f"{place} is free")


async def _fetch(url: str) -> str:
    """Fetch a text; empty where there is none such."""
    timeout = aiohttp.ClientTimeout(total=5)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as response:
            return await response.text() if response.status == 200 else ""
    except (TimeoutError, aiohttp.ClientError, OSError, UnicodeDecodeError):
        return ""
