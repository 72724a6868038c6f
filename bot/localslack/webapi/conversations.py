"""conversations.*: reading channels, their history and their members."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.localslack import acts, render
from bot.localslack.errors import SlackError
from bot.localslack.model import Channel, Json, Kind, Message
from bot.localslack.webapi.registry import Call, method

T = TypeVar("T")
_HISTORY: dict[Kind, str] = {
    "channel": "channels:history",
    "group": "groups:history",
    "im": "im:history",
    "mpim": "mpim:history",
}
_READ: dict[Kind, str] = {
    "channel": "channels:read",
    "group": "groups:read",
    "im": "im:read",
    "mpim": "mpim:read",
}
_TYPES: dict[str, Kind] = {
    "public_channel": "channel",
    "private_channel": "group",
    "im": "im",
    "mpim": "mpim",
}
_PAGE = {"cursor": "string", "limit": "integer"}
_RANGE = _PAGE | {
    "channel": "string!",
    "latest": "time",
    "oldest": "time",
    "inclusive": "boolean",
    "include_all_metadata": "boolean",
}
MAX_LIMIT = 999


def page(call: Call, items: Sequence[T], default: int) -> tuple[list[T], str]:
    """One page and the cursor of the next; raises invalid_limit or invalid_cursor."""
    limit = int(call.args.get("limit") or default)
    if not 1 <= limit <= MAX_LIMIT:
        raise SlackError("invalid_limit")
    start = _read_cursor(str(call.args.get("cursor") or ""))
    if start > len(items):
        raise SlackError("invalid_cursor")
    end = start + limit
    cursor = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return list(items[start:end]), cursor


def _read_cursor(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        kind, _, offset = base64.b64decode(cursor, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise SlackError("invalid_cursor") from error
    if kind != "next" or not offset.isdigit():
        raise SlackError("invalid_cursor")
    return int(offset)


def _within_range(call: Call, message: Message) -> bool:
    inclusive = bool(call.args.get("inclusive"))
    at = message.ts
    oldest, latest = _padded(call.args.get("oldest")), _padded(call.args.get("latest"))
    after = oldest is None or at > oldest or (inclusive and at == oldest)
    before = latest is None or at < latest or (inclusive and at == latest)
    return after and before


def _padded(time: str | None) -> str | None:
    if time is None:
        return None
    seconds, _, micros = time.partition(".")
    return f"{int(seconds):010d}.{micros[:6]:0<6}"


@method("conversations.history", _RANGE)
def history(call: Call) -> Json:
    """Return a channel's own messages, newest first."""
    channel = call.channel()
    call.require(_HISTORY[channel.kind])
    channel = call.joined_channel()
    found = [
        each
        for each in reversed(call.world.messages[channel.id].values())
        if each.in_channel and _within_range(call, each)
    ]
    messages, cursor = page(call, found, 100)
    return _messages(call, messages, cursor) | {"pin_count": 0}


def _messages(call: Call, messages: list[Message], cursor: str) -> Json:
    metadata = bool(call.args.get("include_all_metadata"))
    shown = [render.show_stored(call.world, each, metadata=metadata) for each in messages]
    return {
        "messages": shown,
        "has_more": bool(cursor),
        "response_metadata": {"next_cursor": cursor},
    }


@method("conversations.replies", _RANGE | {"ts": "timestamp!"})
def replies(call: Call) -> Json:
    """Return a thread: its parent on every page, then replies, oldest first; a reply alone by its ts."""
    channel = call.channel()
    call.require(_HISTORY[channel.kind])
    channel = call.joined_channel()
    asked = call.world.messages[channel.id].get(str(call.args["ts"]))
    if asked is None:
        raise SlackError("thread_not_found")
    if asked.is_reply:
        return _messages(call, [asked], "")
    thread = call.world.thread(channel.id, asked.ts)
    found = [each for each in thread if each is not asked and _within_range(call, each)]
    messages, cursor = page(call, found, 100)
    return _messages(call, [asked, *messages], cursor)


@method(
    "conversations.info",
    {"channel": "string!", "include_locale": "boolean", "include_num_members": "boolean"},
)
def info(call: Call) -> Json:
    """One conversation."""
    channel = call.channel()
    call.require(_READ[channel.kind])
    shown = render.show_channel(channel, call.bot.id)
    if not call.args.get("include_num_members"):
        shown.pop("num_members", None)
    return {"channel": shown}


