"""Which app hears of what: subscriptions, scopes and membership, and the outer envelope."""

from collections.abc import Iterator

from bot.localslack.acts import mentions
from bot.localslack.model import App, Channel, Installation, Json
from bot.localslack.world import Occurrence, World

_BY_KIND = {
    "channel": ("message.channels", "channels:history"),
    "group": ("message.groups", "groups:history"),
    "im": ("message.im", "im:history"),
    "mpim": ("message.mpim", "mpim:history"),
}
_SCOPES = {
    "app_mention": "app_mentions:read",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "file_shared": "files:read",
}


def route(world: World, occurrence: Occurrence) -> Iterator[tuple[App, Json]]:
    """Every app that hears of an occurrence, each with its enveloped event."""
    if not occurrence.visible:
        return
    for app in list(world.apps.values()):
        if occurrence.app_id not in {None, app.id}:
            continue
        for installation in list(app.installations.values()):
            for event in _events_for(world, app, installation, occurrence):
                yield app, envelop(world, app, installation, event, occurrence.channel)


def _events_for(
    world: World, app: App, installation: Installation, occurrence: Occurrence
) -> Iterator[Json]:
    channel = world.channels.get(occurrence.channel or "")
    if installation.uninstalled and occurrence.app_id is None:
        return
    if not _is_within(installation, occurrence, channel):
        return
    event = occurrence.event
    if _is_granted(app, installation, event, channel):
        yield event
    if channel is not None and _mentions_app(app, installation, event, channel):
        inner = {key: value for key, value in event.items() if key != "channel_type"}
        yield inner | {"type": "app_mention"}


def _is_within(installation: Installation, occurrence: Occurrence, channel: Channel | None) -> bool:
    if channel is None:
        return installation.team_id == occurrence.team_id
    teams = {channel.team_id, *channel.shared_with}
    return installation.team_id in teams and installation.bot_user in channel.members


def _is_granted(app: App, installation: Installation, event: Json, channel: Channel | None) -> bool:
    kind = str(event["type"])
    if kind == "message" and channel is not None:
        subscription, scope = _BY_KIND[channel.kind]
        return subscription in app.events and scope in installation.scopes
    needed = _SCOPES.get(kind)
    if kind.startswith("member_") and channel is not None:
        needed = "channels:read" if channel.kind == "channel" else "groups:read"
    return kind in app.events and (needed is None or needed in installation.scopes)


def _mentions_app(app: App, installation: Installation, event: Json, channel: Channel) -> bool:
    return (
        event["type"] == "message"
        and not event.get("hidden")
        and channel.kind != "im"
        and event.get("user") != installation.bot_user
        and "app_mention" in app.events
        and "app_mentions:read" in installation.scopes
        and installation.bot_user in mentions(str(event.get("text", "")))
    )


def envelop(
    world: World, app: App, installation: Installation, event: Json, channel_id: str | None
) -> Json:
    """Return the outer body of an event, with an id of its own."""
    team = world.teams[installation.team_id]
    number = world.count("Ev")
    channel = world.channels.get(channel_id or "")
    body: Json = {
        "token": "deprecated-token",
        "team_id": team.id,
        "context_team_id": team.id,
        "context_enterprise_id": team.enterprise_id,
        "api_app_id": app.id,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{number:010d}",
        "event_time": int(world.clock.now()),
        "authorizations": [_authorization(installation, team.enterprise_id)],
        "is_ext_shared_channel": bool(channel and channel.shared_with),
        "event_context": f"4-local-context-{number}",
    }
    if team.enterprise_id is not None:
        body["enterprise_id"] = team.enterprise_id
    return body


def _authorization(installation: Installation, enterprise_id: str | None) -> Json:
    return {
        "enterprise_id": enterprise_id,
        "team_id": installation.team_id,
        "user_id": installation.bot_user,
        "is_bot": True,
        "is_enterprise_install": False,
    }
