"""Checks of the workspaces that installed the app: whether Slack still takes their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
from slack_sdk.errors import SlackApiError

from bot.doctor.finding import Finding, fail, warn, well
from bot.doctor.scopes import compare_scopes
from bot.seal import Seal, SealError, read_key
from bot.slack.workspaces import OUT_OF_REACH, make_client, read_reason
from bot.store import installations as store
from bot.store.database import Database
from bot.store.migrate import find_unmade

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Any

    from sqlalchemy import Row

    from bot.settings import Settings

CHECK = "workspace"


async def try_installations(settings: Settings, now: Callable[[], float]) -> AsyncIterator[Finding]:
    """Yield what Slack says of each stored token; none is refreshed, none is deleted."""
    key = settings.key.get_secret_value() if settings.key else None
    try:
        seal = Seal(read_key(key, settings.data_dir))
    except (SealError, OSError):
        # The check of the key says so.
        return
    rows = await _list_installations(settings)
    if not rows:
        yield well(CHECK, f"none yet; people install it at {settings.public_url}/slack/install")
    async with aiohttp.ClientSession() as session:
        for row in rows:
            yield await _try_one(settings, seal, session, row, now())


async def _list_installations(settings: Settings) -> Sequence[Row[Any]]:
    database = Database(settings.resolved_database_url)
    try:
        if find_unmade(database) is not None:
            return []
        async with database.read() as connection:
            return await store.list_all(connection)
    finally:
        await database.close()


async def _try_one(
    settings: Settings, seal: Seal, session: aiohttp.ClientSession, row: Row[Any], now: float
) -> Finding:
    again = f"have it install the app again at {settings.public_url}/slack/install"
    tokens = seal.open(row.tokens)
    if tokens is None:
        said = f"{row.team}: its token was sealed with another key"
        return fail(CHECK, said, f"set the NCCL_BOT_KEY of then, or {again}")
    if row.expires_at is not None and row.expires_at <= now:
        said = f"{row.team}: its token has ended and was not refreshed"
        return warn(CHECK, said, "a running bot refreshes it, or logs token_not_refreshed and why")
    try:
        client = make_client(tokens["access"], settings.slack_api_url, session)
        who = await client.auth_test()
    except SlackApiError as error:
        said = f"{row.team}: Slack refuses its token ({read_reason(error)})"
        return fail(CHECK, said, f"{again}; if it left: nccl-bot db forget {row.team}")
    except OUT_OF_REACH as error:
        return warn(CHECK, f"{row.team}: {type(error).__name__}", "try again")
    granted = {name.lower(): value for name, value in who.headers.items()}.get("x-oauth-scopes")
    scopes = compare_scopes(granted.replace(" ", "").split(",")) if granted else None
    if scopes is not None and scopes.mend:
        return Finding(CHECK, scopes.verdict, f"{row.team}: scopes {scopes.said}", again)
    return well(CHECK, f"{row.team} ({who['team']}): its token is good")
