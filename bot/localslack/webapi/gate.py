"""The door of the Web API: faults, tokens, scopes, arguments, rates, then the method itself."""

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from bot.localslack.errors import SlackError
from bot.localslack.faults import Fault, Faults
from bot.localslack.limits import RateLimits
from bot.localslack.model import Json
from bot.localslack.webapi.arguments import check_arguments, read_arguments
from bot.localslack.webapi.registry import METHODS, Call, Caller, Method, Services
from bot.localslack.world import World


@dataclass(eq=False, slots=True)
class Gate:
    """Serves /api/METHOD and keeps every call for tests to look at."""

    world: World
    limits: RateLimits
    faults: Faults
    services: Services
    on_change: Callable[[], None]
    calls: list[Call] = field(default_factory=list)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one call, or misbehave as a fault demands."""
        name = request.match_info["method"]
        try:
            given = await read_arguments(request)
        except SlackError as error:
            return web.json_response(error.as_answer())
        call = Call(name, given, self.world, services=self.services, at=self.world.clock.now())
        fault = self.faults.take(name, given)
        if fault is not None and fault.kind in {"reset", "http_500", "error", "ratelimited"}:
            return self._refuse(request, call, fault)
        if fault is not None and fault.kind == "delay":
            await self.world.clock.sleep(fault.seconds)
        response = self._answer(request, call)
        if fault is not None and fault.kind == "drop_answer":
            _hang_up(request)
        return response

    def _refuse(self, request: web.Request, call: Call, fault: Fault) -> web.Response:
        call.answer, call.status = {"ok": False, "error": fault.code}, 500
        if fault.kind == "reset":
            self._keep(call)
            _hang_up(request)
        if fault.kind == "http_500":
            self._keep(call)
            return web.Response(status=500, text="Internal Server Error")
        if fault.kind == "ratelimited":
            return self._slow_down(call, fault.seconds)
        return self._close(call)

    def _keep(self, call: Call) -> None:
        self.calls.append(call)
        self.on_change()

    def _close(self, call: Call, headers: dict[str, str] | None = None) -> web.Response:
        call.status = 200
        self._keep(call)
        return web.json_response(call.answer, headers=headers)

    def _slow_down(self, call: Call, seconds: float) -> web.Response:
        call.answer, call.status = {"ok": False, "error": "ratelimited"}, 429
        self._keep(call)
        headers = {"Retry-After": str(max(math.ceil(seconds), 1))}
        return web.json_response(call.answer, status=429, headers=headers)

    def _answer(self, request: web.Request, call: Call) -> web.Response:
        method = METHODS.get(call.method)
        if method is None:
            call.answer = {"ok": False, "error": "unknown_method", "req_method": call.method}
            return self._close(call)
        try:
            call.caller = self._identify(request, call.args, method)
            wait = self._wait(call, method)
            if wait > 0:
                return self._slow_down(call, wait)
            call.answer = {"ok": True} | self._run(call, method)
        except SlackError as error:
            call.answer = error.as_answer()
        return self._close(call, _scope_headers(call, method))

    def _wait(self, call: Call, method: Method) -> float:
        caller = call.caller
        if caller is None:
            return 0.0
        owner = caller.installation.bot_token if caller.installation else caller.app.id
        channel = call.args.get("channel")
        return self.limits.wait_for(method.name, method.tier, owner, channel)

    def _run(self, call: Call, method: Method) -> Json:
        if method.scope is not None:
            call.require(method.scope)
        call.args.pop("token", None)
        call.args = check_arguments(call.args, method.arguments)
        return method.handler(call)

    def _identify(self, request: web.Request, args: Json, method: Method) -> Caller | None:
        if method.token == "none":  # noqa: S105 (a kind of token, not one)
            args |= _read_client(request)
            return None
        token = _read_token(request, args, method)
        app = next((each for each in self.world.apps.values() if each.app_token == token), None)
        installation = self.world.installation(token)
        if app is None and installation is None:
            raise SlackError("invalid_auth")
        if (app is None) == (method.token == "app"):  # noqa: S105 (a kind of token, not one)
            raise SlackError("not_allowed_token_type")
        if app is not None:
            return Caller(app)
        assert installation is not None
        if installation.uninstalled:
            raise SlackError("account_inactive")
        if installation.revoked:
            raise SlackError("token_revoked")
        if (
            installation.expires_at is not None
            and self.world.clock.now() >= installation.expires_at
        ):
            raise SlackError("token_expired")
        return Caller(self.world.apps[installation.app_id], installation)


def _read_token(request: web.Request, args: Json, method: Method) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Bearer" and token:
        return token.strip()
    # The app-level token is accepted in the header alone.
    if method.token == "bot" and args.get("token"):  # noqa: S105
        return str(args["token"])
    raise SlackError("not_authed")


def _read_client(request: web.Request) -> Json:
    """Return the client id and secret of an HTTP Basic header, which OAuth methods accept."""
    header = request.headers.get("Authorization", "")
    if not header.startswith("Basic "):
        return {}
    try:
        decoded = base64.b64decode(header.removeprefix("Basic "), validate=True).decode()
    except ValueError as error:
        raise SlackError("invalid_auth") from error
    client_id, _, secret = decoded.partition(":")
    return {"client_id": client_id, "client_secret": secret}


def _scope_headers(call: Call, method: Method) -> dict[str, str]:
    headers = {"X-Accepted-OAuth-Scopes": method.scope or ""}
    if call.caller is not None and call.caller.installation is not None:
        headers["X-OAuth-Scopes"] = ",".join(sorted(call.caller.installation.scopes))
    return headers


def _hang_up(request: web.Request) -> None:
    transport = request.transport
    if transport is not None:
        transport.abort()
