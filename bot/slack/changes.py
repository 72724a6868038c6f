"""Messages that were changed or deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.amend import amend_post, regret_post
from bot.posts import Post, read_change, read_post
from bot.slack.reading import read_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from bot.core import Core
    from bot.slack.workspaces import Workspace
    from rules.model import Diagnosis

    ReadFiles = Callable[[Post], Awaitable[Diagnosis | None]]

Json = dict[str, Any]

SUBTYPES = frozenset({"message_changed", "message_deleted"})


def find_author(event: Json) -> Json:
    """Return the message itself, of whose author a change tells."""
    message = event.get("message") or event.get("previous_message")
    return message if isinstance(message, dict) else {}


async def take_change(
    core: Core,
    workspace: Workspace,
    event: Json,
    *,
    bots_allowed: Collection[str],
    read_files: ReadFiles,
) -> None:
    """Follow a change of a post."""
    change = read_change(event)
    channel = event.get("channel")
    if change is None or not isinstance(channel, str):
        return
    if change.after is None:
        if change.before.get("user") != workspace.bot_user:
            await regret_post(core, _read_gone(workspace.team, channel, change.ts, change.before))
        return
    post = read_post(
        change.after,
        team=workspace.team,
        bot_user=workspace.bot_user,
        bot_id=workspace.bot_id,
        bots_allowed=bots_allowed,
    )
    if post is not None:
        edited = replace(post, edited=change.stamp)
        await amend_post(core, edited, read_files)


def _read_gone(team: str, channel: str, ts: str, before: Json) -> Post:
    root = before.get("thread_ts")
    poster = str(before.get("user") or before.get("bot_id") or "unknown")
    thread = root if isinstance(root, str) and root != ts else None
    return Post(team, channel, ts, poster, read_text(before), thread)
