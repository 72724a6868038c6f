"""chat.*: posting, changing and deleting messages."""

from dataclasses import replace

from bot.localslack import acts, render
from bot.localslack.errors import SlackError
from bot.localslack.model import Channel, Json, Message
from bot.localslack.webapi.content import CONTENT, SPLIT_AT, Content, read_content, split_text
from bot.localslack.webapi.registry import Call, method

_CUSTOM = {"username": "string", "icon_emoji": "string", "icon_url": "string"}


@method(
    "chat.postMessage",
    CONTENT
    | _CUSTOM
    | {"channel": "string!", "thread_ts": "timestamp", "reply_broadcast": "boolean"},
    scope="chat:write",
    tier="special",
)
def post_message(call: Call) -> Json:
    """Post as the bot; a text over 4,000 characters becomes several messages."""
    channel = _writable_channel(call)
    content = read_content(call.world, call.args)
    if content.is_empty:
        raise SlackError("no_text")
    _check_thread(call, channel)
    first = None
    for part in _parts(content):
        message = acts.publish(call.world, _draft(call, channel, part))
        first = first or message
    assert first is not None
    shown = render.show_inner(call.world, first)
    return {"channel": channel.id, "ts": first.ts, "message": shown}


def _parts(content: Content) -> list[Content]:
    if content.blocks or content.attachments:
        return [content]
    return [replace(content, text=text) for text in split_text(content.text or "")]


def _writable_channel(call: Call) -> Channel:
    named = str(call.args["channel"])
    channel = _direct_channel(call, named) if named in call.world.users else call.channel()
    if channel.archived:
        raise SlackError("is_archived")
    if not call.is_member(channel) and not (
        channel.kind == "channel" and "chat:write.public" in call.installation.scopes
    ):
        raise SlackError("not_in_channel")
    if channel.read_only:
        raise SlackError("restricted_action_read_only_channel")
    if channel.kind == "im" and not call.app.messages_tab:
        raise SlackError("messages_tab_disabled")
    return channel


def _direct_channel(call: Call, user: str) -> Channel:
    person = call.world.users[user]
    if person.deleted or person.team_id != call.installation.team_id:
        raise SlackError("channel_not_found")
    if person.is_bot:
        raise SlackError("cannot_dm_bot")
    return call.world.direct(person.team_id, [user, call.bot.id])


def _check_thread(call: Call, channel: Channel) -> None:
    thread = call.args.get("thread_ts")
    if thread is None:
        return
    parent = call.world.messages[channel.id].get(str(thread))
    if parent is None:
        raise SlackError("thread_not_found")
    if parent.is_reply:
        raise SlackError("cannot_reply_to_message")


def _draft(call: Call, channel: Channel, content: Content) -> Message:
    for name in _CUSTOM:
        if name in call.args:
            call.require("chat:write.customize")
    message = Message(
        channel.id,
        call.installation.team_id,
        call.world.stamp(),
        content.text or "",
        call.bot.id,
        bot_id=call.installation.bot_id,
        app_id=call.app.id,
        username=call.args.get("username"),
        blocks=content.blocks,
        attachments=content.attachments,
        metadata=content.metadata or None,
        thread_ts=call.args.get("thread_ts"),
    )
    if message.is_reply and call.args.get("reply_broadcast"):
        message.subtype = "thread_broadcast"
    return message


@method(
    "chat.postEphemeral",
    CONTENT | _CUSTOM | {"channel": "string!", "user": "string!", "thread_ts": "timestamp"},
    scope="chat:write",
    tier="4",
)
def post_ephemeral(call: Call) -> Json:
    """Show a message to one member alone."""
    channel = call.joined_channel()
    if channel.archived:
        raise SlackError("is_archived")
    if call.args["user"] not in channel.members:
        raise SlackError("user_not_in_channel")
    content = read_content(call.world, call.args)
    if content.is_empty:
        raise SlackError("no_text")
    message = _draft(call, channel, content)
    message.visible_to = str(call.args["user"])
    # In a thread that has no reply yet Slack accepts an ephemeral message and shows it to nobody.
    if not message.is_reply or len(call.world.thread(channel.id, str(message.thread_ts))) > 1:
        acts.whisper(call.world, message)
    return {"message_ts": message.ts}


@method(
    "chat.update",
    CONTENT
    | {
        "channel": "string!",
        "ts": "timestamp!",
        "reply_broadcast": "boolean",
        "file_ids": "list",
    },
    scope="chat:write",
)
def update(call: Call) -> Json:
    """Change an own message; parts that the call leaves out stay as they are."""
    channel = call.channel()
    message = call.world.message(channel.id, str(call.args["ts"]))
    _check_own(call, message, "cant_update_message")
    limit = call.world.edit_window
    if limit is not None and call.world.clock.now() - float(message.ts) > limit:
        raise SlackError("edit_window_closed")
    content = read_content(call.world, call.args)
    if content.text is not None and len(str(call.args.get("text", ""))) > SPLIT_AT:
        raise SlackError("msg_too_long")
    changed = _changes(content)
    _check_remaining(message, changed)
    acts.edit(call.world, message, editor=call.bot.id, **changed)
    shown = render.show_inner(call.world, message)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shown}


def _changes(content: Content) -> Json:
    parts: Json = {
        "text": content.text,
        "blocks": content.blocks,
        "attachments": content.attachments,
        "metadata": content.metadata,
    }
    return {
        key: value or ("" if key == "text" else None)
        for key, value in parts.items()
        if value is not None
    }


def _check_remaining(message: Message, changed: Json) -> None:
    if not changed:
        raise SlackError("no_text")
    remaining = [
        changed.get(part, getattr(message, part)) for part in ("text", "blocks", "attachments")
    ]
    if not any(remaining):
        raise SlackError("no_text")


def _check_own(call: Call, message: Message, code: str) -> None:
    if message.bot_id != call.installation.bot_id or message.user != call.bot.id:
        raise SlackError(code)


@method(
    "chat.delete",
    {"channel": "string!", "ts": "timestamp!", "as_user": "boolean"},
    scope="chat:write",
)
def delete(call: Call) -> Json:
    """Delete an own message."""
    channel = call.channel()
    message = call.world.message(channel.id, str(call.args["ts"]))
    _check_own(call, message, "cant_delete_message")
    acts.delete(call.world, message)
    return {"channel": channel.id, "ts": message.ts}


@method("chat.getPermalink", {"channel": "string!", "message_ts": "timestamp!"}, tier="special")
def get_permalink(call: Call) -> Json:
    """Return the address of a message."""
    channel = call.channel()
    message = call.world.message(channel.id, str(call.args["message_ts"]))
    link = f"{call.world.origin}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}
