"""App Home: what the bot can do, the week, what is unsolved, and the settings for those allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.roles import Role
from bot.slack.blocks.home import Home, render_home
from bot.slack.messages import find_workspace
from bot.slack.roles import look_up_role
from bot.store import guided, life
from bot.store.channels import list_owned
from bot.week import look_back

if TYPE_CHECKING:
    from collections.abc import Collection

    from slack_bolt.app.async_app import AsyncApp
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace
    from rules.entry import Entry

Json = dict[str, Any]
log = structlog.get_logger(__name__)


def register(app: AsyncApp, core: Core, people: People) -> None:
    """Fill the Home tab each time somebody opens it."""

    async def on_opened(body: Json, event: Json) -> None:
        await take_opened(core, people, body, event)

    app.event("app_home_opened")(on_opened)


async def take_opened(core: Core, people: People, body: Json, event: Json) -> None:
    """Show the Home tab as it stands now; the Messages tab is none of ours."""
    workspace = await find_workspace(core, body)
    person = event.get("user")
    if workspace is None or event.get("tab") != "home" or not isinstance(person, str):
        return
    view = render_home(await _gather(core, people, workspace, person))
    try:
        await workspace.client.views_publish(user_id=person, view=view)
    except SlackApiError as error:
        # A guest or a stranger of Slack Connect has no Home tab with us.
        log.info("home_not_shown", reason=error.response.get("error"))


async def _gather(core: Core, people: People, workspace: Workspace, person: str) -> Home:
    team = workspace.team
    role = await look_up_role(core, people, workspace, person, None)
    week = await look_back(core, team)
    groups = await people.groups.find_all(workspace)
    mine = [group.id for group in groups if person in group.users]
    async with core.database.read() as connection:
        owned = await list_owned(connection, team, mine) if mine else []
        links = {
            row.answer: workspace.link(row.channel, row.thread)
            for row in week.unsolved
            if row.thread and await _is_public(connection, team, row.channel)
        }
        names = await guided.list_names(connection, team, {fix.voter for fix in week.fixes})
    is_maintainer = role is Role.MAINTAINER
    return Home(
        week=week,
        titles={entry.id: entry.title for entry in core.kb.entries.values()},
        steps=_list_steps(tuple(core.kb.entries.values())),
        links=links,
        names=names,
        may_set=is_maintainer or bool(owned),
        sees_fixes=is_maintainer,
    )


def _list_steps(entries: Collection[Entry]) -> dict[tuple[str, str], str]:
    steps = {(entry.id, step.id): step.do for entry in entries for step in entry.workarounds}
    return steps | {(entry.id, end.id): end.do for entry in entries for end in entry.dead_ends}


async def _is_public(connection: AsyncConnection, team: str, channel: str) -> bool:
    place = await life.read_place(connection, team, channel)
    return place is not None and place.is_public
