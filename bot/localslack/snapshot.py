"""What the page shows: the whole state once, then each change."""

from collections.abc import Iterator

from bot.localslack import render
from bot.localslack.interact import Interact
from bot.localslack.model import Channel, Json, Message
from bot.localslack.world import Occurrence


def show_state(slack: Interact) -> Json:
    """Return everything: people, apps, channels with messages, views."""
    world = slack.world
    return {
        "team": render.show_team(slack.team),
        "users": [
            {"id": each.id, "name": each.name, "real_name": each.real_name, "is_bot": each.is_bot}
            for each in world.users.values()
        ],
        "groups": [{"id": each.id, "handle": each.handle} for each in world.groups.values()],
        "apps": [
            {
                "id": app.id,
                "name": app.name,
                "bots": [each.bot_user for each in app.installations.values()],
                "commands": list(app.commands),
                "shortcuts": [
                    {"callback_id": each.callback_id, "name": each.name, "kind": each.kind}
                    for each in app.shortcuts
                ],
            }
            for app in world.apps.values()
        ],
        "channels": [_show_channel(slack, each) for each in world.channels.values()],
        "whispers": [_show_whisper(slack, each) for each in world.ephemerals.values()],
        "views": [show_views(slack, user) for user in world.users],
    }


def _show_channel(slack: Interact, channel: Channel) -> Json:
    messages = slack.world.messages[channel.id].values()
    return {
        "id": channel.id,
        "name": channel.name,
        "kind": channel.kind,
        "archived": channel.archived,
        "members": channel.members,
        "messages": [render.show_stored(slack.world, each) for each in messages],
    }


def _show_whisper(slack: Interact, message: Message) -> Json:
    shown = render.show_inner(slack.world, message)
    return {"channel": message.channel, "user": message.visible_to, "message": shown}


def show_views(slack: Interact, user: str) -> Json:
    """Return the open modals of a person, lowest first, and their Home tabs by app."""
    world = slack.world
    stack = slack.gallery.stacks.get(user, [])
    homes = {app: view for (app, who), view in slack.gallery.homes.items() if who == user}
    return {
        "user": user,
        "modals": [
            render.show_view(each, world.apps[each.app_id]) | {"errors": each.errors}
            for each in stack
        ],
        "homes": {app: render.show_view(view, world.apps[app]) for app, view in homes.items()},
    }


def show_occurrence(slack: Interact, occurrence: Occurrence) -> Iterator[Json]:
    """Yield the frames that bring the page up to date after something happened."""
    event = occurrence.event
    kind = str(event["type"])
    if kind in {"view", "view_closed"}:
        yield {"kind": "views"} | show_views(slack, str(event["user"]))
    elif kind == "ephemeral":
        yield {"kind": "whisper"} | _show_whisper(slack, slack.world.ephemerals[event["ts"]])
    elif kind == "ephemeral_deleted":
        yield {"kind": "whisper_gone", "channel": event["channel"], "ts": event["ts"]}
    elif kind == "message":
        yield from _show_change(slack, event)
    elif kind.startswith("reaction_"):
        yield from _show_message(slack, event["item"]["channel"], event["item"]["ts"])
    elif kind.startswith("member_"):
        channel = slack.world.channels[event["channel"]]
        yield {"kind": "members", "channel": channel.id, "members": list(channel.members)}


def _show_change(slack: Interact, event: Json) -> Iterator[Json]:
    channel = str(event["channel"])
    if event.get("subtype") == "message_deleted":
        yield {"kind": "gone", "channel": channel, "ts": event["deleted_ts"]}
        thread = event["previous_message"].get("thread_ts")
    else:
        message = event.get("message", event)
        yield from _show_message(slack, channel, message["ts"])
        thread = message.get("thread_ts")
    if thread is not None:
        yield from _show_message(slack, channel, thread)


def _show_message(slack: Interact, channel: str, ts: str) -> Iterator[Json]:
    message = slack.world.messages[channel].get(ts)
    if message is not None:
        shown = render.show_stored(slack.world, message)
        yield {"kind": "message", "channel": channel, "message": shown}
