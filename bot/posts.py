"""Which messages deserve a look. Pure decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.slack.reading import read_text

if TYPE_CHECKING:
    from collections.abc import Collection

Json = dict[str, Any]

_SUBTYPES = frozenset({None, "bot_message", "file_share", "thread_broadcast"})


@dataclass(frozen=True, slots=True)
class Post:
    """A message, or a text somebody handed over, that may hold an error."""

    team: str
    channel: str
    ts: str
    poster: str
    text: str
    """In Slack's encoding."""
    thread: str | None = None
    """Root of the thread that it is a reply in."""
    asked: bool = False
    """Whether the bot was addressed."""
    files: tuple[Json, ...] = ()

    @property
    def root(self) -> str:
        """Where an answer hangs: a reply's own time stamp would break the thread."""
        return self.thread or self.ts


def read_post(
    event: Json, *, team: str, bot_user: str, bot_id: str, bots_allowed: Collection[str] = ()
) -> Post | None:
    """Read the post in a `message` or `app_mention` event; none where it deserves no look."""
    channel, ts = event.get("channel"), event.get("ts")
    if not isinstance(channel, str) or not isinstance(ts, str) or event.get("hidden"):
        return None
    if event.get("subtype") not in _SUBTYPES or not _may_speak(
        event, bot_user, bot_id, bots_allowed
    ):
        return None
    root = event.get("thread_ts")
    text = read_text(event)
    direct = event.get("channel_type") == "im"
    return Post(
        team=team,
        channel=channel,
        ts=ts,
        poster=str(event.get("user") or event.get("bot_id") or "unknown"),
        text=text,
        thread=root if isinstance(root, str) and root != ts else None,
        asked=direct or event.get("type") == "app_mention" or f"<@{bot_user}" in text,
        files=tuple(f for f in event.get("files") or () if isinstance(f, dict)),
    )


def _may_speak(event: Json, bot_user: str, bot_id: str, allowed: Collection[str]) -> bool:
    """Whether who wrote it may be answered: people, and bots that were allowed."""
    if event.get("user") == bot_user or event.get("bot_id") == bot_id:
        return False
    if event.get("bot_id") or event.get("subtype") == "bot_message":
        in_own_thread = event.get("parent_user_id") == bot_user
        return event.get("bot_id") in allowed and not in_own_thread
    return bool(event.get("user"))


def is_real_edit(event: Json) -> bool:
    """Whether a person changed the words: an unfurl comes as a change too."""
    message, before = event.get("message"), event.get("previous_message")
    if not isinstance(message, dict) or not isinstance(before, dict):
        return False
    return bool(message.get("edited")) and message.get("text") != before.get("text")
