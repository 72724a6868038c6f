"""What a workspace is made of: mutable records, each mirroring one Slack object."""

from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Kind = Literal["channel", "group", "im", "mpim"]

SLACKBOT = "USLACKBOT"


@dataclass(slots=True)
class Team:
    """A workspace; `enterprise_id` is set where it belongs to an Enterprise Grid."""

    id: str
    domain: str
    name: str
    enterprise_id: str | None = None
    enterprise_name: str | None = None


@dataclass(slots=True)
class User:
    """A person or a bot user; a stranger is one whose team is not the workspace's own."""

    id: str
    team_id: str
    name: str
    real_name: str
    is_bot: bool = False
    is_admin: bool = False
    is_guest: bool = False
    deleted: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    created: int = 0


@dataclass(slots=True)
class UserGroup:
    """A group that can be mentioned by its handle."""

    id: str
    team_id: str
    handle: str
    name: str
    users: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Channel:
    """A conversation of any kind; `shared_with` names the other teams of Slack Connect."""

    id: str
    team_id: str
    name: str
    kind: Kind
    creator: str
    created: int
    members: list[str] = field(default_factory=list)
    archived: bool = False
    read_only: bool = False
    shared_with: tuple[str, ...] = ()
    topic: str = ""

    @property
    def is_direct(self) -> bool:
        """Whether it is a direct message, of two or of several."""
        return self.kind in {"im", "mpim"}

    @property
    def payload_name(self) -> str:
        """The name that slash commands and actions carry for it."""
        special = {"im": "directmessage", "group": "privategroup", "mpim": self.name}
        return special.get(self.kind, self.name)


@dataclass(slots=True)
class Reaction:
    """One emoji under a message, with who set it, in order."""

    name: str
    users: list[str]


@dataclass(slots=True)
class File:
    """An uploaded file or snippet; `access` mirrors `file_access`, `deleted` its tombstone."""

    id: str
    team_id: str
    user: str
    name: str
    title: str
    mimetype: str
    filetype: str
    mode: Literal["snippet", "hosted"]
    content: bytes
    created: int
    access: Literal["visible", "check_file_info"] = "visible"
    deleted: bool = False
    alt_text: str = ""
    channels: list[str] = field(default_factory=list)
    shares: dict[str, list[str]] = field(default_factory=dict)
    given_to: set[str] = field(default_factory=set)
    """Apps that somebody handed it to in a form."""


@dataclass(slots=True)
class Message:
    """A message of a channel; `visible_to` is set on ephemeral ones alone."""

    channel: str
    team_id: str
    ts: str
    text: str
    user: str | None = None
    subtype: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    username: str | None = None
    icons: Json | None = None
    client_msg_id: str | None = None
    blocks: list[Json] | None = None
    attachments: list[Json] | None = None
    files: list[str] = field(default_factory=list)
    metadata: Json | None = None
    thread_ts: str | None = None
    edited: Json | None = None
    inviter: str | None = None
    reactions: list[Reaction] = field(default_factory=list)
    visible_to: str | None = None

    @property
    def is_reply(self) -> bool:
        """Whether it hangs below another message."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def in_channel(self) -> bool:
        """Whether the channel itself shows it, not only a thread."""
        return not self.is_reply or self.subtype == "thread_broadcast"


@dataclass(slots=True)
class View:
    """A modal or a Home tab as it stands, with what its user typed into it."""

    id: str
    team_id: str
    app_id: str
    user: str
    body: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    values: Json = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Shortcut:
    """A shortcut of an app's manifest."""

    callback_id: str
    name: str
    kind: Literal["message", "global"]


@dataclass(slots=True)
class Installation:
    """An app in one workspace: its bot user, its token and what it was granted."""

    app_id: str
    team_id: str
    bot_user: str
    bot_id: str
    bot_token: str
    scopes: frozenset[str]
    installed_by: str
    refresh_token: str | None = None
    expires_at: float | None = None
    revoked: bool = False
    uninstalled: bool = False


@dataclass(slots=True)
class App:
    """An app's settings and secrets, and where it is installed (by team id)."""

    id: str
    name: str
    app_token: str
    signing_secret: str
    client_id: str
    client_secret: str
    scopes: frozenset[str]
    events: frozenset[str]
    commands: tuple[str, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    request_url: str | None = None
    redirect_url: str | None = None
    rotates_tokens: bool = False
    socket_mode: bool = True
    messages_tab: bool = True
    installations: dict[str, Installation] = field(default_factory=dict)

    @property
    def home(self) -> Installation:
        """The app's only (or first) installation."""
        return next(iter(self.installations.values()))

    @property
    def bot_token(self) -> str:
        """The bot token of the first installation."""
        return self.home.bot_token

    @property
    def bot_user_id(self) -> str:
        """The bot user of the first installation."""
        return self.home.bot_user

    @property
    def bot_id(self) -> str:
        """The bot id of the first installation."""
        return self.home.bot_id
