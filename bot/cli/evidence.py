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


def run_on(
    arguments: argparse.Namespace,
    work: Callable[[Evidence], Awaitable[int]],
    *,
    make: bool = False,
) -> int:
    """Do `work` on the log that the options find.

    Raises UsageError where there is none such, unless one is to be made.
    """

    async def run() -> int:
        async with _open(arguments, make=make) as evidence:
            return await work(evidence)

    return asyncio.run(run())


@asynccontextmanager
async def _open(arguments: argparse.Namespace, *, make: bool) -> AsyncIterator[Evidence]:
    settings = read_settings(file=arguments.config)
    arguments.kb = [*(arguments.kb or ()), *settings.kb_dirs]
    kb = await asyncio.to_thread(load_kb, arguments)
    database = Database(settings.resolved_database_url)
    try:
        await upgrade(database, make=make)
        voters = make_voters(_find_key(settings, make=make))
        team = await _choose_team(database, arguments.team, make=make)
        yield Evidence(settings, kb, database, voters, team)
    finally:
        await database.close()


def _find_key(settings: Settings, *, make: bool) -> str:
    key = settings.key.get_secret_value() if settings.key else None
    try:
        return read_key(key, settings.data_dir, make=make)
    except OSError as error:
        raise UsageError(f"cannot read the key in {settings.data_dir}: {error.strerror}") from error


async def _choose_team(database: Database, given: str | None, *, make: bool) -> str:
    if given and make:
        return given
    async with database.read() as connection:
        teams = await events.list_teams(connection)
    if given and given not in teams:
        raise UsageError(
            f"the database has no votes of {given}, only of {', '.join(teams) or 'nobody'}"
        )
    if len(teams) > 1 and not given:
        raise UsageError(
            f"the database has several workspaces, name one with --team: {', '.join(teams)}"
        )
    return given or (teams[0] if teams else "")
