"""One person's act, with all that it takes to answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.private import say_privately
from bot.roles import Deed, Role, may, refuse
from bot.slack.blocks.private import render_note
from bot.slack.roles import look_up_role, note_name

if TYPE_CHECKING:
    from bot.core import Core
    from bot.private import Asker
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace


@dataclass(frozen=True, slots=True)
class Visit:
    """Who does something, where, by which payload."""

    core: Core
    people: People
    workspace: Workspace
    asker: Asker
    body: dict[str, Any]

    async def say(self, text: str) -> None:
        """Tell the person alone something in our own words."""
        await say_privately(self.core, self.asker, "note", render_note(text))

    async def find_role(self, channel: str | None) -> Role:
        """Find the person's role in a channel, or in none. Raises for a passing failure."""
        person = self.asker.person
        return await look_up_role(self.core, self.people, self.workspace, person, channel)

    async def may(self, deed: Deed, channel: str | None) -> bool:
        """Whether the person may do it there; told so if not, known by name if so."""
        if not may(await self.find_role(channel), deed):
            await self.say(refuse(deed))
            return False
        await self.keep_name()
        return True

    async def keep_name(self) -> str:
        """Keep the name that the person's confirmations are shown by; the name."""
        return await note_name(self.core, self.people, self.workspace, self.asker.person)
