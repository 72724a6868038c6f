"""Messages and mentions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.delivery import find_team
from bot.posts import read_post
from bot.reply import answer_post
from bot.slack.changes import SUBTYPES, find_author, take_change
from bot.slack.files import examine_file, is_readable, list_linked
from bot.slack.places import note_place
from bot.store.channels import read_channel

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.posts import Post
    from bot.slack.workspaces import Workspace
    from rules.model import Diagnosis

Json = dict[str, Any]


def register(app: AsyncApp, core: Core) -> None:
    """One dispatcher for messages: Bolt runs only the first listener that matches."""

    async def on_message(body: Json, event: Json) -> None:
        await take_message(core, body, event)

    app.event("message")(on_message)
    app.event("app_mention")(on_message)


async def take_message(core: Core, body: Json, event: Json) -> None:
    """Answer a message if it deserves a look."""
    workspace = await find_workspace(core, body)
    if workspace is None:
        return
    await note_place(core, workspace.team, body, event)
    allowed = await _list_bots(core, workspace, event)
    if event.get("subtype") in SUBTYPES:
        await take_change(
            core,
            workspace,
            event,
            bots_allowed=allowed,
            read_files=lambda post: read_files(core, workspace, post),
        )
        return
    post = read_post(
        event,
        team=workspace.team,
        bot_user=workspace.bot_user,
        bot_id=workspace.bot_id,
        bots_allowed=allowed,
    )
    if post is not None and (post.text.strip() or post.files):
        linked = list_linked(post.text, post.channel, workspace.url)
        post = replace(post, files=(*post.files, *linked))
        await answer_post(core, post, lambda each: read_files(core, workspace, each))


async def find_workspace(core: Core, body: Json) -> Workspace | None:
    """Find the installation that a payload is for."""
    return await core.workspaces.find(find_team(body))


async def _list_bots(core: Core, workspace: Workspace, event: Json) -> set[str]:
    if not (event.get("bot_id") or find_author(event).get("bot_id")):
        return set()
    async with core.database.read() as connection:
        channel = await read_channel(connection, workspace.team, str(event.get("channel")))
    return {*core.settings.bots_allowed, *channel.bots}


async def read_files(core: Core, workspace: Workspace, post: Post) -> Diagnosis | None:
    """Read the diagnosis of the first posted file that shows something.

    Else that of one which could not be read whole; none where all were.
    """
    rates = await core.ledger.rates(post.team)
    unread = None
    for file in filter(is_readable, post.files):
        diagnosis = await examine_file(core, workspace, file, rates, asked=post.asked)
        if diagnosis is not None and diagnosis.kind != "silence":
            return diagnosis
        if diagnosis is not None and diagnosis.unread and unread is None:
            unread = diagnosis
    return unread
