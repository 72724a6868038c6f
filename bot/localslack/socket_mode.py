"""Socket Mode: WebSocket connections, envelopes and their acknowledgements."""

import asyncio
import json
import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from bot.localslack.clock import Clock
from bot.localslack.delivery import Answer, Delivery, Timing, Undelivered, within
from bot.localslack.model import Json

MAX_CONNECTIONS = 10
CONNECTION_SECONDS = 3600
DEBUG_SECONDS = 360
WARNING_SECONDS = 10
Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


@dataclass(eq=False, slots=True)
class Link:
    """One open connection of an app, with what was sent and is not acknowledged."""

    app_id: str
    ws: web.WebSocketResponse
    pending: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)

    async def disconnect(self, reason: Reason) -> None:
        """Announce the end of the connection, and end it unless it is only a warning."""
        if self.ws.closed:
            return
        notice = {"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}}
        await self.ws.send_json(notice)
        if reason != "warning":
            await self.ws.close()


@dataclass(eq=False, slots=True)
class SocketTransport:
    """All connections; a payload goes to any one of its app's, in turn."""

    clock: Clock
    timing: Timing
    on_change: Callable[[], None]
    links: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))
    _tickets: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def ticket(self, app_id: str, *, debug: bool = False) -> str:
        """Return a pass for one connection, as apps.connections.open hands out."""
        ticket = secrets.token_hex(16)
        self._tickets[ticket] = (app_id, debug)
        return ticket

    async def deliver(self, delivery: Delivery) -> Answer:
        """Send one envelope and wait for its acknowledgement; raises Undelivered."""
        link = self._next_link(delivery.app.id)
        envelope = _wrap(delivery)
        acknowledged: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        link.pending[envelope["envelope_id"]] = acknowledged
        try:
            await link.ws.send_json(envelope)
            return await within(self.clock, self.timing.ack, acknowledged)
        except (TimeoutError, ConnectionError) as error:
            raise Undelivered("timeout") from error
        finally:
            link.pending.pop(envelope["envelope_id"], None)

    def _next_link(self, app_id: str) -> Link:
        links = [each for each in self.links[app_id] if not each.ws.closed]
        if not links:
            raise Undelivered("timeout")
        self.links[app_id] = [*links[1:], links[0]]
        return links[0]

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Hold one connection until either side ends it."""
        app_id, debug = self._tickets.pop(request.query.get("ticket", ""), ("", False))
        if not app_id:
            raise web.HTTPForbidden(text="invalid ticket")
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        link = Link(app_id, ws)
        if len(self.links[app_id]) >= MAX_CONNECTIONS:
            await link.disconnect("too_many_websockets")
            return ws
        seconds = DEBUG_SECONDS if debug or "debug_reconnects" in request.query else None
        await self._hold(link, seconds or CONNECTION_SECONDS)
        return ws

    async def _hold(self, link: Link, seconds: int) -> None:
        links = self.links[link.app_id]
        links.append(link)
        refresh = asyncio.ensure_future(self._refresh_later(link, seconds))
        try:
            await link.ws.send_json(_hello(link.app_id, len(links), seconds))
            self.on_change()
            await self._read(link)
        finally:
            refresh.cancel()
            self._forget(link)

    async def _read(self, link: Link) -> None:
        async for frame in link.ws:
            if frame.type is not WSMsgType.TEXT:
                continue
            try:
                ack = json.loads(frame.data)
            except ValueError:
                continue
            _settle(link, ack)

    def _forget(self, link: Link) -> None:
        if link in self.links[link.app_id]:
            self.links[link.app_id].remove(link)
        for future in link.pending.values():
            if not future.done():
                future.set_exception(ConnectionResetError())
        self.on_change()

    async def _refresh_later(self, link: Link, seconds: int) -> None:
        await self.clock.sleep(seconds - WARNING_SECONDS)
        await link.disconnect("warning")
        await self.clock.sleep(WARNING_SECONDS)
        await link.disconnect("refresh_requested")

    async def close(self) -> None:
        """End every connection."""
        for links in list(self.links.values()):
            for link in list(links):
                await link.ws.close()


def _settle(link: Link, ack: object) -> None:
    if not isinstance(ack, dict):
        return
    future = link.pending.get(str(ack.get("envelope_id")))
    if future is not None and not future.done():
        payload = ack.get("payload") or None
        future.set_result(Answer(200, payload if isinstance(payload, dict | str) else None))


def _wrap(delivery: Delivery) -> Json:
    interaction = delivery.payload.get("type")
    envelope: Json = {
        "envelope_id": str(uuid.uuid4()),
        "payload": delivery.payload,
        "type": delivery.kind,
        "accepts_response_payload": delivery.kind == "slash_commands"
        or interaction == "view_submission",
    }
    if delivery.kind == "events_api":
        envelope["retry_attempt"] = delivery.attempt
        envelope["retry_reason"] = delivery.failures[-1] if delivery.failures else ""
    return envelope


def _hello(app_id: str, connections: int, seconds: int) -> Json:
    debug = {"host": "local", "build_number": 1, "approximate_connection_time": seconds}
    return {
        "type": "hello",
        "num_connections": connections,
        "debug_info": debug,
        "connection_info": {"app_id": app_id},
    }
