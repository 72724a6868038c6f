"""`nccl-bot db`: bring the database up to date, and delete all that it has of one workspace."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.settings import Settings, read_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from bot.store.database import Database


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its actions."""
    parser = commands.add_parser("db", help="look after the database")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    newest = actions.add_parser("upgrade", help="run the migrations that are missing")
    newest.set_defaults(handle=_run_upgrade)
    forget = actions.add_parser(
        "forget",
        help="delete every row of a workspace",
        description="For a workspace whose leaving the bot did not hear of, or that asks for it. "
        "Its votes and rates go too; there is no way back. Exit code 1: nothing was deleted.",
    )
    forget.add_argument("team", metavar="TEAM", help="the workspace's id (T...)")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    forget.set_defaults(handle=_run_forget)
    for action in (newest, forget):
        action.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")


def _run_upgrade(arguments: argparse.Namespace) -> int:
    asyncio.run(_upgrade(read_settings(file=arguments.config)))
    print("the database is up to date")
    return 0


async def _upgrade(settings: Settings) -> None:
    async with _open(settings, make=True):
        pass


def _run_forget(arguments: argparse.Namespace) -> int:
    return asyncio.run(
        _forget(read_settings(file=arguments.config), arguments.team, sure=arguments.yes)
    )


async def _forget(settings: Settings, team: str, *, sure: bool) -> int:
    from bot.departures import delete_rows  # noqa: PLC0415  slow to import
    from bot.store import installations as store  # noqa: PLC0415

    async with _open(settings, make=False) as database:
        async with database.read() as connection:
            rows = await store.count_rows(connection, team)
        if not rows:
            raise UsageError(f"nothing is kept of {team}: look at the id, it begins with T")
        if not (sure or _confirm(team, rows)):
            print("nothing was deleted")
            return 1
        async with database.write() as connection:
            if settings.installs:
                await delete_rows(connection, team, time.time())
            else:
                # The one workspace of a bot that goes on: what it writes from now on stays.
                await store.delete_team(connection, team)
    print(f"{rows} rows of {team} deleted")
    return 0


def _confirm(team: str, rows: int) -> bool:
    """Ask on the terminal; only the id itself is a yes."""
    print(f"{rows} rows of {team} will be deleted, its votes among them. There is no way back.")
    print(f"Type {team} to delete them: ", end="", flush=True)
    return sys.stdin is not None and sys.stdin.readline().strip() == team


@asynccontextmanager
async def _open(settings: Settings, *, make: bool) -> AsyncIterator[Database]:
    from bot.store.database import Database  # noqa: PLC0415  slow to import
    from bot.store.migrate import upgrade  # noqa: PLC0415

    database = Database(settings.resolved_database_url)
    try:
        await upgrade(database, make=make)
        yield database
    finally:
        await database.close()
