"""The slash command: an error, or a subcommand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.answering import examine
from bot.private import Asker, present, say_privately
from bot.slack.blocks.private import render_note
from bot.slack.messages import find_workspace
from bot.slack.selfservice import run_command, say_usage
from bot.slack.subcommands import read_command, read_half_typed
from bot.slack.visit import Visit
from rules.model import DiagnosisKind

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
        return None
    asker = read_asker(body, workspace.team)
    text = str(body.get("text") or "")
    command = read_command(text)
    if command is not None:
        return await run_command(Visit(core, people, workspace, asker, body), command)
    rates = await core.ledger.rates(asker.team)
    diagnosis = await examine(core, text, rates, asked=True)
    half_typed = read_half_typed(text)
    if diagnosis.kind is DiagnosisKind.SILENCE and half_typed is not None:
        usage = render_note(say_usage(core.kb, half_typed))
        return await say_privately(core, asker, "usage", usage)
    return await present(core, asker, diagnosis, rates)


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
