"""Who Slack says is a guest or a bot: their votes do not count, given before or after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import events

if TYPE_CHECKING:
    from bot.core import Core


async def note_standing(core: Core, team: str, person: str, *, is_barred: bool) -> None:
    """Note what Slack says of a person, where it is news; rates follow."""
    voter = core.ledger.mask(person)
    async with core.database.read() as connection:
        if (voter in await events.list_barred(connection, team)) is is_barred:
            return
    async with core.database.write() as connection:
        await events.bar(connection, team, voter, core.now(), is_barred=is_barred)
