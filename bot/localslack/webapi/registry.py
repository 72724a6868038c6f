"""What a Web API method is: its name, arguments, scopes and rate tier, and the call itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.localslack.errors import SlackError
from bot.localslack.model import App, Channel, File, Installation, Json, User
from bot.localslack.passes import Trigger
from bot.localslack.viewing import Gallery
from bot.localslack.world import World

Tier = Literal["special", "1", "2", "3", "4"]
Token = Literal["bot", "app", "none"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an app, and for a bot token the installation that it belongs to."""

    app: App
    installation: Installation | None = None


@dataclass(eq=False, slots=True)
class Call:
    """One call of a Web API method, as the method sees it and as tests look it up later."""

    method: str
    args: Json
    world: World
    caller: Caller | None = None
    services: "Services | None" = None
    answer: Json = field(default_factory=dict)
    status: int = 200
    at: float = 0.0

    @property
    def installation(self) -> Installation:
        """The installation of the bot token."""
        assert self.caller is not None
        assert self.caller.installation is not None
        return self.caller.installation

    @property
    def app(self) -> App:
        """The calling app."""
        assert self.caller is not None
        return self.caller.app

    @property
    def bot(self) -> User:
        """The calling bot user."""
        return self.world.users[self.installation.bot_user]

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return bool(self.answer.get("ok"))

    def require(self, scope: str) -> None:
        """Refuse with missing_scope unless the token has this scope."""
        granted = self.installation.scopes
        if scope not in granted:
            provided = ",".join(sorted(granted))
            raise SlackError("missing_scope", needed=scope, provided=provided)

    def channel(self, key: str = "channel") -> Channel:
        """Return the conversation that an argument names; raises channel_not_found."""
        named = str(self.args[key])
        channel = self.world.channels.get(named) or self._by_name(named.removeprefix("#"))
        if channel is None or not self._may_see(channel):
            raise SlackError("channel_not_found")
        return channel

    def _by_name(self, name: str) -> Channel | None:
        team = self.installation.team_id
        channels = self.world.channels.values()
        return next((each for each in channels if (each.name, each.team_id) == (name, team)), None)

    def _may_see(self, channel: Channel) -> bool:
        if self.installation.team_id not in {channel.team_id, *channel.shared_with}:
            return False
        return channel.kind == "channel" or self.is_member(channel)

    def is_member(self, channel: Channel) -> bool:
        """Whether the bot is in the conversation."""
        return self.installation.bot_user in channel.members

    def joined_channel(self, key: str = "channel") -> Channel:
        """As `channel`; raises not_in_channel where the bot is not a member."""
        channel = self.channel(key)
        if not self.is_member(channel):
            raise SlackError("not_in_channel")
        return channel


@dataclass(frozen=True, slots=True)
class Services:
    """What methods need beyond the world: short-lived tokens and the socket's tickets."""

    open_socket: Callable[[App], str]
    use_trigger: Callable[[str, App], Trigger]
    start_upload: Callable[[Call], Json]
    finish_upload: Callable[[str, str | None], File]
    exchange_code: Callable[[Call], Json]
    gallery: Gallery


Handler = Callable[[Call], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """A registered method; `arguments` maps each name to its type, `!` marks a required one."""

    name: str
    handler: Handler
    arguments: Mapping[str, str]
    scope: str | None
    token: Token
    tier: Tier


METHODS: dict[str, Method] = {}


def method(
    name: str,
    arguments: Mapping[str, str],
    *,
    scope: str | None = None,
    token: Token = "bot",  # noqa: S107 (a kind of token, not one)
    tier: Tier = "3",
) -> Callable[[Handler], Handler]:
    """Register a handler as a Web API method."""

    def register(handler: Handler) -> Handler:
        METHODS[name] = Method(name, handler, arguments, scope, token, tier)
        return handler

    return register
