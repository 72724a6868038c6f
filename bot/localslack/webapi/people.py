"""users.*, usergroups.*, bots.*, team.*, auth.* and apps.*: who is who."""

from bot.localslack import render
from bot.localslack.errors import SlackError
from bot.localslack.model import Json, User
from bot.localslack.webapi.conversations import page
from bot.localslack.webapi.registry import Call, method
from bot.localslack.world import Occurrence


@method("auth.test", {}, tier="special")
def test(call: Call) -> Json:
    """Whose token this is."""
    team = call.world.teams[call.installation.team_id]
    answer: Json = {
        "url": f"{call.world.origin}/",
        "team": team.name,
        "user": call.bot.name,
        "team_id": team.id,
        "user_id": call.bot.id,
        "bot_id": call.installation.bot_id,
        "is_enterprise_install": False,
    }
    if team.enterprise_id:
        answer["enterprise_id"] = team.enterprise_id
    return answer


@method("auth.revoke", {"test": "boolean"})
def revoke(call: Call) -> Json:
    """Give the token back; the app is told by tokens_revoked."""
    if call.args.get("test"):
        return {"revoked": False}
    call.installation.revoked = True
    event: Json = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [call.bot.id]}}
    call.world.tell(Occurrence(event, call.installation.team_id, app_id=call.app.id))
    return {"revoked": True}


@method("apps.connections.open", {}, token="app", tier="1")  # noqa: S106 (a kind of token)
def open_connection(call: Call) -> Json:
    """Return an address for one Socket Mode connection."""
    assert call.services is not None
    if not call.app.socket_mode:
        raise SlackError("internal_error")
    return {"url": call.services.open_socket(call.app)}


def _known(call: Call, user: User | None) -> User:
    team = call.installation.team_id
    if user is None:
        raise SlackError("user_not_found")
    shared = any(
        {user.id, call.bot.id} <= set(channel.members) for channel in call.world.channels.values()
    )
    if user.team_id != team and not shared:
        raise SlackError("user_not_visible")
    return user


@method(
    "users.info", {"user": "string!", "include_locale": "boolean"}, scope="users:read", tier="4"
)
def user_info(call: Call) -> Json:
    """One person or bot user."""
    user = _known(call, call.world.users.get(str(call.args["user"])))
    return {"user": render.show_user(user, call.installation.team_id)}


@method(
    "users.list",
    {"cursor": "string", "limit": "integer", "include_locale": "boolean", "team_id": "string"},
    scope="users:read",
    tier="2",
)
def list_users(call: Call) -> Json:
    """Return the people and bot users of the workspace."""
    team = call.installation.team_id
    own = [each for each in call.world.users.values() if each.team_id == team]
    users, cursor = page(call, own, 100)
    shown = [render.show_user(each, team) for each in users]
    return {"members": shown, "response_metadata": {"next_cursor": cursor}}


@method(
    "usergroups.list",
    {
        "include_users": "boolean",
        "include_count": "boolean",
        "include_disabled": "boolean",
        "team_id": "string",
    },
    scope="usergroups:read",
    tier="2",
)
def list_groups(call: Call) -> Json:
    """Return the user groups of the workspace."""
    shown: list[Json] = []
    for group in call.world.groups.values():
        if group.team_id != call.installation.team_id:
            continue
        entry: Json = {"id": group.id, "team_id": group.team_id, "is_usergroup": True}
        entry |= {"name": group.name, "handle": group.handle, "date_delete": 0}
        if call.args.get("include_users"):
            entry["users"] = list(group.users)
        if call.args.get("include_count"):
            entry["user_count"] = len(group.users)
        shown.append(entry)
    return {"usergroups": shown}


@method("bots.info", {"bot": "string", "team_id": "string"}, scope="users:read")
def bot_info(call: Call) -> Json:
    """Return the bot of an app, by its bot id; without one, the caller itself."""
    wanted = call.args.get("bot") or call.installation.bot_id
    users = call.world.users.values()
    user = next((each for each in users if each.bot_id == wanted), None)
    if user is None:
        raise SlackError("bot_not_found")
    app = call.world.apps.get(user.app_id or "")
    shown: Json = {"id": wanted, "deleted": user.deleted, "name": app.name if app else user.name}
    return {"bot": shown | {"updated": user.created, "app_id": user.app_id, "user_id": user.id}}


@method("team.info", {"team": "string", "domain": "string"}, scope="team:read")
def team_info(call: Call) -> Json:
    """Return the workspace of the token."""
    team = call.world.teams[call.installation.team_id]
    if call.args.get("team", team.id) != team.id:
        raise SlackError("team_not_found")
    return {"team": render.show_team(team)}
