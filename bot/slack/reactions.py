"""Reactions put on and taken off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.slack.messages import find_workspace
from bot.slack.roles import note_name
from bot.voting import Reaction, is_about_ours, record_reaction
from rules.votes import Act

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.people import People

Json = dict[str, Any]


def register(app: AsyncApp, core: Core, people: People) -> None:
    """Both kinds go one way."""

    async def on_reaction(body: Json, event: Json) -> None:
        await take_reaction(core, people, body, event)

    app.event("reaction_added")(on_reaction)
    app.event("reaction_removed")(on_reaction)


async def take_reaction(core: Core, people: People, body: Json, event: Json) -> None:
    """Count a thumb on a message of ours."""
    workspace = await find_workspace(core, body)
    if workspace is None:
        return
    reaction = read_reaction(event, workspace.team)
    if reaction is None or not await is_about_ours(core, reaction):
        return
    if await people.may_vote(workspace, reaction.person):
        await note_name(core, people, workspace, reaction.person)
        await record_reaction(core, reaction)


def read_reaction(event: Json, team: str) -> Reaction | None:
    """Read a reaction to a message; none where it is on a file or malformed."""
    item = event.get("item")
    if not isinstance(item, dict) or item.get("type") != "message":
        return None
    texts = (item.get("channel"), item.get("ts"), event.get("user"), event.get("reaction"))
    channel, ts, person, name = (text if isinstance(text, str) else "" for text in texts)
    if not all((channel, ts, person, name)):
        return None
    act = Act.RETRACT if event.get("type") == "reaction_removed" else Act.CAST
    return Reaction(team, channel, ts, person, name, act, read_seconds(event.get("event_ts")))


def read_seconds(value: object) -> float:
    """Slack's time stamp as Unix seconds; 0 where it is none."""
    try:
        return float(str(value))
    except ValueError:
        return 0.0
