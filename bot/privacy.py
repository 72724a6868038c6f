"""Names in the database: pseudonyms after a set time, and nothing on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import events, evidence, guided
from rules.share import MARK

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.voters import Voters

DAY = 86_400.0
ERASED = "erased"


async def forget_names(core: Core) -> None:
    """Put pseudonyms for the people in rows older than the set time, of every team."""
    before = core.now() - core.settings.pseudonym_days * DAY
    async with core.database.write() as connection:
        for team in await events.list_teams(connection):
            await _mask_old(connection, core.ledger.voters, team, before)
        await guided.forget_old_names(connection, before)
        await evidence.forget_misses(connection, core.now() - evidence.MISSES_KEPT)


async def _mask_old(connection: AsyncConnection, voters: Voters, team: str, before: float) -> None:
    for person in await events.list_voters(connection, team):
        if not person.startswith(MARK):
            await events.rename_voter(connection, team, person, voters.mask(person), before)
    for person in await evidence.list_posters(connection, team, before):
        if person.startswith(("U", "W")):
            await evidence.rename_poster(connection, team, person, voters.mask(person), before)


async def erase_person(connection: AsyncConnection, voters: Voters, team: str, person: str) -> int:
    """Erase what a team's rows hold of a person (an id or a pseudonym); count of votes.

    The rates are then what they would be had the person never voted.
    """
    names = {person, voters.mask(person)}
    erased = await events.erase_votes(connection, team, names)
    for name in names:
        await evidence.rename_poster(connection, team, name, ERASED, float("inf"))
    await evidence.forget_messages(connection, team, person)
    await guided.erase_traces(connection, team, voters.mask(person), ERASED)
    return erased
