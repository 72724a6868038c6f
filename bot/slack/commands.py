"""The slash command: an error, or a subcommand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.private import Asker, answer_privately
from bot.slack.messages import find_workspace
from bot.slack.selfservice import run_command
from bot.slack.subcommands import read_command
from bot.slack.visit import Visit

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.people import People

Json = dict[str, Any]


def register(app: AsyncApp, core: Core, people: People) -> None:
    """Whatever name the command was given in the manifest."""

    async def on_command(ack: Any, body: Json) -> None:
        await ack()
        await take_command(core, people, body)

    app.command(re.compile(".*"))(on_command)


async def take_command(core: Core, people: People, body: Json) -> None:
    """Do what a subcommand says, or answer an error."""
    workspace = await find_workspace(core, body)
    if workspace is None:
        return
    asker = read_asker(body, workspace.team)
    text = str(body.get("text") or "")
    command = read_command(text)
    if command is None:
        await answer_privately(core, asker, text)
    else:
        await run_command(Visit(core, people, workspace, asker, body), command)


def read_asker(body: Json, team: str) -> Asker:
    """Who asked, from a slash command or a press of a button."""
    user, channel = body.get("user"), body.get("channel")
    person = body.get("user_id") or (user.get("id") if isinstance(user, dict) else None)
    place = body.get("channel_id") or (channel.get("id") if isinstance(channel, dict) else None)
    url = body.get("response_url")
    return Asker(
        team=team,
        channel=str(place or person),
        person=str(person),
        response_url=url if isinstance(url, str) and url else None,
        key=str(body["inbox_key"]),
        thread=_read_thread(body),
    )


def _read_thread(body: Json) -> str | None:
    """Read the thread of the message that was pressed or chosen; none for the root of one."""
    message, container = body.get("message"), body.get("container")
    parts = [part for part in (container, message) if isinstance(part, dict)]
    thread = next((part["thread_ts"] for part in parts if part.get("thread_ts")), None)
    own = {part.get(name) for part in parts for name in ("message_ts", "ts")}
    return thread if isinstance(thread, str) and thread not in own else None
