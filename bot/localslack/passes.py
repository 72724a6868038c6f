"""Short-lived passes that Slack hands to apps: trigger ids and response URLs."""

import secrets
from dataclasses import dataclass, field

from bot.localslack.errors import SlackError
from bot.localslack.model import App, Installation, Json, Message
from bot.localslack.world import World

TRIGGER_SECONDS = 3.0
RESPONSE_USES = 5
RESPONSE_SECONDS = 30 * 60.0


@dataclass(slots=True)
class Trigger:
    """The right to open one view in answer to one act of a person."""

    app_id: str
    team_id: str
    user: str
    created: float
    view_id: str | None = None
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """The right to answer one act, five times within thirty minutes."""

    app: App
    installation: Installation
    channel: str
    user: str
    created: float
    origin: Message | None = None
    uses: int = 0


@dataclass(eq=False, slots=True)
class Passes:
    """Every pass handed out, by its id."""

    world: World
    triggers: dict[str, Trigger] = field(default_factory=dict)
    responses: dict[str, ResponseUrl] = field(default_factory=dict)

    def trigger(self, app: App, team_id: str, user: str, view_id: str | None = None) -> str:
        """Return a fresh trigger id; `view_id` names the modal it comes from."""
        number = self.world.count("trigger")
        key = f"{number:012d}.{int(team_id[1:], 36):012d}.{secrets.token_hex(8)}"
        self.triggers[key] = Trigger(app.id, team_id, user, self.world.clock.now(), view_id)
        return key

    def use_trigger(self, key: str, app: App) -> Trigger:
        """Spend a trigger; raises invalid_, exchanged_ or expired_trigger_id."""
        trigger = self.triggers.get(key)
        if trigger is None or trigger.app_id != app.id:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self.world.clock.now() - trigger.created > TRIGGER_SECONDS:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger

    def respond_url(
        self,
        kind: str,
        app: App,
        installation: Installation,
        *,
        channel: str,
        user: str,
        origin: Message | None = None,
    ) -> str:
        """Return a fresh response URL; `origin` is the message that an action came from."""
        number, secret = self.world.count("response"), secrets.token_hex(12)
        path = f"{kind}/{installation.team_id}/{number:012d}/{secret}"
        now = self.world.clock.now()
        self.responses[path] = ResponseUrl(app, installation, channel, user, now, origin)
        return f"{self.world.origin}/{path}"

    def use_response(self, path: str) -> ResponseUrl:
        """Spend one use; raises no_service, expired_url or used_url."""
        response = self.responses.get(path)
        if response is None:
            raise SlackError("no_service")
        if self.world.clock.now() - response.created > RESPONSE_SECONDS:
            raise SlackError("expired_url")
        if response.uses >= RESPONSE_USES:
            raise SlackError("used_url")
        response.uses += 1
        return response


def describe_user(world: World, user: str, *, named: bool = True) -> Json:
    """Return the person of an interaction payload."""
    person = world.users[user]
    shown = {"id": person.id, "username": person.name}
    if named:
        shown["name"] = person.name
    return shown | {"team_id": person.team_id}


def describe_team(world: World, team_id: str) -> Json:
    """Return the workspace, organisation and flags of an interaction payload."""
    team = world.teams[team_id]
    enterprise = None
    if team.enterprise_id:
        enterprise = {"id": team.enterprise_id, "name": team.enterprise_name}
    shown = {"id": team.id, "domain": team.domain}
    if team.enterprise_id:
        shown |= {"enterprise_id": team.enterprise_id, "enterprise_name": str(team.enterprise_name)}
    return {"team": shown, "enterprise": enterprise, "is_enterprise_install": False}
