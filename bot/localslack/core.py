"""The parts of the local Slack put together, and waiting for something to become true."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from bot.localslack.clock import Clock, SystemClock
from bot.localslack.consent import Consent
from bot.localslack.delivery import Delivery, Dispatcher, Timing
from bot.localslack.faults import Faults
from bot.localslack.http_mode import HttpTransport
from bot.localslack.limits import RateLimits
from bot.localslack.model import App, Json
from bot.localslack.passes import Passes
from bot.localslack.routing import route
from bot.localslack.socket_mode import SocketTransport
from bot.localslack.viewing import Gallery
from bot.localslack.webapi import load_methods
from bot.localslack.webapi.gate import Gate
from bot.localslack.webapi.registry import Call, Services
from bot.localslack.workshop import Workshop
from bot.localslack.world import Occurrence, World

T = TypeVar("T")


class Core:
    """World, Web API and deliveries, wired to each other; no server yet."""

    def __init__(self, clock: Clock | None = None, timing: Timing | None = None) -> None:
        load_methods()
        self.clock: Clock = clock or SystemClock()
        self.timing = timing or Timing()
        self.world = World(self.clock)
        self.passes = Passes(self.world)
        self.faults = Faults()
        self.limits = RateLimits(self.clock)
        self.socket = SocketTransport(self.clock, self.timing, self.changed)
        self.http = HttpTransport(self.clock, self.timing)
        self.dispatcher = Dispatcher(self.clock, self.timing, self.socket, self.http, self.changed)
        self.workshop = Workshop(self.world, self.passes)
        self.consent = Consent(self.workshop)
        self.gallery = Gallery(self.world)
        services = Services(
            self._open_socket,
            self.passes.use_trigger,
            self.workshop.start_upload,
            self.workshop.finish_upload,
            self.workshop.exchange,
            self.gallery,
        )
        self.gate = Gate(self.world, self.limits, self.faults, services, self.changed)
        self._waiting: set[asyncio.Future[None]] = set()
        self.world.listeners.append(self._deliver)

    def _open_socket(self, app: App) -> str:
        ticket = self.socket.ticket(app.id)
        origin = self.world.origin.replace("http", "ws", 1)
        return f"{origin}/link/?ticket={ticket}&app_id={app.id}"

    def _deliver(self, occurrence: Occurrence) -> None:
        for app, payload in route(self.world, occurrence):
            self.dispatcher.send(app, "events_api", payload)
        self.changed()

    def changed(self) -> None:
        """Wake everyone who waits for a condition."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    @property
    def calls(self) -> list[Call]:
        """Every Web API call received, oldest first."""
        return self.gate.calls

    def calls_of(self, method: str) -> list[Call]:
        """Return the calls of one method."""
        return [each for each in self.calls if each.method == method]

    @property
    def deliveries(self) -> list[Delivery]:
        """Every delivery made to apps, oldest first."""
        return self.dispatcher.deliveries

    def events(self, kind: str) -> list[Json]:
        """Return the inner events of one type that were sent to apps."""
        return [each.event for each in self.deliveries if each.event.get("type") == kind]

    async def wait_for(self, condition: Callable[[], T], timeout: float = 10.0) -> T:  # noqa: ASYNC109
        """Return the first true value of the condition, tried at every change; TimeoutError."""
        async with asyncio.timeout(timeout):
            while True:
                value = condition()
                if value:
                    return value
                await self._next_change()

    async def _next_change(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)

    async def settled(self, timeout: float = 10.0) -> None:  # noqa: ASYNC109
        """Return once every delivery is acknowledged or given up; TimeoutError."""
        await self.wait_for(
            lambda: all(each.state != "pending" for each in self.deliveries), timeout
        )

    async def connected(self, app: App, links: int = 1, timeout: float = 10.0) -> None:  # noqa: ASYNC109
        """Return once the app holds so many Socket Mode connections; TimeoutError."""
        await self.wait_for(lambda: len(self.socket.links[app.id]) >= links, timeout)

    def subscribe(self, listener: Callable[[Occurrence], Any]) -> None:
        """Hear of every occurrence, also of those that no app hears of."""
        self.world.listeners.append(listener)
