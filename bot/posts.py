"""Which messages deserve a look. Pure decisions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.slack.calls import METADATA
from bot.slack.reading import read_text

if TYPE_CHECKING:
    from collections.abc import Collection

Json = dict[str, Any]

OWN_ACTIONS = frozenset({"worked", "failed", "wrong_diagnosis"})
"""Buttons that tell an answer of another instance by its looks."""
_MENTION = re.compile(r"<@[^>]*>")
_GREETINGS = frozenset(
    {"", "help", "help me", "hi", "hello", "hey", "hi there", "hello there", "what can you do"}
)
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
    direct: bool = False
    """Whether it was said to the bot alone."""
    files: tuple[Json, ...] = ()
    edited: str = ""
    """Stamp of the edit that brought this text; empty for the first one."""

    @property
    def is_picture(self) -> bool:
        """Whether pictures are all that is attached."""
        types = [str(file.get("mimetype") or "") for file in self.files]
        return bool(types) and all(kind.startswith("image/") for kind in types)

    @property
    def asks_for_help(self) -> bool:
        """Whether it says nothing but the bot's name, a greeting, or that it wants help."""
        words = re.findall(r"\w+", _MENTION.sub(" ", self.text).lower())
        return not self.files and " ".join(words) in _GREETINGS

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
    is_bot = bool(event.get("bot_id"))
    addressed = event.get("type") == "app_mention" or f"<@{bot_user}" in text
    return Post(
        team=team,
        channel=channel,
        ts=ts,
        poster=str(event.get("user") or event.get("bot_id") or "unknown"),
        text=text,
        thread=root if isinstance(root, str) and root != ts else None,
        # Two bots that address each other would never end.
        asked=(direct or addressed) and not is_bot,
        direct=direct,
        files=tuple(f for f in event.get("files") or () if isinstance(f, dict)),
    )


def _may_speak(event: Json, bot_user: str, bot_id: str, allowed: Collection[str]) -> bool:
    """Whether who wrote it may be answered: people, and bots that were allowed."""
    if event.get("user") == bot_user or event.get("bot_id") == bot_id:
        return False
    if event.get("bot_id") or event.get("subtype") == "bot_message":
        in_own_thread = event.get("parent_user_id") == bot_user
        return event.get("bot_id") in allowed and not in_own_thread and not is_an_answer(event)
    return bool(event.get("user"))


def is_an_answer(message: Json) -> bool:
    """Whether another instance of this bot said it: its quotes are no errors of a job."""
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and metadata.get("event_type") == METADATA:
        return True
    return any(
        element.get("action_id") in OWN_ACTIONS
        for block in _dicts(message.get("blocks"))
        for element in _dicts(block.get("elements"))
    )


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a message that was posted before."""

    ts: str
    after: Json | None
    """The message as an event would bring it; none where it was deleted."""
    before: Json
    stamp: str
    """When it was changed."""


def read_change(event: Json) -> Change | None:
    """Read an edit or a deletion; none for an unfurl and for anything else."""
    before, after = event.get("previous_message"), event.get("message")
    before = before if isinstance(before, dict) else {}
    stamp = str(event.get("ts") or event.get("event_ts") or "")
    if event.get("subtype") == "message_deleted" and isinstance(event.get("deleted_ts"), str):
        return Change(event["deleted_ts"], None, before, stamp)
    if event.get("subtype") != "message_changed" or not isinstance(after, dict):
        return None
    ts = after.get("ts")
    if not isinstance(ts, str):
        return None
    if after.get("subtype") == "tombstone":
        return Change(ts, None, before, stamp)
    if not is_real_edit(event):
        return None
    place: Json = {name: event[name] for name in ("channel", "channel_type") if name in event}
    return Change(ts, {**after, **place, "type": "message"}, before, stamp)


def is_real_edit(event: Json) -> bool:
    """Whether somebody changed the words: an unfurl comes as a change too."""
    message, before = event.get("message"), event.get("previous_message")
    if not isinstance(message, dict) or not isinstance(before, dict):
        return False
    return bool(message.get("edited")) and read_text(message) != read_text(before)


def _dicts(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
