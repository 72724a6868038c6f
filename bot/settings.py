"""Environment and file -> Settings, checked once at start."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook

from bot.errors import UsageError
from rules.entry import Verification
from rules.policy import LEAST_STRENGTH, MOST_STRENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

PREFIX = "NCCL_BOT_"
FILE_VARIABLE = "NCCL_BOT_CONFIG"


class SettingsError(UsageError):
    """A setting is missing or wrong; the text names it and says how to mend it."""


def _split(value: object) -> object:
    return (
        [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, str)
        else value
    )


def _parse(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except RecursionError:
        raise ValueError("must be a table, such as {...}: it is nested too deep") from None


Paths = Annotated[tuple[Path, ...], BeforeValidator(_split)]
Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
Authors = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_parse)]
Strengths = Annotated[
    dict[Verification, Annotated[float, Field(ge=LEAST_STRENGTH, le=MOST_STRENGTH)]],
    BeforeValidator(_parse),
]


class Settings(BaseModel):
    """All that can be set. The environment wins over the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    slack_bot_token: SecretStr | None = None
    """Bot token of the workspace (`xoxb-…`); read from SLACK_BOT_TOKEN."""
    slack_app_token: SecretStr | None = None
    """App-level token (`xapp-…`) with connections:write; read from SLACK_APP_TOKEN. Set: Socket Mode."""
    slack_signing_secret: SecretStr | None = None
    """Signing secret of the app; read from SLACK_SIGNING_SECRET. Set, without an app token: HTTP mode."""
    client_id: str | None = None
    """Client id of the app; set, in HTTP mode: workspaces install the app by themselves."""
    client_secret: SecretStr | None = None
    """Client secret of the app, for installing."""
    public_url: str | None = None
    """Address under which Slack and people reach the bot, such as https://bot.example.com, for installing."""
    home_team: str | None = None
    """Id (`T…`) of the workspace that job failures and the digest go to, where several have the app."""
    strangers_vote: bool = False
    """Whether people of other organizations, in channels shared by Slack Connect, may vote."""
    slack_api_url: str = "https://slack.com/api/"
    """Where the Web API is; another address for a proxy."""
    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("nccl-bot"))
    """Folder of the database and the generated key."""
    database_url: str | None = None
    """SQLAlchemy address, such as postgresql+asyncpg://host/name; SQLite in `data_dir` where not given."""
    key: SecretStr | None = None
    """Key that seals stored deliveries (32 bytes in URL-safe base64); generated in `data_dir` where not given."""
    host: str = "127.0.0.1"
    """Address to listen on for webhooks, health, metrics and, in HTTP mode, Slack."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port to listen on; 0 takes a free one."""
    kb_dirs: Paths = ()
    """Folders of further knowledge base entries, separated by commas; a later one wins."""
    max_body_mb: Annotated[int, Field(ge=1, le=100)] = 8
    """Largest request body that is taken, in MiB."""
    max_file_mb: Annotated[int, Field(ge=1, le=1000)] = 50
    """How much of a posted file is fetched, in MiB; unpacked, 20 times as much of it is read."""
    incident_hours: Annotated[float, Field(gt=0)] = 24.0
    """Posts of one failure further apart than this are two incidents."""
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    """Least confidence to answer in a channel; the engine's fitted one where not given."""
    bots_allowed: Names = ()
    """Bot ids (`B…`) whose posts may be answered, separated by commas."""
    webhook_channel: str | None = None
    """Id of the channel that job failures go to; without it the webhooks are closed."""
    webhook_secret: SecretStr | None = None
    """Standard Webhooks secret (`whsec_…`) of the generic job-failure webhook."""
    webhook_token: SecretStr | None = None
    """Bearer token of the job-failure webhooks, for senders that cannot sign."""
    maintainers: Names = ()
    """User ids (`U…`) of maintainers, separated by commas; workspace admins are maintainers too."""
    maintainer_channel: str | None = None
    """Id of the channel that the weekly digest goes to; without it there is none."""
    ask_poster: bool = True
    """Ask the poster once, a day later, whether a step helped, where nobody voted."""
    outcomes: Literal["off", "record", "count"] = "off"
    """Jobs that succeed after their failure was answered: not noted, noted apart, or counted too, weakly."""
    pseudonym_days: Annotated[float, Field(ge=2)] = 90.0
    """Days after which ids of voters and posters become pseudonyms."""
    barred: Names = ()
    """User ids whose votes do not count, such as shared accounts, separated by commas."""
    authors: Authors = {}
    """User ids by entry id (or `domain/*`) who wrote it and do not vote on it: a table, or JSON."""
    strengths: Strengths = {}
    """Incidents that a stated rate is worth, by verification, as `nccl-bot replay --refit` fits them: a table, or JSON."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least level of what is logged."""
    log_format: Literal["auto", "json", "console"] = "auto"
    """Form of the log; `auto` is console on a terminal and JSON elsewhere."""

    @field_validator("slack_api_url")
    @classmethod
    def _end_with_slash(cls, value: str) -> str:
        return value if value.endswith("/") else f"{value}/"

    @field_validator("database_url")
    @classmethod
    def _name_async_driver(cls, value: str | None) -> str | None:
        drivers = {
            "postgresql": "postgresql+asyncpg",
            "postgres": "postgresql+asyncpg",
            "sqlite": "sqlite+aiosqlite",
        }
        scheme, separator, rest = (value or "").partition("://")
        return f"{drivers.get(scheme, scheme)}{separator}{rest}" if value else None

    @field_validator("webhook_secret")
    @classmethod
    def _read_secret(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            try:
                Webhook(value.get_secret_value())
            except (ValueError, EmptyWebhookSecretError):
                raise ValueError("must be whsec_ and base64") from None
        return value

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        is_local = parts.hostname in {"127.0.0.1", "localhost"}
        if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
            raise ValueError("must begin with https://")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _need_tokens(self) -> Self:
        if self.client_id and not self.slack_app_token:
            self._check_installing()
        elif (self.slack_app_token or self.slack_signing_secret) and not self.slack_bot_token:
            raise ValueError(
                "SLACK_BOT_TOKEN is missing: copy it from the app's page, OAuth & Permissions"
            )
        if self.slack_bot_token and self.mode == "playground":
            raise ValueError(
                "SLACK_BOT_TOKEN alone is not enough: set SLACK_APP_TOKEN for Socket Mode "
                "or SLACK_SIGNING_SECRET for HTTP"
            )
        return self

    def _check_installing(self) -> None:
        if self.slack_bot_token:
            raise ValueError(
                "SLACK_BOT_TOKEN is for one workspace and NCCL_BOT_CLIENT_ID for several: "
                "unset one of them"
            )
        needed = {
            "SLACK_SIGNING_SECRET": self.slack_signing_secret,
            "NCCL_BOT_CLIENT_SECRET": self.client_secret,
            "NCCL_BOT_PUBLIC_URL": self.public_url,
            "NCCL_BOT_KEY": self.key,
        }
        if self.webhook_channel or self.maintainer_channel:
            needed["NCCL_BOT_HOME_TEAM"] = self.home_team
        missing = [name for name, value in needed.items() if not value]
        if missing:
            raise ValueError(f"with NCCL_BOT_CLIENT_ID set, set also {', '.join(missing)}")

    @property
    def installs(self) -> bool:
        """Whether workspaces install the app by themselves; the app token wins."""
        return bool(self.client_id) and self.mode == "http"

    @property
    def client_secret_value(self) -> str:
        """The client secret in the clear."""
        return self.client_secret.get_secret_value() if self.client_secret else ""

    @property
    def mode(self) -> Literal["socket", "http", "playground"]:
        """How Slack is reached; the app token wins, and without credentials it is the playground."""
        if self.slack_app_token:
            return "socket"
        return "http" if self.slack_signing_secret else "playground"

    @property
    def resolved_database_url(self) -> str:
        """`database_url`, or SQLite in the data folder."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir / 'nccl-bot.db'}"


SLACK_VARIABLES = {
    "SLACK_BOT_TOKEN": "slack_bot_token",
    "SLACK_APP_TOKEN": "slack_app_token",
    "SLACK_SIGNING_SECRET": "slack_signing_secret",
}


def read_settings(
    environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Settings:
    """Read settings from `file` (TOML) and the environment.

    Raises SettingsError that names each wrong setting, without its value.
    """
    environment = os.environ if environment is None else environment
    path = file or (Path(environment[FILE_VARIABLE]) if environment.get(FILE_VARIABLE) else None)
    values: dict[str, object] = _read_file(path) if path else {}
    values |= {
        field: environment[name] for name, field in SLACK_VARIABLES.items() if environment.get(name)
    }
    values |= {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(PREFIX) and name != FILE_VARIABLE and value
    }
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(
            "; ".join(_say(item) for item in error.errors(include_input=False))
        ) from None


def _read_file(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from None


def _say(item: Mapping[str, object]) -> str:
    location = item["loc"]
    assert isinstance(location, tuple)
    if not location:
        return str(item["msg"]).removeprefix("Value error, ")
    field = str(location[0])
    names = {field: name for name, field in SLACK_VARIABLES.items()}
    name = names.get(field, f"{PREFIX}{field.upper()}")
    return f"{name}: {'no such setting' if item['type'] == 'extra_forbidden' else item['msg']}"
