"""What events tell of the conversation that they happen in: who can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.store import life
from bot.store.life import Place

if TYPE_CHECKING:
    from bot.core import Core

Json = dict[str, Any]


async def note_place(core: Core, team: str, body: Json, event: Json) -> None:
    """Note what the channel of a message is, where that is news."""
    channel, kind = event.get("channel"), event.get("channel_type")
    if not isinstance(channel, str) or not isinstance(kind, str):
        return
    place = Place(kind[:16], bool(body.get("is_ext_shared_channel")))
    async with core.database.read() as connection:
        if await life.read_place(connection, team, channel) == place:
            return
    async with core.database.write() as connection:
        await life.set_place(connection, team, channel, place)
