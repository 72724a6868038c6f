"""What the commands about votes share: the database, the team and its log."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb, load_kb
from bot.errors import UsageError
from bot.seal import read_key
from bot.settings import Settings, read_settings
from bot.store import events
from bot.store.database import Database
from bot.store.migrate import upgrade
from bot.voters import Voters, make_voters

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Awaitable, Callable

    from rules.load import KnowledgeBase
    from rules.votes import Event


@dataclass(frozen=True, slots=True)
class Evidence:
    """A team's log, and all that reading it takes."""

    settings: Settings
    kb: KnowledgeBase
    database: Database
    voters: Voters
    team: str
    """Empty where there is no log and none was named."""

    async def read_log(self) -> list[Event]:
        """Return the team's log, voters behind pseudonyms."""
        async with self.database.read() as connection:
            rows = await events.list_after(connection, self.team, 0)
        return [self.voters.disguise(event) for _, event in rows]

    async def read_names(self) -> dict[str, str]:
        """Return the user ids that are still known, by pseudonym."""
        async with self.database.read() as connection:
            return self.voters.unmask(await events.list_voters(connection, self.team))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that find the log."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    parser.add_argument(
        "--team", metavar="ID", help="the workspace, where the database has several"
    )
    add_kb(parser)


def run_on(arguments: argparse.Namespace, work: Callable[[Evidence], Awaitable[int]]) -> int:
    """Do `work` on the log that the options find. Raises UsageError where there is none such."""

    async def run() -> int:
        async with _open(arguments) as evidence:
            return await work(evidence)

    return asyncio.run(run())


@asynccontextmanager
async def _open(arguments: argparse.Namespace) -> AsyncIterator[Evidence]:
    settings = read_settings(file=arguments.config)
    arguments.kb = [*(arguments.kb or ()), *settings.kb_dirs]
    kb = await asyncio.to_thread(load_kb, arguments)
    try:
        key = settings.key.get_secret_value() if settings.key else None
        voters = make_voters(read_key(key, settings.data_dir))
    except OSError as error:
        raise UsageError(f"cannot read the key in {settings.data_dir}: {error.strerror}") from error
    database = Database(settings.resolved_database_url)
    try:
        await upgrade(database)
        team = await _choose_team(database, arguments.team)
        yield Evidence(settings, kb, database, voters, team)
    finally:
        await database.close()


async def _choose_team(database: Database, given: str | None) -> str:
    if given:
        return given
    async with database.read() as connection:
        teams = await events.list_teams(connection)
    if len(teams) > 1:
        raise UsageError(
            f"the database has several workspaces, name one with --team: {', '.join(teams)}"
        )
    return teams[0] if teams else ""
