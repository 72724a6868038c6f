"""The page on which a person allows an app into a workspace, and where it sends them next."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from aiohttp import web

from bot.localslack.errors import SlackError
from bot.localslack.model import App, User
from bot.localslack.workshop import Workshop

_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>Allow {name}?</title></head><body><h1>{name} asks for access to {team}</h1>
<p>Scopes: {scopes}</p><form method="post">
<button name="allow" value="1">Allow</button> <button name="allow" value="0">Cancel</button>
</form></body></html>"""


@dataclass(eq=False, slots=True)
class Consent:
    """Serves /oauth/v2/authorize."""

    workshop: Workshop

    def app_of(self, query: Mapping[str, str]) -> App:
        """Return the app that asks; raises invalid_client_id, bad_redirect_uri, invalid_scope."""
        apps = self.workshop.world.apps.values()
        app = next((each for each in apps if each.client_id == query.get("client_id")), None)
        if app is None:
            raise SlackError("invalid_client_id")
        if app.redirect_url and not query.get("redirect_uri", "").startswith(app.redirect_url):
            raise SlackError("bad_redirect_uri")
        wanted = query.get("scope", "").replace(" ", ",").split(",")
        if not set(filter(None, wanted)) <= app.scopes:
            raise SlackError("invalid_scope")
        return app

    def allow(self, query: Mapping[str, str], user: User) -> str:
        """Return where the browser goes once this person has allowed the app."""
        app = self.app_of(query)
        target, scopes = query.get("redirect_uri", app.redirect_url or ""), query.get("scope", "")
        code = self.workshop.approve(app, user.team_id, user.id, scopes, target)
        return _with_query(target, {"code": code, "state": query.get("state", "")})

    def deny(self, query: Mapping[str, str]) -> str:
        """Return where the browser goes once the person has cancelled."""
        target = query.get("redirect_uri", "")
        return _with_query(target, {"error": "access_denied", "state": query.get("state", "")})

    async def ask(self, request: web.Request) -> web.Response:
        """Show the question."""
        try:
            app = self.app_of(request.query)
        except SlackError as error:
            return web.json_response(error.as_answer(), status=400)
        team = next(iter(self.workshop.world.teams.values()))
        scopes = ", ".join(sorted(app.scopes))
        parts = {"name": app.name, "team": team.name, "scopes": scopes}
        page = _PAGE.format(**{key: html.escape(value) for key, value in parts.items()})
        return web.Response(text=page, content_type="text/html")

    async def answer(self, request: web.Request) -> web.Response:
        """Carry out the person's answer."""
        form = await request.post()
        people = self.workshop.world.users.values()
        user = next(each for each in people if not each.is_bot)
        if form.get("allow") == "1":
            raise web.HTTPFound(self.allow(request.query, user))
        raise web.HTTPFound(self.deny(request.query))


def _with_query(url: str, more: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = urlencode([*parse_qsl(parts.query), *more.items()])
    return parts._replace(query=query).geturl()


def query_of(url: str) -> dict[str, str]:
    """Return the query of an authorize address."""
    return dict(parse_qsl(urlsplit(url).query))
