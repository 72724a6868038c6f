"""Setting the stage: workspaces, people, channels, apps."""

import secrets
from collections.abc import Iterable

from bot.localslack import acts
from bot.localslack.clock import Clock
from bot.localslack.delivery import Timing
from bot.localslack.model import App, Channel, Kind, Shortcut, Team, User, UserGroup
from bot.localslack.observe import Observe

DEFAULT_SCOPES = (
    "app_mentions:read channels:history channels:read chat:write commands files:read "
    "groups:history groups:read im:history im:write reactions:read reactions:write "
    "users:read usergroups:read"
)
DEFAULT_EVENTS = (
    "app_home_opened app_mention app_uninstalled member_joined_channel member_left_channel "
    "message.channels message.groups message.im message.mpim reaction_added reaction_removed "
    "tokens_revoked"
)


def _words(value: str | Iterable[str]) -> frozenset[str]:
    return frozenset(value.split() if isinstance(value, str) else value)


class Stage(Observe):
    """Who and what is there. Setting up tells nobody anything, save `invite`."""

    def __init__(self, clock: Clock | None = None, timing: Timing | None = None) -> None:
        super().__init__(clock, timing)
        self.team = self.world.add_team("example")

    def add_team(self, domain: str, *, enterprise: str | None = None) -> Team:
        """Another workspace; with an organisation's name it is one of an Enterprise Grid."""
        return self.world.add_team(domain, enterprise)

    def add_user(
        self,
        name: str,
        *,
        team: Team | None = None,
        admin: bool = False,
        guest: bool = False,
        real_name: str | None = None,
    ) -> User:
        """Add a person; one of another team is a stranger where a channel is shared."""
        user = self.world.add_user((team or self.team).id, name, is_admin=admin, is_guest=guest)
        user.real_name = real_name or user.real_name
        return user

    def add_bot(self, name: str, *, team: Team | None = None) -> User:
        """Add a bot of somebody else's app, for `post_bot`."""
        bot = self.world.add_user((team or self.team).id, name, is_bot=True)
        bot.bot_id, bot.app_id = self.world.mint("B"), self.world.mint("A")
        return bot

    def add_group(
        self, handle: str, users: Iterable[User], *, team: Team | None = None
    ) -> UserGroup:
        """Add a user group that can be mentioned as @handle."""
        group = UserGroup(self.world.mint("S"), (team or self.team).id, handle, handle.title())
        group.users = [each.id for each in users]
        self.world.groups[group.id] = group
        return group

    def add_channel(
        self,
        name: str,
        members: Iterable[User | App] = (),
        *,
        team: Team | None = None,
        private: bool = False,
        shared_with: Iterable[Team] = (),
    ) -> Channel:
        """Add a public or private channel, shared with other teams where they are named."""
        home = (team or self.team).id
        ids = [self._member_id(each, home) for each in members]
        kind: Kind = "group" if private else "channel"
        channel = self.world.add_channel(home, name, kind, ids)
        channel.shared_with = tuple(each.id for each in shared_with)
        return channel

    def _member_id(self, member: User | App, team_id: str) -> str:
        if isinstance(member, User):
            return member.id
        return member.installations[team_id].bot_user

    def add_app(
        self,
        name: str = "nccl-bot",
        *,
        scopes: str | Iterable[str] = DEFAULT_SCOPES,
        events: str | Iterable[str] = DEFAULT_EVENTS,
        commands: Iterable[str] = ("/nccl",),
        shortcuts: Iterable[Shortcut] = (),
        request_url: str | None = None,
        redirect_url: str | None = None,
        signing_secret: str | None = None,
        install: bool = True,
        rotates_tokens: bool = False,
    ) -> App:
        """Add an app; with a request URL it is reached over HTTP, else over Socket Mode."""
        app_id = self.world.mint("A")
        app = App(
            app_id,
            name,
            f"xapp-1-{app_id}-local-{secrets.token_hex(8)}",
            signing_secret or secrets.token_hex(16),
            f"{self.world.count('client')}.{int(app_id[1:])}",
            secrets.token_hex(16),
            _words(scopes),
            _words(events),
            tuple(commands),
            tuple(shortcuts),
            request_url,
            redirect_url,
            rotates_tokens,
        )
        self.world.apps[app.id] = app
        if install:
            self.install(app)
        return app

    def install(self, app: App, team: Team | None = None) -> App:
        """Install an app into a workspace with all the scopes it asks for."""
        self.workshop.install(app, (team or self.team).id, "USLACKBOT", app.scopes)
        return app

    def invite(self, member: User | App, channel: Channel, by: User | None = None) -> None:
        """Add a member to a channel, with the events that tell of it."""
        user = self.world.users[self._member_id(member, channel.team_id)]
        acts.join(self.world, user, channel, by.id if by else None)

    def remove(self, member: User | App, channel: Channel) -> None:
        """Remove a member from a channel."""
        user = self.world.users[self._member_id(member, channel.team_id)]
        acts.leave(self.world, user, channel)

    def dm(self, user: User, other: User | App) -> Channel:
        """Return the direct conversation of a person with another or with an app."""
        return self.world.direct(user.team_id, [user.id, self._member_id(other, user.team_id)])
