"""Shortcuts: diagnose one message, say that one solved it, or open the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.answering import examine, weigh_file
from bot.posts import Post
from bot.private import present, say_privately
from bot.slack.blocks.private import render_no_picture
from bot.slack.commands import read_asker
from bot.slack.files import list_linked
from bot.slack.forms import open_form
from bot.slack.guided import take_reply
from bot.slack.messages import find_workspace, read_files
from bot.slack.reading import read_text
from bot.slack.visit import Visit
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.private import Asker
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace

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
            await _diagnose(core, workspace, asker, body.get("message") or {})
        elif body.get("callback_id") == SOLVED:
            await take_reply(Visit(core, people, workspace, asker, body))
        return
    await open_form(core, workspace, asker, body, {"channel": asker.channel})


async def _diagnose(core: Core, workspace: Workspace, asker: Asker, message: Json) -> None:
    """Diagnose what a message says, else what is attached to it."""
    text, ts = read_text(message), str(message.get("ts"))
    attached = [each for each in message.get("files") or () if isinstance(each, dict)]
    files = (*attached, *list_linked(text, asker.channel, workspace.url))
    post = Post(asker.team, asker.channel, ts, asker.person, text, asked=True, files=files)
    rates = await core.ledger.rates(asker.team)
    diagnosis = await examine(core, text, rates, asked=True)
    if diagnosis.kind is not DiagnosisKind.ANSWER and files:
        diagnosis = weigh_file(diagnosis, await read_files(core, workspace, post))
    if diagnosis.kind is DiagnosisKind.SILENCE and post.is_picture:
        await say_privately(core, asker, "no_picture", render_no_picture())
        return
    await present(core, asker, diagnosis, rates)
