"""The page's way in: what there is, what people do, and a stream of what changes.

Requests are answered only where they name this machine, and writing ones only from the page
itself, so that no other site in the same browser can act here.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from bot.localslack.errors import SlackError
from bot.localslack.interact import Interact
from bot.localslack.model import Channel, Json, Message, User, View
from bot.localslack.snapshot import show_occurrence, show_state, show_views
from bot.localslack.world import Occurrence

Act = Callable[["Control", Json], Awaitable[Json]]
_LOCAL_NAMES = {"127.0.0.1", "localhost", "::1"}


class Control:
    """Serves /local/: state, acts, uploads, file contents and the stream."""

    def __init__(self, slack: Interact) -> None:
        self._slack = slack
        self._streams: set[asyncio.Queue[Json]] = set()
        slack.subscribe(self._tell)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Register every route."""
        router.add_get("/local/state", self._serve_state)
        router.add_post("/local/act/{act}", self._serve_act)
        router.add_post("/local/upload", self._serve_upload)
        router.add_post("/local/file", self._serve_new_file)
        router.add_get("/local/files/{file}", self._serve_file)
        router.add_get("/local/stream", self._serve_stream)

    def _tell(self, occurrence: Occurrence) -> None:
        for frame in show_occurrence(self._slack, occurrence):
            for stream in self._streams:
                stream.put_nowait(frame)

    async def _serve_state(self, request: web.Request) -> web.Response:
        check_origin(request)
        return web.json_response(show_state(self._slack))

    async def _serve_act(self, request: web.Request) -> web.Response:
        check_origin(request)
        act = _ACTS.get(request.match_info["act"])
        body = await _read_json(request)
        if act is None or not isinstance(body, dict):
            raise web.HTTPNotFound
        try:
            answer = await act(self, body)
        except SlackError as error:
            return web.json_response(error.as_answer())
        except (LookupError, ValueError) as error:
            return web.json_response({"ok": False, "error": str(error)})
        return web.json_response({"ok": True} | answer)

    async def _serve_upload(self, request: web.Request) -> web.Response:
        check_origin(request)
        query = request.query
        try:
            user, channel = self.user(dict(query)), self.channel(dict(query))
            thread = self.message(dict(query), "thread") if query.get("thread") else None
        except (LookupError, SlackError):
            raise web.HTTPNotFound from None
        message = await self._slack.upload(
            user,
            channel,
            query.get("name", "file.txt"),
            await request.read(),
            comment=query.get("comment", ""),
            thread=thread,
        )
        return web.json_response({"ok": True, "ts": message.ts})

    async def _serve_new_file(self, request: web.Request) -> web.Response:
        check_origin(request)
        try:
            user = self.user(dict(request.query))
        except LookupError:
            raise web.HTTPNotFound from None
        name, content = request.query.get("name", "file.txt"), await request.read()
        file = self._slack.workshop.make_file(user.team_id, user.id, name, content)
        return web.json_response({"ok": True, "file": file.id})

    async def _serve_file(self, request: web.Request) -> web.Response:
        check_origin(request)
        file = self._slack.world.files.get(request.match_info["file"])
        if file is None or file.deleted:
            raise web.HTTPNotFound
        headers = {"X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment"}
        return web.Response(body=file.content, content_type="text/plain", headers=headers)

    async def _serve_stream(self, request: web.Request) -> web.WebSocketResponse:
        check_origin(request)
        ws = web.WebSocketResponse(heartbeat=30)
        await ws.prepare(request)
        stream: asyncio.Queue[Json] = asyncio.Queue()
        self._streams.add(stream)
        stream.put_nowait({"kind": "state", "state": show_state(self._slack)})
        sender = asyncio.ensure_future(_send_all(ws, stream))
        try:
            async for frame in ws:
                if frame.type is WSMsgType.ERROR:
                    break
        finally:
            self._streams.discard(stream)
            sender.cancel()
        return ws

    def user(self, body: Json) -> User:
        """Return the acting person."""
        return self._slack.world.users[str(body["user"])]

    def channel(self, body: Json) -> Channel:
        """Return the channel acted in."""
        return self._slack.world.channels[str(body["channel"])]

    def message(self, body: Json, key: str = "ts") -> Message:
        """Return the message acted on, also an ephemeral one."""
        ts = str(body[key])
        whisper = self._slack.world.ephemerals.get(ts)
        return whisper or self._slack.world.message(self.channel(body).id, ts)

    def view(self, body: Json) -> View:
        """Return the view acted in."""
        return self._slack.world.views[str(body["view"])]

    async def post(self, body: Json) -> Json:
        """Type a message."""
        thread = self.message(body, "thread") if body.get("thread") else None
        message = await self._slack.post(
            self.user(body),
            self.channel(body),
            str(body["text"]),
            thread=thread,
            broadcast=bool(body.get("broadcast")),
        )
        return {"ts": message.ts}

    async def edit(self, body: Json) -> Json:
        """Change one's own message."""
        message = self.message(body)
        if message.user != body["user"]:
            raise SlackError("cant_update_message")
        await self._slack.edit(message, str(body["text"]))
        return {}

    async def delete(self, body: Json) -> Json:
        """Delete one's own message."""
        message = self.message(body)
        if message.user != body["user"]:
            raise SlackError("cant_delete_message")
        await self._slack.delete(message)
        return {}

    async def react(self, body: Json) -> Json:
        """Set a reaction, or take it back where it is set."""
        user, message, name = self.user(body), self.message(body), str(body["name"])
        held = any(each.name == name and user.id in each.users for each in message.reactions)
        await (self._slack.unreact if held else self._slack.react)(user, message, name)
        return {}

    async def click(self, body: Json) -> Json:
        """Use an element of a message or a view."""
        target = self.view(body) if body.get("view") else self.message(body)
        delivery = await self._slack.click(
            self.user(body), target, str(body["action_id"]), body.get("value")
        )
        return {"acknowledged": delivery.acknowledged}

    async def command(self, body: Json) -> Json:
        """Run a slash command."""
        delivery = await self._slack.command(
            self.user(body), self.channel(body), str(body["command"]), str(body.get("text", ""))
        )
        return {"acknowledged": delivery.acknowledged}

    async def shortcut(self, body: Json) -> Json:
        """Use a shortcut, on a message where one is named."""
        message = self.message(body) if body.get("ts") else None
        delivery = await self._slack.shortcut(self.user(body), str(body["callback_id"]), message)
        return {"acknowledged": delivery.acknowledged}

    async def open_home(self, body: Json) -> Json:
        """Open an app's Home tab."""
        app = self._slack.world.apps[str(body["app"])]
        await self._slack.open_home(self.user(body), app)
        return {}

    async def open_direct(self, body: Json) -> Json:
        """Open the direct conversation with an app."""
        app = self._slack.world.apps[str(body["app"])]
        channel = self._slack.dm(self.user(body), app)
        for stream in self._streams:
            stream.put_nowait({"kind": "state", "state": show_state(self._slack)})
        return {"channel": channel.id}

    async def submit(self, body: Json) -> Json:
        """Submit a modal."""
        user, view = self.user(body), self.view(body)
        delivery = await self._slack.submit(user, view, body.get("values") or {})
        return {"acknowledged": delivery.acknowledged} | show_views(self._slack, user.id)

    async def close(self, body: Json) -> Json:
        """Close a modal."""
        await self._slack.close_modal(self.user(body), self.view(body))
        return {}


_ACTS: dict[str, Act] = {
    "post": Control.post,
    "edit": Control.edit,
    "delete": Control.delete,
    "react": Control.react,
    "click": Control.click,
    "command": Control.command,
    "shortcut": Control.shortcut,
    "home": Control.open_home,
    "direct": Control.open_direct,
    "submit": Control.submit,
    "close": Control.close,
}


async def _read_json(request: web.Request) -> Any:
    try:
        return await request.json()
    except (ValueError, RecursionError):
        raise web.HTTPBadRequest(text="not JSON") from None


async def _send_all(ws: web.WebSocketResponse, stream: asyncio.Queue[Json]) -> None:
    while not ws.closed:
        await ws.send_json(await stream.get())


def check_origin(request: web.Request) -> None:
    """Refuse a request that names another host or comes from another site's page."""
    host: Any = urlsplit(f"//{request.host}").hostname
    if host not in _LOCAL_NAMES:
        raise web.HTTPForbidden(text="only on this machine")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        raise web.HTTPForbidden(text="only from this page")
    if request.method == "POST" and origin is None and "Sec-Fetch-Site" in request.headers:
        raise web.HTTPForbidden(text="only from this page")
