"""Everything that can happen in a workspace, each with the event that tells of it."""

import re
import uuid

from bot.localslack import render
from bot.localslack.composer import compose
from bot.localslack.emoji import canonical
from bot.localslack.errors import SlackError
from bot.localslack.model import SLACKBOT, Channel, File, Json, Message, Reaction, User
from bot.localslack.world import Occurrence, World

MAX_EMOJI = 50
MAX_REACTIONS_PER_USER = 23


def publish(world: World, message: Message) -> Message:
    """Put a message into its channel and tell of it; raises thread_not_found."""
    channel = world.channels[message.channel]
    if message.is_reply:
        parent = world.messages[channel.id].get(message.thread_ts or "")
        if parent is None or parent.is_reply:
            raise SlackError("thread_not_found")
        parent.thread_ts = parent.ts
    world.messages[channel.id][message.ts] = message
    event: Json = {"type": "message"} | render.show_message(world, message)
    if message.subtype == "thread_broadcast":
        event["root"] = render.show_root(world, message)
    _tell(world, channel, event, message.ts)
    return message


def whisper(world: World, message: Message) -> Message:
    """Show an ephemeral message; Slack keeps none and sends no event for it."""
    world.ephemerals[message.ts] = message
    _show_whisper(world, message, "ephemeral")
    return message


def rewrite_whisper(world: World, message: Message) -> None:
    """Show an ephemeral message anew after it was changed."""
    _show_whisper(world, message, "ephemeral")


def withdraw_whisper(world: World, message: Message) -> None:
    """Take an ephemeral message away."""
    world.ephemerals.pop(message.ts, None)
    _show_whisper(world, message, "ephemeral_deleted")


def _show_whisper(world: World, message: Message, kind: str) -> None:
    event: Json = {"type": kind, "channel": message.channel, "ts": message.ts}
    world.tell(Occurrence(event, message.team_id, message.channel, visible=False))


def typed_message(
    world: World, user: User, channel: Channel, text: str, *, thread: str | None, files: list[File]
) -> Message:
    """Return what a person typed, as the message that Slack makes of it."""
    composed = compose(text, world.resolve(channel.team_id), _block_id(world))
    message = Message(channel.id, user.team_id, world.stamp(), composed.text, user.id)
    message.thread_ts = thread
    if text:
        message.blocks = composed.blocks
        message.client_msg_id = str(uuid.UUID(int=world.count("client_msg"), version=4))
    if files:
        message.subtype, message.files = "file_share", [each.id for each in files]
        for file in files:
            share_file(file, channel, message.ts)
    return message


def share_file(file: File, channel: Channel, ts: str) -> None:
    """Note that a message of the channel carries the file."""
    if channel.id not in file.channels:
        file.channels.append(channel.id)
    file.shares.setdefault(channel.id, []).append(ts)


def _block_id(world: World) -> str:
    return f"b{world.count('block')}"


def retype(world: World, message: Message, text: str) -> None:
    """Carry out a person's edit of their own message."""
    composed = compose(text, world.resolve(message.team_id), _block_id(world))
    edit(world, message, text=composed.text, blocks=composed.blocks, editor=message.user)


def edit(world: World, message: Message, *, editor: str | None, **fields: object) -> None:
    """Change fields of a message; with an editor it is marked as edited."""
    before = render.show_inner(world, message)
    for name, value in fields.items():
        setattr(message, name, value)
    stamp = world.stamp()
    after_extra: Json = {}
    if editor is not None:
        message.edited = {"user": editor, "ts": stamp}
        after_extra = {"source_team": message.team_id, "user_team": message.team_id}
    after = render.show_inner(world, message) | after_extra
    _tell_changed(world, message, after, before, stamp)


def unfurl(world: World, message: Message, attachments: list[Json]) -> None:
    """Slack's own addition of link previews, which arrives as an edit without an editor."""
    edit(world, message, editor=None, attachments=attachments)


def delete(world: World, message: Message) -> None:
    """Delete a message; a parent with replies leaves a tombstone."""
    channel = world.channels[message.channel]
    before = render.show_inner(world, message)
    stamp = world.stamp()
    if not message.is_reply and len(world.thread(channel.id, message.ts)) > 1:
        after = render.show_tombstone(world, message)
        _bury(message)
        _tell_changed(world, message, after, before, stamp)
        return
    del world.messages[channel.id][message.ts]
    event: Json = {
        "type": "message",
        "subtype": "message_deleted",
        "previous_message": before,
        "hidden": True,
        "deleted_ts": message.ts,
        "ts": stamp,
    }
    _tell(world, channel, event, stamp)


