"""Shortcuts: diagnose one message, say that one solved it, or open the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.private import answer_privately
from bot.slack.commands import read_asker
from bot.slack.forms import open_form
from bot.slack.guided import take_reply
from bot.slack.messages import find_workspace
from bot.slack.reading import read_text
from bot.slack.visit import Visit

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.people import People

Json = dict[str, Any]

DIAGNOSE = "diagnose_message"
SOLVED = "this_solved_it"


def register(app: AsyncApp, core: Core, people: People) -> None:
    """Both kinds; one that nobody knows any more is acknowledged."""

    async def on_shortcut(ack: Any, body: Json) -> None:
        await ack()
        await take_shortcut(core, people, body)

    app.shortcut(re.compile(".*"))(on_shortcut)


async def take_shortcut(core: Core, people: People, body: Json) -> None:
    """Answer the person about the message, record it as the fix, or give them the form."""
    workspace = await find_workspace(core, body)
    if workspace is None:
        return
    asker = read_asker(body, workspace.team)
    if body.get("type") == "message_action":
        if body.get("callback_id") == DIAGNOSE:
            await answer_privately(core, asker, read_text(body.get("message") or {}))
        elif body.get("callback_id") == SOLVED:
            await take_reply(Visit(core, people, workspace, asker, body))
        return
    await open_form(core, workspace, asker, body, {"channel": asker.channel})
