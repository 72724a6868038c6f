"""Checks that ask Slack: tokens, scopes, clock, channels."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import aiohttp
from slack_sdk.errors import SlackApiError

from bot.doctor.finding import Finding, fail, warn, well
from bot.doctor.scopes import compare_scopes
from bot.slack.workspaces import SlackUnusableError, check_app_token, make_client, read_reason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping

    from slack_sdk.web.async_client import AsyncWebClient

    from bot.settings import Settings

SKEW_SECONDS = 30.0
"""A clock this far off deserves a word."""
REFUSED_SECONDS = 300.0
"""Slack's signatures and Standard Webhooks are refused beyond this age."""
_NOT_IN = frozenset({"not_in_channel", "channel_not_found"})


async def ask_slack(
    settings: Settings, channels: Iterable[str], now: Callable[[], float]
) -> AsyncIterator[Finding]:
    """Yield what Slack says of the tokens, the scopes, the clock and `channels`."""
    if settings.mode == "playground":
        yield well("slack", "no credentials are set: `nccl-bot run` opens the playground")
        return
    if settings.installs:
        said = f"workspaces install it at {settings.public_url}/slack/install"
        yield well("slack", said)
        return
    assert settings.slack_bot_token is not None
    async with aiohttp.ClientSession() as session:
        token = settings.slack_bot_token.get_secret_value()
        client = make_client(token, settings.slack_api_url, session)
        who, finding = await _ask_identity(client, settings)
        yield finding
        if who is not None:
            headers = {name.lower(): value for name, value in who.headers.items()}
            yield _read_scopes(headers)
            yield _read_clock(headers, now())
        yield await _try_transport(settings, session)
        for channel in channels if who is not None else ():
            yield await _try_channel(client, channel)


async def _ask_identity(client: AsyncWebClient, settings: Settings) -> tuple[Any, Finding]:
    try:
        who = await client.auth_test()
    except SlackApiError as error:
        reason = read_reason(error)
        mend = "copy the Bot User OAuth Token again from the app's page, OAuth & Permissions"
        return None, fail("bot token", f"Slack refuses SLACK_BOT_TOKEN ({reason})", mend)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        said = f"cannot reach {settings.slack_api_url} ({type(error).__name__})"
        return None, fail("bot token", said, "look at the network, the proxy and the certificates")
    return who, well("bot token", f"{who['user']} in {who['team']} ({who['team_id']})")


def _read_scopes(headers: Mapping[str, str]) -> Finding:
    granted = headers.get("x-oauth-scopes")
    if granted is None:
        mend = "compare OAuth & Permissions with deploy/slack-manifest.yaml by eye"
        return warn("scopes", "Slack did not say which are granted", mend)
    return compare_scopes({scope.strip() for scope in granted.split(",") if scope.strip()})


def _read_clock(headers: Mapping[str, str], now: float) -> Finding:
    try:
        theirs = parsedate_to_datetime(headers.get("date", "")).timestamp()
    except ValueError:
        return warn("clock", "Slack did not say what time it is", "compare the clock by eye")
    # The header names the second that has begun.
    skew = now - theirs - 0.5
    said = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} Slack's"
    mend = "keep the clock by NTP: timedatectl set-ntp true"
    if abs(skew) >= REFUSED_SECONDS:
        return fail("clock", f"{said}: signed requests are refused", mend)
    return warn("clock", said, mend) if abs(skew) >= SKEW_SECONDS else well("clock", said)


async def _try_transport(settings: Settings, session: aiohttp.ClientSession) -> Finding:
    if settings.slack_app_token is None:
        said = "HTTP; whether SLACK_SIGNING_SECRET is right shows with the first request"
        return well("transport", f"{said}, which must reach https://<your host>/slack/events")
    try:
        token = settings.slack_app_token.get_secret_value()
        await check_app_token(token, settings.slack_api_url, session)
    except SlackUnusableError as error:
        said, _, mend = str(error).partition(": ")
        return fail("transport", said, mend)
    return well("transport", "Socket Mode; SLACK_APP_TOKEN opens a connection")


async def _try_channel(client: AsyncWebClient, channel: str) -> Finding:
    # Reading one message needs no scope beyond those the bot has anyway.
    try:
        await client.conversations_history(channel=channel, limit=1)
    except SlackApiError as error:
        reason = read_reason(error)
        if reason in _NOT_IN:
            mend = "write /invite @nccl-bot in it, or set the id (C...) of another one"
            return fail("channel", f"the bot is not in {channel} ({reason})", mend)
        return fail("channel", f"{channel}: {reason}", "mend the token or the scopes first")
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        return warn("channel", f"{channel}: {type(error).__name__}", "try again")
    return well("channel", f"the bot is in {channel}")
