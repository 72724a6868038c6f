"""Installing by OAuth: the page that asks, and the way back from Slack."""

from __future__ import annotations

import hashlib
import hmac
import html
import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin

import structlog
from aiohttp import web
from slack_sdk.errors import SlackApiError

from bot.doctor.scopes import SCOPES
from bot.slack.installed import call_oauth, seal_tokens
from bot.slack.workspaces import OUT_OF_REACH, make_client, read_reason
from bot.store import installations as store
from bot.store.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp

    from bot.seal import Seal
    from bot.settings import Settings
    from bot.store.database import Database

log = structlog.get_logger(__name__)

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
COOKIE = "nccl_bot_install"
STATE_SECONDS = 600.0
"""How long a person has to decide; Slack's code lives as long."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>{words}</p></body></html>
"""


class InstallError(Exception):
    """The app was not installed; the text is for the person and says what to do."""


class Installs:
    """The two pages of OAuth; a state is issued sealed, bound to the browser, and good once."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        seal: Seal,
        session: aiohttp.ClientSession,
        now: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._database = database
        self._seal = seal
        self._client = make_client(None, settings.slack_api_url, session)
        self._now = now
        self._redirect = f"{settings.public_url}{REDIRECT_PATH}"

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Register both pages."""
        router.add_get(INSTALL_PATH, self.show)
        router.add_get(REDIRECT_PATH, self.take)

    async def show(self, _: web.Request) -> web.Response:
        """Show the button that leads to Slack, with a state of its own."""
        nonce = {"for": "install", "nonce": secrets.token_hex(16), "at": self._now()}
        state = self._seal.close(nonce).decode()
        query = {
            "client_id": str(self._settings.client_id),
            "scope": ",".join(sorted(SCOPES)),
            "redirect_uri": self._redirect,
            "state": state,
        }
        address = urljoin(self._settings.slack_api_url, "../oauth/v2/authorize")
        link = f'<a href="{html.escape(f"{address}?{urlencode(query)}")}">Add to Slack</a>'
        words = "The app reads errors of training jobs in the channels that it is invited to."
        response = _say("Install nccl-bot", f"{words} {link}")
        response.set_cookie(
            COOKIE,
            state,
            max_age=int(STATE_SECONDS),
            path="/slack",
            secure=self._redirect.startswith("https:"),
            httponly=True,
            samesite="Lax",
        )
        return response

    async def take(self, request: web.Request) -> web.Response:
        """Take what Slack sends a person back with; 400 where nothing is installed by it."""
        try:
            await self._check_state(request)
            name = await self._install(request.query.get("code"))
        except InstallError as error:
            words = f'{html.escape(str(error))} <a href="{INSTALL_PATH}">Start again</a>'
            response = _say("Not installed", words, 400)
        else:
            words = "Write /invite and its name in a channel where errors are posted."
            response = _say("Installed", f"nccl-bot is now in {html.escape(name)}. {words}")
        response.del_cookie(COOKIE, path="/slack")
        return response

    async def _check_state(self, request: web.Request) -> None:
        state = request.query.get("state", "").encode("utf-8", "replace")
        cookie = request.cookies.get(COOKIE, "").encode("utf-8", "replace")
        if not state or not hmac.compare_digest(state, cookie):
            raise InstallError("This does not come from the page where this browser started.")
        opened = self._seal.open(state) or {}
        age = self._now() - float(opened.get("at", 0.0))
        if opened.get("for") != "install" or not -60.0 <= age <= STATE_SECONDS:
            raise InstallError("That took longer than ten minutes.")
        digest, now = hashlib.sha256(state).hexdigest(), self._now()
        async with self._database.write() as connection:
            if not await store.use_state(connection, digest, now, now - 2 * STATE_SECONDS):
                raise InstallError("This link was used before.")

    async def _install(self, code: str | None) -> str:
        """Trade the code for tokens and keep them; the workspace's name. Raises InstallError."""
        if not code:
            raise InstallError("Slack was told not to install it.")
        try:
            given = {"code": code, "redirect_uri": self._redirect}
            answer = await call_oauth(self._client, self._settings, given)
            check_answer(answer)
            who = await self._client.auth_test(token=answer["access_token"])
        except SlackApiError as error:
            reason = read_reason(error)
            log.warning("not_installed", reason=reason)
            raise InstallError(f"Slack refused it ({reason}).") from None
        except OUT_OF_REACH as error:
            log.warning("not_installed", reason=type(error).__name__)
            raise InstallError("Slack cannot be reached now.") from None
        tokens, expires_at = seal_tokens(self._seal, answer, self._now())
        installation = Installation(
            team=answer["team"]["id"],
            enterprise=(answer.get("enterprise") or {}).get("id"),
            bot_user=answer["bot_user_id"],
            bot_id=who["bot_id"],
            url=who["url"],
            tokens=tokens,
            expires_at=expires_at,
            installed_at=self._now(),
        )
        async with self._database.write() as connection:
            await store.save(connection, installation)
        log.info("installed", team=installation.team, enterprise=installation.enterprise)
        return str(answer["team"].get("name") or installation.team)


def check_answer(answer: Any) -> None:
    """Raise InstallError where what was installed is not a bot in one workspace."""
    if answer.get("is_enterprise_install") in {True, "true"} or not answer.get("team"):
        raise InstallError("Choose one workspace of the organization, not the whole of it.")
    if answer.get("token_type") != "bot" or not answer.get("access_token"):
        raise InstallError("Slack gave no bot token.")


def _say(title: str, words: str, status: int = 200) -> web.Response:
    page = _PAGE.format(title=title, words=words)
    return web.Response(text=page, status=status, content_type="text/html", headers=_HEADERS)
