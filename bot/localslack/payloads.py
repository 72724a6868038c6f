"""The payloads of commands, actions, shortcuts and views, field by field as Slack sends them."""

from bot.localslack import render
from bot.localslack.model import App, Channel, Installation, Json, Message, User, View
from bot.localslack.passes import Passes, describe_team, describe_user

TOKEN = "deprecated-token"  # noqa: S105 (what Slack's own samples show)


def slash_command(
    passes: Passes, app: App, user: User, channel: Channel, *, command: str, text: str
) -> Json:
    """Return the form fields of a slash command."""
    world, installation = passes.world, app.installations[channel.team_id]
    team = world.teams[channel.team_id]
    fields: Json = {
        "token": TOKEN,
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel.id,
        "channel_name": channel.payload_name,
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": app.id,
        "is_enterprise_install": "false",
        "response_url": passes.respond_url(
            "commands", app, installation, channel=channel.id, user=user.id
        ),
        "trigger_id": passes.trigger(app, team.id, user.id),
    }
    if team.enterprise_id:
        fields |= {"enterprise_id": team.enterprise_id, "enterprise_name": team.enterprise_name}
    return fields


def message_action(
    passes: Passes, app: App, user: User, message: Message, *, values: Json, action: Json
) -> Json:
    """Return a block action on a message; an ephemeral one does not come along."""
    world = passes.world
    channel = world.channels[message.channel]
    installation = app.installations[channel.team_id]
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": message.visible_to is not None,
    }
    if message.thread_ts is not None:
        container["thread_ts"] = message.thread_ts
    payload = _action_head(passes, app, user, channel.team_id, container=container)
    payload["channel"] = {"id": channel.id, "name": channel.payload_name}
    if message.visible_to is None:
        payload["message"] = render.show_stored(world, message, metadata=True)
    url = passes.respond_url(
        "actions", app, installation, channel=channel.id, user=user.id, origin=message
    )
    return payload | {"state": {"values": values}, "response_url": url, "actions": [action]}


def view_action(passes: Passes, app: App, user: User, view: View, action: Json) -> Json:
    """Return a block action inside a modal or Home tab."""
    container: Json = {"type": "view", "view_id": view.id}
    payload = _action_head(passes, app, user, view.team_id, container=container, view=view.id)
    shown = render.show_view(view, app)
    return payload | {"view": shown, "state": shown["state"], "actions": [action]}


def _action_head(
    passes: Passes, app: App, user: User, team_id: str, *, container: Json, view: str | None = None
) -> Json:
    return {
        "type": "block_actions",
        "user": describe_user(passes.world, user.id),
        "api_app_id": app.id,
        "token": TOKEN,
        "container": container,
        "trigger_id": passes.trigger(app, team_id, user.id, view),
    } | describe_team(passes.world, team_id)


def message_shortcut(
    passes: Passes, app: App, user: User, callback_id: str, message: Message
) -> Json:
    """Return a shortcut on a message."""
    world = passes.world
    channel = world.channels[message.channel]
    installation: Installation = app.installations[channel.team_id]
    url = passes.respond_url("app", app, installation, channel=channel.id, user=user.id)
    return {
        "type": "message_action",
        "token": TOKEN,
        "action_ts": world.stamp(),
        "user": describe_user(world, user.id),
        "channel": {"id": channel.id, "name": channel.payload_name},
        "callback_id": callback_id,
        "trigger_id": passes.trigger(app, channel.team_id, user.id),
        "response_url": url,
        "message_ts": message.ts,
        "message": render.show_stored(world, message, metadata=True),
    } | describe_team(world, channel.team_id)


def global_shortcut(passes: Passes, app: App, user: User, callback_id: str) -> Json:
    """Return a shortcut from anywhere: no channel, no response_url."""
    world = passes.world
    return {
        "type": "shortcut",
        "token": TOKEN,
        "action_ts": world.stamp(),
        "user": describe_user(world, user.id, named=False),
        "callback_id": callback_id,
        "trigger_id": passes.trigger(app, user.team_id, user.id),
    } | describe_team(world, user.team_id)


def view_submission(
    passes: Passes, app: App, user: User, view: View, response_urls: list[Json]
) -> Json:
    """Return a submitted modal."""
    return {
        "type": "view_submission",
        "user": describe_user(passes.world, user.id),
        "api_app_id": app.id,
        "token": TOKEN,
        "trigger_id": passes.trigger(app, view.team_id, user.id, view.id),
        "view": render.show_view(view, app),
        "response_urls": response_urls,
    } | describe_team(passes.world, view.team_id)


def view_closed(passes: Passes, app: App, user: User, view: View, *, cleared: bool) -> Json:
    """Return a modal that was closed without being submitted."""
    return {
        "type": "view_closed",
        "user": describe_user(passes.world, user.id),
        "api_app_id": app.id,
        "token": TOKEN,
        "view": render.show_view(view, app),
        "is_cleared": cleared,
    } | describe_team(passes.world, view.team_id)
