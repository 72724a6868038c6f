"""The state of the local Slack: every record by its id, unique times, and who listens."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.localslack.clock import Clock
from bot.localslack.composer import Mention
from bot.localslack.errors import SlackError
from bot.localslack.model import (
    SLACKBOT,
    App,
    Channel,
    File,
    Installation,
    Json,
    Kind,
    Message,
    Team,
    User,
    UserGroup,
    View,
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Something that happened: Slack's inner event, and for whom it is meant.

    `app_id` narrows it to one app; `visible` is false for what only the page shows
    (ephemeral messages, views), which is no event of Slack's.
    """

    event: Json
    team_id: str
    channel: str | None = None
    app_id: str | None = None
    visible: bool = True


Listener = Callable[[Occurrence], None]


@dataclass(slots=True)
class World:
    """All records, and the one source of ids and times."""

    clock: Clock
    origin: str = "http://127.0.0.1"
    edit_window: float | None = None
    teams: dict[str, Team] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    groups: dict[str, UserGroup] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    messages: dict[str, dict[str, Message]] = field(default_factory=lambda: defaultdict(dict))
    ephemerals: dict[str, Message] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    apps: dict[str, App] = field(default_factory=dict)
    listeners: list[Listener] = field(default_factory=list)
    _last_us: int = 0
    _counters: Counter[str] = field(default_factory=Counter)

    def stamp(self) -> str:
        """Return a message time that no other call has given or will give, never going back."""
        self._last_us = max(int(self.clock.now() * 1_000_000), self._last_us + 1)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    def count(self, key: str) -> int:
        """Return the next number of the series `key`, from 1."""
        self._counters[key] += 1
        return self._counters[key]

    def mint(self, prefix: str) -> str:
        """Return an id of Slack's form that is not taken yet."""
        return f"{prefix}{self.count(prefix):08d}"

    def tell(self, occurrence: Occurrence) -> None:
        """Hand an occurrence to every listener."""
        for listener in self.listeners:
            listener(occurrence)

    def add_team(self, domain: str, enterprise: str | None = None) -> Team:
        """Create a workspace; with an organisation's name it belongs to an Enterprise Grid."""
        enterprise_id = self.mint("E") if enterprise else None
        team = Team(self.mint("T"), domain, domain.title(), enterprise_id, enterprise)
        self.teams[team.id] = team
        return team

    def add_user(self, team_id: str, name: str, *, prefix: str = "U", **traits: object) -> User:
        """Create a person or a bot user; `traits` are further fields of `User`."""
        real_name = str(traits.pop("real_name", name.title()))
        user = User(self.mint(prefix), team_id, name, real_name, created=int(self.clock.now()))
        for trait, value in traits.items():
            setattr(user, trait, value)
        self.users[user.id] = user
        return user

    def add_channel(self, team_id: str, name: str, kind: Kind, members: Iterable[str]) -> Channel:
        """Create a conversation with these members; nothing is told to anybody."""
        prefix = "D" if kind == "im" else "C"
        ids = list(dict.fromkeys(members))
        creator = ids[0] if ids else SLACKBOT
        channel = Channel(
            self.mint(prefix), team_id, name, kind, creator, int(self.clock.now()), ids
        )
        self.channels[channel.id] = channel
        return channel

    def direct(self, team_id: str, users: Iterable[str]) -> Channel:
        """Return the direct conversation of exactly these users, created where there is none."""
        ids = list(dict.fromkeys(users))
        for channel in self.channels.values():
            if channel.is_direct and set(channel.members) == set(ids):
                return channel
        kind: Kind = "im" if len(ids) == 2 else "mpim"
        names = "--".join(self.users[each].name for each in ids)
        return self.add_channel(team_id, "" if kind == "im" else f"mpdm-{names}-1", kind, ids)

    def message(self, channel: str, ts: str) -> Message:
        """Return the message at `ts`; raises message_not_found."""
        found = self.messages[channel].get(ts)
        if found is None:
            raise SlackError("message_not_found")
        return found

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Return the parent at `ts` and its replies, oldest first."""
        return [each for each in self.messages[channel].values() if ts in (each.ts, each.thread_ts)]

    def installation(self, token: str) -> Installation | None:
        """Return the installation whose bot token this is."""
        installed = (each for app in self.apps.values() for each in app.installations.values())
        return next((each for each in installed if each.bot_token == token), None)

    def resolve(self, team_id: str) -> Callable[[str], Mention | None]:
        """Return a look-up of `@name`, `#name` and ids, for what the people of a team type."""

        def look_up(typed: str) -> Mention | None:
            return self._mention_person(team_id, typed) or self._mention_place(team_id, typed)

        return look_up

    def _mention_person(self, team_id: str, typed: str) -> Mention | None:
        for user in self.users.values():
            if typed == user.id or (typed == f"@{user.name}" and user.team_id == team_id):
                return Mention(f"<@{user.id}>", {"type": "user", "user_id": user.id})
        return None

    def _mention_place(self, team_id: str, typed: str) -> Mention | None:
        for channel in self.channels.values():
            if typed == channel.id or (typed == f"#{channel.name}" and channel.team_id == team_id):
                element = {"type": "channel", "channel_id": channel.id}
                return Mention(f"<#{channel.id}|{channel.name}>", element)
        for group in self.groups.values():
            if typed == f"@{group.handle}" and group.team_id == team_id:
                element = {"type": "usergroup", "usergroup_id": group.id}
                return Mention(f"<!subteam^{group.id}|@{group.handle}>", element)
        return None
