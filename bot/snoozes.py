"""Snoozes: begun and ended, and the notice in the channel whose button ends one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core import Core, make_id
from bot.slack.blocks.channel import render_over
from bot.store import channels as store, outbox
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.slack.blocks.parts import Json

LONGEST_DAYS = 30
LONGEST_SECONDS = LONGEST_DAYS * 86_400.0


async def set_snooze(
    core: Core,
    connection: AsyncConnection,
    team: str,
    channel: str,
    entry: str,
    *,
    until: float,
    notice: Json,
    key: str,
) -> None:
    """Begin a snooze or, with a time gone by, end it; `notice` tells the channel."""
    begins = until > core.now()
    begun = f"{_name_notices(team, channel, entry)}{make_id(key)}"
    # Asked for again, as after a crash, it is there already and stays as it is.
    if await outbox.find_by_key(connection, team, begun) is None:
        await fold_notice(core, connection, team, channel, entry)
    await store.snooze(connection, team, channel, entry, until)
    name = begun if begins else f"woken:{make_id(key)}"
    await core.enqueue(connection, Outgoing(team, name, "post", channel, notice, part="line"))


async def fold_notice(
    core: Core, connection: AsyncConnection, team: str, channel: str, entry: str
) -> None:
    """Take the button from the newest notice of a snooze that is over, or gives way to another."""
    prefix = _name_notices(team, channel, entry)
    last = await store.find_last_notice(connection, team, prefix)
    if last is None:
        return
    over = render_over(entry).arguments
    update = Outgoing(team, f"{last}:over", "update", channel, over, target=last, part="line")
    await core.enqueue(connection, update)


async def end_snoozes(core: Core) -> None:
    """Note which snoozes ran out, in every team."""
    async with core.database.write() as connection:
        for team, channel, entry in await store.end_snoozes(connection, core.now()):
            await fold_notice(core, connection, team, channel, entry)
    core.outbox.wake()


def _name_notices(team: str, channel: str, entry: str) -> str:
    """Return how the keys of the notices of one snooze begin."""
    return f"snooze:{make_id(team, channel, entry)}:"
