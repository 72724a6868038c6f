"""reactions.*: the bot's own reactions, and reading those of a message."""

from bot.localslack import acts, render
from bot.localslack.errors import SlackError
from bot.localslack.model import Json, Message
from bot.localslack.webapi.registry import Call, method

_TARGET = {"channel": "string!", "timestamp": "timestamp!"}


def _target(call: Call) -> Message:
    channel = call.channel()
    if channel.archived:
        raise SlackError("is_archived")
    message = call.world.message(channel.id, str(call.args["timestamp"]))
    if message.subtype == "tombstone":
        raise SlackError("message_not_found")
    return message


@method("reactions.add", _TARGET | {"name": "string!"}, scope="reactions:write")
def add(call: Call) -> Json:
    """React as the bot."""
    message = _target(call)
    call.joined_channel()
    acts.react(call.world, call.bot.id, message, str(call.args["name"]))
    return {}


@method("reactions.remove", _TARGET | {"name": "string!"}, scope="reactions:write", tier="2")
def remove(call: Call) -> Json:
    """Take a reaction of the bot back."""
    message = _target(call)
    acts.unreact(call.world, call.bot.id, message, str(call.args["name"]))
    return {}


@method("reactions.get", _TARGET | {"full": "boolean"}, scope="reactions:read")
def get(call: Call) -> Json:
    """Return a message with its reactions."""
    message = _target(call)
    shown = render.show_stored(call.world, message)
    return {"type": "message", "channel": message.channel, "message": shown}
