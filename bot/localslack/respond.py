"""Answers through a response_url: new, replaced or deleted messages, by five uses at most."""

from bot.localslack import acts
from bot.localslack.errors import SlackError
from bot.localslack.model import Json, Message
from bot.localslack.passes import ResponseUrl
from bot.localslack.webapi.arguments import check_arguments
from bot.localslack.webapi.content import CONTENT, Content, read_content
from bot.localslack.world import World

_ARGUMENTS = CONTENT | {
    "response_type": "string",
    "replace_original": "boolean",
    "delete_original": "boolean",
    "thread_ts": "timestamp",
}
_TYPES = {"ephemeral", "in_channel"}


def respond(world: World, response: ResponseUrl, body: Json) -> None:
    """Carry out one answer; raises the codes of chat.postMessage.

    An answer to a message's own action replaces that message unless `replace_original` is
    false, as Slack documents for interactive messages.
    """
    args = check_arguments(body, _ARGUMENTS)
    if args.get("response_type", "ephemeral") not in _TYPES:
        raise SlackError("invalid_arguments")
    if args.get("delete_original"):
        _delete_original(world, response)
        return
    content = read_content(world, args)
    if content.is_empty:
        raise SlackError("no_text")
    if response.origin is not None and args.get("replace_original", True):
        _replace_original(world, response.origin, content)
    else:
        _post(world, response, args, content)


def _delete_original(world: World, response: ResponseUrl) -> None:
    origin = response.origin
    if origin is None:
        raise SlackError("message_not_found")
    if origin.visible_to:
        acts.withdraw_whisper(world, origin)
    else:
        acts.delete(world, world.message(origin.channel, origin.ts))


def _replace_original(world: World, origin: Message, content: Content) -> None:
    text, blocks, attachments = content.text or "", content.blocks, content.attachments
    if origin.visible_to:
        origin.text, origin.blocks, origin.attachments = text, blocks, attachments
        acts.rewrite_whisper(world, origin)
        return
    world.message(origin.channel, origin.ts)
    acts.edit(world, origin, editor=origin.user, text=text, blocks=blocks, attachments=attachments)


def _post(world: World, response: ResponseUrl, args: Json, content: Content) -> None:
    message = Message(
        response.channel,
        response.installation.team_id,
        world.stamp(),
        content.text or "",
        subtype="bot_message",
        bot_id=response.installation.bot_id,
        app_id=response.app.id,
        blocks=content.blocks,
        attachments=content.attachments,
        metadata=content.metadata or None,
        thread_ts=args.get("thread_ts"),
    )
    if args.get("response_type", "ephemeral") == "in_channel":
        acts.publish(world, message)
    else:
        message.visible_to = response.user
        acts.whisper(world, message)
