"""Which workspaces the bot is installed in, and as whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import aiohttp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import UsageError

TIMEOUT_SECONDS = 15
OUT_OF_REACH = (SlackApiError, aiohttp.ClientError, OSError, TimeoutError)
"""What Slack or the network raise for a failure that may pass."""


class SlackUnusableError(UsageError):
    """Slack refuses the bot or cannot be reached; the text says why and what to do."""


class NotInstalledError(Exception):
    """The workspace that something is for has no installation, or none any more."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One installation: whose rows are whose, and the client to call Slack with."""

    team: str
    bot_user: str
    bot_id: str
    url: str
    client: AsyncWebClient = field(repr=False, compare=False)
    enterprise: str | None = None
    """Organization of an Enterprise Grid that the workspace belongs to."""

    def link(self, channel: str, ts: str, thread: str | None = None) -> str:
        """Address of a message."""
        address = f"{self.url}archives/{channel}/p{ts.replace('.', '')}"
        return f"{address}?thread_ts={thread}&cid={channel}" if thread else address


class Workspaces(Protocol):
    """Finds the installation that a delivery or a row belongs to."""

    async def find(self, team: str) -> Workspace | None:
        """Find the installation in `team`.

        Raises one of OUT_OF_REACH where it is there and cannot be used now.
        """

    async def primary(self) -> Workspace:
        """Return the installation that deliveries without a team belong to.

        Raises NotInstalledError where it is gone.
        """


class OneWorkspace:
    """The installation of a bot token: whatever team a payload names, it is this one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def find(self, team: str) -> Workspace | None:
        """Find the installation."""
        del team
        return self._workspace

    async def primary(self) -> Workspace:
        """Return the installation."""
        return self._workspace


def read_reason(error: SlackApiError) -> str:
    """Return Slack's word for what is wrong; the HTTP status where there is none."""
    data = getattr(error.response, "data", error.response)
    if isinstance(data, dict):
        return str(data.get("error", "unknown"))
    return f"http_{getattr(error.response, 'status_code', 'unknown')}"


def make_client(token: str | None, api_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """Make a client over a shared session.

    Nothing is retried by it: a lost answer of chat.postMessage must not become a second message.
    """
    client = AsyncWebClient(
        token=token, base_url=api_url, session=session, timeout=TIMEOUT_SECONDS, retry_handlers=[]
    )
    client.retry_handlers.clear()
    return client


async def connect(token: str, api_url: str, session: aiohttp.ClientSession) -> Workspace:
    """Ask Slack whose token it is. Raises SlackUnusableError with what to do."""
    client = make_client(token, api_url, session)
    try:
        who = await client.auth_test()
    except SlackApiError as error:
        reason = read_reason(error)
        message = (
            f"Slack refuses SLACK_BOT_TOKEN ({reason}): copy it again from OAuth & Permissions"
        )
        raise SlackUnusableError(message) from None
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        message = f"cannot reach Slack at {api_url}: {type(error).__name__}"
        raise SlackUnusableError(message) from None
    return Workspace(
        who["team_id"],
        who["user_id"],
        who["bot_id"],
        who["url"],
        client,
        who.get("enterprise_id"),
    )


async def check_app_token(token: str, api_url: str, session: aiohttp.ClientSession) -> None:
    """Open one Socket Mode address, as the SDK's client would retry a bad token for ever.

    Raises SlackUnusableError with what to do.
    """
    client = make_client(None, api_url, session)
    try:
        await client.apps_connections_open(app_token=token)
    except SlackApiError as error:
        reason = read_reason(error)
        message = (
            f"Slack refuses SLACK_APP_TOKEN ({reason}): "
            "make an app-level token with connections:write under Basic Information"
        )
        raise SlackUnusableError(message) from None
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        message = f"cannot reach Slack at {api_url}: {type(error).__name__}"
        raise SlackUnusableError(message) from None


def authorize_as(workspace: Workspace) -> AuthorizeResult:
    """Return what Bolt wants to know of an installation."""
    return AuthorizeResult(
        enterprise_id=workspace.enterprise,
        team_id=workspace.team,
        bot_user_id=workspace.bot_user,
        bot_id=workspace.bot_id,
        bot_token=workspace.client.token,
    )