@method(
    "conversations.list",
    _PAGE | {"types": "list", "exclude_archived": "boolean", "team_id": "string"},
    tier="2",
)
def list_channels(call: Call) -> Json:
    """Return the conversations that the bot may see."""
    kinds = _asked_kinds(call)
    found = [each for each in call.world.channels.values() if _is_listed(call, each, kinds)]
    channels, cursor = page(call, found, 100)
    shown = [render.show_channel(each, call.bot.id) for each in channels]
    return {"channels": shown, "response_metadata": {"next_cursor": cursor}}


def _asked_kinds(call: Call) -> list[Kind]:
    names = call.args.get("types") or ["public_channel"]
    if not set(names) <= _TYPES.keys():
        raise SlackError("invalid_types")
    kinds = [_TYPES[each] for each in names]
    for kind in kinds:
        call.require(_READ[kind])
    return kinds


def _is_listed(call: Call, channel: Channel, kinds: Sequence[Kind]) -> bool:
    team = call.installation.team_id
    return (
        channel.kind in kinds
        and team in {channel.team_id, *channel.shared_with}
        and (channel.kind == "channel" or call.is_member(channel))
        and not (channel.archived and call.args.get("exclude_archived"))
    )


@method(
    "users.conversations",
    _PAGE | {"types": "list", "exclude_archived": "boolean", "user": "string", "team_id": "string"},
)
def list_own_channels(call: Call) -> Json:
    """Return the conversations that the bot, or the named person, is a member of."""
    kinds = _asked_kinds(call)
    user = call.args.get("user", call.bot.id)
    found = [
        each
        for each in call.world.channels.values()
        if user in each.members and _is_listed(call, each, kinds)
    ]
    channels, cursor = page(call, found, 100)
    shown = [render.show_channel(each, call.bot.id) for each in channels]
    return {"channels": shown, "response_metadata": {"next_cursor": cursor}}


@method("conversations.members", _PAGE | {"channel": "string!"}, tier="4")
def members(call: Call) -> Json:
    """Return the ids of a conversation's members."""
    channel = call.channel()
    call.require(_READ[channel.kind])
    found, cursor = page(call, channel.members, 100)
    return {"members": found, "response_metadata": {"next_cursor": cursor}}


@method(
    "conversations.open",
    {
        "channel": "string",
        "users": "list",
        "return_im": "boolean",
        "prevent_creation": "boolean",
    },
)
def open_direct(call: Call) -> Json:
    """Return the direct conversation with one person or several."""
    users = list(call.args.get("users") or [])
    if not users and "channel" in call.args:
        channel = call.channel()
        return {"channel": {"id": channel.id}, "no_op": True, "already_open": True}
    if not users:
        raise SlackError("users_list_not_supplied")
    call.require("im:write" if len(users) == 1 else "mpim:write")
    _check_people(call, users)
    known = len(call.world.channels)
    channel = call.world.direct(call.installation.team_id, [*users, call.bot.id])
    opened = render.show_channel(channel, call.bot.id) if call.args.get("return_im") else {}
    answer: Json = {"channel": {"id": channel.id} | opened}
    if len(call.world.channels) == known:
        answer |= {"no_op": True, "already_open": True}
    return answer


def _check_people(call: Call, users: list[str]) -> None:
    for each in users:
        user = call.world.users.get(each)
        if user is None or user.team_id != call.installation.team_id:
            raise SlackError("user_not_found")
        if user.deleted:
            raise SlackError("user_disabled")
        if user.is_bot:
            raise SlackError("cannot_dm_bot")


@method("conversations.join", {"channel": "string!"}, scope="channels:join")
def join(call: Call) -> Json:
    """Make the bot a member of a public channel."""
    channel = call.channel()
    if channel.kind != "channel":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.archived:
        raise SlackError("is_archived")
    already = call.is_member(channel)
    acts.join(call.world, call.bot, channel)
    answer: Json = {"channel": render.show_channel(channel, call.bot.id)}
    if already:
        answer["warning"] = "already_in_channel"
        answer["response_metadata"] = {"warnings": ["already_in_channel"]}
    return answer
