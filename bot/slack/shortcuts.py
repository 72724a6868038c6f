"""Shortcuts: diagnose one message, or open the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.private import answer_privately
from bot.slack.commands import read_asker
from bot.slack.forms import open_form
from bot.slack.messages import find_workspace
from bot.slack.reading import read_text

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core

Json = dict[str, Any]

DIAGNOSE = "diagnose_message"


def register(app: AsyncApp, core: Core) -> None:
    """Both kinds; one that nobody knows any more is acknowledged."""

    async def on_shortcut(ack: Any, body: Json) -> None:
        await ack()
        await take_shortcut(core, body)

    app.shortcut(re.compile(".*"))(on_shortcut)


async def take_shortcut(core: Core, body: Json) -> None:
    """Answer the person about the message, or give them the form."""
    workspace = await find_workspace(core, body)
    if workspace is None:
        return
    asker = read_asker(body, workspace.team)
    if body.get("type") == "message_action":
        if body.get("callback_id") == DIAGNOSE:
            await answer_privately(core, asker, read_text(body.get("message") or {}))
        return
    await open_form(core, workspace, asker, body, {"channel": asker.channel})
