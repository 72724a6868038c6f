"""`nccl-bot db upgrade`: bring the database up to date, as `run` does at start."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from bot.settings import Settings, read_settings

if TYPE_CHECKING:
    import argparse


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("db", help="look after the database")
    parser.add_argument("action", choices=["upgrade"], help="run the migrations that are missing")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Run the migrations that are missing."""
    settings = read_settings(file=arguments.config)
    asyncio.run(_upgrade(settings))
    print("the database is up to date")
    return 0


async def _upgrade(settings: Settings) -> None:
    from bot.store.database import Database  # noqa: PLC0415  slow to import
    from bot.store.migrate import upgrade  # noqa: PLC0415

    database = Database(settings.resolved_database_url)
    try:
        await upgrade(database)
    finally:
        await database.close()