def _bury(message: Message) -> None:
    message.subtype, message.user, message.text = "tombstone", SLACKBOT, "This message was deleted."
    message.blocks = message.attachments = message.metadata = message.edited = None
    message.bot_id = message.app_id = message.client_msg_id = None
    message.files, message.reactions = [], []


def _tell_changed(world: World, message: Message, after: Json, before: Json, stamp: str) -> None:
    event: Json = {
        "type": "message",
        "subtype": "message_changed",
        "message": after,
        "previous_message": before,
        "hidden": True,
        "ts": stamp,
    }
    _tell(world, world.channels[message.channel], event, stamp)


def _tell(world: World, channel: Channel, event: Json, event_ts: str) -> None:
    event |= {"channel": channel.id, "event_ts": event_ts, "channel_type": channel.kind}
    world.tell(Occurrence(event, channel.team_id, channel.id))


def react(world: World, user: str, message: Message, emoji: str) -> None:
    """Add a reaction; raises invalid_name, already_reacted, too_many_emoji or _reactions."""
    name = canonical(emoji)
    reaction = next((each for each in message.reactions if each.name == name), None)
    if reaction and user in reaction.users:
        raise SlackError("already_reacted")
    if reaction is None and len(message.reactions) >= MAX_EMOJI:
        raise SlackError("too_many_emoji")
    if sum(user in each.users for each in message.reactions) >= MAX_REACTIONS_PER_USER:
        raise SlackError("too_many_reactions")
    if reaction is None:
        reaction = Reaction(name, [])
        message.reactions.append(reaction)
    reaction.users.append(user)
    _tell_reaction(world, "reaction_added", user, message, name)


def unreact(world: World, user: str, message: Message, emoji: str) -> None:
    """Take a reaction back; raises invalid_name or no_reaction."""
    name = canonical(emoji)
    reaction = next((each for each in message.reactions if each.name == name), None)
    if reaction is None or user not in reaction.users:
        raise SlackError("no_reaction")
    reaction.users.remove(user)
    if not reaction.users:
        message.reactions.remove(reaction)
    _tell_reaction(world, "reaction_removed", user, message, name)


def _tell_reaction(world: World, kind: str, user: str, message: Message, name: str) -> None:
    item: Json = {"type": "message", "channel": message.channel, "ts": message.ts}
    event: Json = {"type": kind, "user": user, "reaction": name, "item": item}
    if message.user is not None:
        event["item_user"] = message.user
    event["event_ts"] = world.stamp()
    team = world.channels[message.channel].team_id
    world.tell(Occurrence(event, team, message.channel))


def join(world: World, user: User, channel: Channel, inviter: str | None = None) -> None:
    """Add a member, with the join line and its event; nothing happens for a member."""
    if user.id in channel.members:
        return
    channel.members.append(user.id)
    line = Message(channel.id, channel.team_id, world.stamp(), "", user.id, "channel_join")
    line.text, line.inviter = f"<@{user.id}> has joined the channel", inviter
    publish(world, line)
    _tell_membership(world, "member_joined_channel", user, channel, inviter)


def leave(world: World, user: User, channel: Channel) -> None:
    """Remove a member; the event still reaches apps that were removed by it."""
    if user.id not in channel.members:
        return
    _tell_membership(world, "member_left_channel", user, channel, None)
    channel.members.remove(user.id)


def _tell_membership(
    world: World, kind: str, user: User, channel: Channel, inviter: str | None
) -> None:
    letter = "C" if channel.kind == "channel" else "G"
    event: Json = {"type": kind, "user": user.id, "channel": channel.id, "channel_type": letter}
    event["team"] = user.team_id
    if inviter is not None:
        event["inviter"] = inviter
    event["event_ts"] = world.stamp()
    world.tell(Occurrence(event, channel.team_id, channel.id))


def mentions(text: str) -> set[str]:
    """Return the user ids that a message's text mentions."""
    return set(re.findall(r"<@([A-Z0-9]+)(?:\|[^>]*)?>", text))
