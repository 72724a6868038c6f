"""The server: one aiohttp application on the loopback interface."""

from types import TracebackType
from typing import Self

from aiohttp import web

from bot.localslack.clock import Clock
from bot.localslack.control import Control
from bot.localslack.delivery import Delivery, Timing
from bot.localslack.errors import SlackError
from bot.localslack.interact import Interact
from bot.localslack.model import App, Json
from bot.localslack.page import add_page
from bot.localslack.respond import respond
from bot.localslack.webapi.arguments import read_arguments

MAX_BODY = 64 * 1024 * 1024
_SIGN_IN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body></body></html>"


class LocalSlack(Interact):
    """A whole Slack in one process; `async with LocalSlack() as slack:` serves it."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        timing: Timing | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(clock, timing)
        self._control = Control(self)
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port of the server."""
        return self.world.origin

    @property
    def base_url(self) -> str:
        """What a Slack SDK takes as its base URL."""
        return f"{self.world.origin}/api/"

    def application(self) -> web.Application:
        """Every route of the server."""
        application = web.Application(client_max_size=MAX_BODY)
        router = application.router
        self._control.add_routes(router)
        add_page(router)
        router.add_route("*", "/api/{method}", self.gate.serve)
        router.add_get("/link/", self.socket.serve)
        for kind in ("commands", "actions", "app"):
            router.add_post(f"/{kind}/{{team}}/{{number}}/{{secret}}", self._serve_response_url)
        router.add_get("/oauth/v2/authorize", self.consent.ask)
        router.add_post("/oauth/v2/authorize", self.consent.answer)
        router.add_post("/upload/v1/{secret}", self._serve_upload)
        router.add_get("/files-pri/{file}/{name}", self._serve_file)
        router.add_get("/files-pri/{file}/download/{name}", self._serve_file)
        return application

    async def start(self) -> None:
        """Listen; raises OSError where the port is taken."""
        self._runner = web.AppRunner(self.application(), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        try:
            await site.start()
        except OSError:
            await self._runner.cleanup()
            raise
        host, port = self._runner.addresses[0][:2]
        self.world.origin = f"http://{host}:{port}"

    async def stop(self) -> None:
        """End deliveries, connections and the server."""
        await self.dispatcher.close()
        await self.socket.close()
        await self.http.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def verify_url(self, app: App) -> bool:
        """Check a request URL as Slack does: return whether it answers the challenge."""
        challenge = f"challenge-{self.world.count('challenge')}"
        body = {"token": "deprecated-token", "challenge": challenge, "type": "url_verification"}
        delivery: Delivery = self.dispatcher.send(app, "url_verification", body)
        await delivery.done.wait()
        answer = delivery.answer.body if delivery.answer else None
        return answer == challenge or (
            isinstance(answer, dict) and answer.get("challenge") == challenge
        )

    async def send_rate_limited(self, app: App) -> Delivery:
        """Tell an app over HTTP that its events were cut off for a minute."""
        minute = int(self.clock.now()) // 60 * 60
        body: Json = {
            "token": "deprecated-token",
            "type": "app_rate_limited",
            "team_id": self.team.id,
        }
        body |= {"minute_rate_limited": minute, "api_app_id": app.id}
        delivery = self.dispatcher.send(app, "url_verification", body)
        await delivery.done.wait()
        return delivery

    async def send_ssl_check(self, app: App) -> Delivery:
        """Check an app's certificate as Slack does now and then, by a form."""
        body = {"ssl_check": "1", "token": "deprecated-token"}
        delivery = self.dispatcher.send(app, "slash_commands", body)
        await delivery.done.wait()
        return delivery

    async def _serve_response_url(self, request: web.Request) -> web.Response:
        try:
            response = self.passes.use_response(request.path.removeprefix("/"))
        except SlackError as error:
            return web.json_response(error.as_answer(), status=404)
        try:
            respond(self.world, response, await read_arguments(request))
        except SlackError as error:
            return web.json_response(error.as_answer(), status=400)
        return web.Response(text="ok")

    async def _serve_upload(self, request: web.Request) -> web.Response:
        upload = self.workshop.uploads.get(request.match_info["secret"])
        if upload is None:
            return web.Response(status=404, text="not found")
        content = await _read_upload(request)
        if len(content) != upload.length:
            return web.Response(status=400, text="length mismatch")
        upload.content = content
        return web.Response(text=f"OK - {len(content)}")

    async def _serve_file(self, request: web.Request) -> web.Response:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        installation = self.world.installation(token) if scheme == "Bearer" else None
        file = self.world.files.get(request.match_info["file"].partition("-")[2])
        # Slack answers 200 with its sign-in page where the token or its scope is missing.
        if installation is None or "files:read" not in installation.scopes:
            return web.Response(text=_SIGN_IN, content_type="text/html")
        channels = [self.world.channels[each] for each in file.channels] if file else []
        if file is None or file.deleted:
            return web.Response(status=404, text="not found")
        is_shared = any(installation.bot_user in each.members for each in channels)
        if not is_shared and installation.app_id not in file.given_to:
            return web.Response(text=_SIGN_IN, content_type="text/html")
        return web.Response(body=file.content, content_type=file.mimetype)


async def _read_upload(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    form = await request.post()
    field = next(iter(form.values()), b"")
    return field.file.read() if isinstance(field, web.FileField) else bytes(str(field), "utf-8")
