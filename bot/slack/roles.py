"""What a person may do in a channel, as Slack and the settings have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.roles import Role, find_role
from bot.store.channels import read_channel
from bot.store.guided import keep_name

if TYPE_CHECKING:
    from bot.core import Core
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace


async def look_up_role(
    core: Core, people: People, workspace: Workspace, person: str, channel: str | None
) -> Role:
    """Find a person's role in a channel, or in none. Raises for a passing failure."""
    is_maintainer = person in core.settings.maintainers or await people.is_admin(workspace, person)
    return find_role(
        is_member=await people.is_member(workspace, person),
        is_owner=channel is not None and await _is_owner(core, people, workspace, person, channel),
        is_maintainer=is_maintainer,
    )


async def _is_owner(
    core: Core, people: People, workspace: Workspace, person: str, channel: str
) -> bool:
    async with core.database.read() as connection:
        owners = (await read_channel(connection, workspace.team, channel)).owners
    if owners is None:
        return False
    groups = await people.groups.find_all(workspace)
    return any(group.id == owners and person in group.users for group in groups)


async def note_name(core: Core, people: People, workspace: Workspace, person: str) -> str:
    """Keep the name that a person's confirmations are shown by; the name."""
    name = await people.find_name(workspace, person)
    async with core.database.write() as connection:
        voter = core.ledger.mask(person)
        await keep_name(connection, workspace.team, voter, name, core.now())
    return name
