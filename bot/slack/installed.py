"""The workspaces that installed the app by OAuth: sealed tokens, refreshed before they expire."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.slack.workspaces import (
    OUT_OF_REACH,
    NotInstalledError,
    Workspace,
    make_client,
    read_reason,
)
from bot.store import installations as store

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient
    from sqlalchemy import Row

    from bot.seal import Seal
    from bot.settings import Settings
    from bot.store.database import Database

log = structlog.get_logger(__name__)

REFRESH_BEFORE = 7200.0
"""Seconds before its end at which a token is refreshed; it lives for twelve hours."""
REFRESH_SECONDS = 60.0
"""How long one process has to refresh a token, and how long a failed try is not repeated."""
_DEAD = frozenset({"invalid_refresh_token", "token_revoked", "account_inactive", "invalid_auth"})


class InstalledWorkspaces:
    """Finds installations in the database, where another process may have changed them."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        seal: Seal,
        session: aiohttp.ClientSession,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._database = database
        self._seal = seal
        self._session = session
        self._now = now
        self._made: dict[str, tuple[bytes, Workspace | None]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def find(self, team: str) -> Workspace | None:
        """Find the installation in `team`, with a token that is good.

        Raises what Slack or the network raise where an expired token cannot be refreshed now.
        """
        row = await self._read(team)
        if row is not None and self._is_expiring(row):
            row = await self._refresh(row)
        return self._make(row) if row is not None else None

    async def primary(self) -> Workspace:
        """Return the installation in the set home. Raises NotInstalledError where there is none."""
        workspace = await self.find(self._settings.home_team or "")
        if workspace is None:
            raise NotInstalledError("NCCL_BOT_HOME_TEAM names no workspace that has the app")
        return workspace

    async def _read(self, team: str) -> Row[Any] | None:
        async with self._database.read() as connection:
            return await store.find(connection, team)

    def _is_expiring(self, row: Row[Any]) -> bool:
        return row.expires_at is not None and row.expires_at - self._now() < REFRESH_BEFORE

    def _make(self, row: Row[Any]) -> Workspace | None:
        held, workspace = self._made.get(row.team, (b"", None))
        if held != row.tokens:
            workspace = self._unseal(row)
            self._made[row.team] = (row.tokens, workspace)
        return workspace

    def _unseal(self, row: Row[Any]) -> Workspace | None:
        tokens = self._seal.open(row.tokens)
        if tokens is None:
            log.error(
                "token_sealed_with_another_key",
                team=row.team,
                hint="start with the NCCL_BOT_KEY of then, or have the workspace install again",
            )
            return None
        client = make_client(tokens["access"], self._settings.slack_api_url, self._session)
        return Workspace(row.team, row.bot_user, row.bot_id, row.url, client, row.enterprise)

    async def _refresh(self, row: Row[Any]) -> Row[Any] | None:
        """Refresh a token, alone among tasks and processes; the installation after that."""
        async with self._locks[row.team]:
            async with self._database.write() as connection:
                found = await store.find(connection, row.team)
                if found is None or not self._is_expiring(found):
                    return found
                now = self._now()
                mine = await store.claim_refresh(connection, row.team, now, now + REFRESH_SECONDS)
            try:
                if not mine:
                    raise TimeoutError("another process refreshes the token")
                await self._exchange(found)
            except OUT_OF_REACH as error:
                if mine:
                    _warn(row.team, error)
                if not _is_dead(error) and found.expires_at <= self._now():
                    raise
                return found
            return await self._read(row.team)

    async def _exchange(self, row: Row[Any]) -> None:
        tokens = self._seal.open(row.tokens) or {}
        client = make_client(None, self._settings.slack_api_url, self._session)
        given = {"grant_type": "refresh_token", "refresh_token": str(tokens.get("refresh"))}
        answer = await call_oauth(client, self._settings, given)
        sealed, expires_at = seal_tokens(self._seal, answer, self._now())
        async with self._database.write() as connection:
            await store.set_tokens(connection, row.team, sealed, expires_at)


async def call_oauth(
    client: AsyncWebClient, settings: Settings, given: dict[str, str]
) -> dict[str, Any]:
    """Call oauth.v2.access as the app. Raises what Slack or the network raise."""
    # The SDK's own method hands aiohttp a BasicAuth, which is deprecated there.
    app = {"client_id": str(settings.client_id), "client_secret": settings.client_secret_value}
    response = await client.api_call("oauth.v2.access", data={**app, **given})
    assert isinstance(response.data, dict)
    return response.data


def seal_tokens(seal: Seal, answer: Any, now: float) -> tuple[bytes, float | None]:
    """Seal the tokens in an answer of oauth.v2.access; with when the access token ends."""
    tokens = {"access": answer["access_token"], "refresh": answer.get("refresh_token")}
    seconds = answer.get("expires_in")
    return seal.close(tokens), now + float(seconds) if seconds else None


def _is_dead(error: BaseException) -> bool:
    """Whether trying again is of no use: calls with the old token will say so."""
    return isinstance(error, SlackApiError) and read_reason(error) in _DEAD


def _warn(team: str, error: BaseException) -> None:
    reason = read_reason(error) if isinstance(error, SlackApiError) else type(error).__name__
    hint = "have the workspace install the app again" if _is_dead(error) else "tried again soon"
    log.warning("token_not_refreshed", team=team, reason=reason, hint=hint)
