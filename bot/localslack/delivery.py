"""Delivering payloads to apps: three seconds to acknowledge, then Slack's retries."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from bot.localslack.clock import Clock
from bot.localslack.model import App, Json

T = TypeVar("T")
Envelope = Literal["events_api", "slash_commands", "interactive", "url_verification"]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that an app has to acknowledge, and the waits before each retry of an event.

    Source: docs.slack.dev/apis/events-api (three retries: almost at once, 1 and 5 minutes).
    """

    ack: float = 3.0
    retries: tuple[float, ...] = (0.0, 60.0, 300.0)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an app answered: an HTTP status (200 for a socket acknowledgement) and a body."""

    status: int
    body: Json | str | None = None


class Undelivered(Exception):  # noqa: N818 (an outcome that leads to a retry, not a fault)
    """An attempt that was not acknowledged; `reason` is Slack's retry reason."""

    def __init__(self, reason: str, *, no_retry: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.no_retry = no_retry


@dataclass(eq=False, slots=True)
class Delivery:
    """One payload on its way to one app, with every attempt made."""

    app: App
    kind: Envelope
    payload: Json
    state: Literal["pending", "acknowledged", "given_up"] = "pending"
    answer: Answer | None = None
    failures: list[str] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def acknowledged(self) -> bool:
        """Whether the app acknowledged it."""
        return self.state == "acknowledged"

    @property
    def attempt(self) -> int:
        """The number of the next attempt: 0 for the first, then the number of the retry."""
        return len(self.failures)

    @property
    def event(self) -> Json:
        """The inner event; empty for commands and interactions."""
        event: Json = self.payload.get("event", {})
        return event


class Transport(Protocol):
    """A way to reach an app."""

    async def deliver(self, delivery: Delivery) -> Answer:
        """Hand it over once; raises Undelivered where it is not acknowledged."""
        ...


async def within(clock: Clock, seconds: float, work: Awaitable[T]) -> T:
    """Return the result of the work, or TimeoutError after so many seconds of this clock."""
    task = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        task.cancel()
        timer.cancel()


@dataclass(eq=False, slots=True)
class Dispatcher:
    """Every delivery made, and the tasks that make them."""

    clock: Clock
    timing: Timing
    socket: Transport
    http: Transport
    on_change: Callable[[], None]
    deliveries: list[Delivery] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _held: list[Delivery] | None = None

    def send(self, app: App, kind: Envelope, payload: Json) -> Delivery:
        """Start a delivery; events are retried, all else is tried once."""
        delivery = Delivery(app, kind, payload)
        self.deliveries.append(delivery)
        if self._held is not None and kind == "events_api":
            self._held.append(delivery)
        else:
            self._start(delivery)
        return delivery

    def repeat(self, delivery: Delivery) -> Delivery:
        """Deliver the same event once more, as Slack does when an answer got lost."""
        again = Delivery(delivery.app, delivery.kind, delivery.payload, failures=["timeout"])
        self.deliveries.append(again)
        self._start(again)
        return again

    def hold(self) -> None:
        """Keep events back until `release`."""
        self._held = []

    def release(self, order: Callable[[list[Delivery]], list[Delivery]]) -> None:
        """Deliver what was held in another order; named twice it goes twice, not at all never."""
        held, self._held = self._held or [], None
        started: set[int] = set()
        for delivery in order(held):
            if id(delivery) in started:
                self.repeat(delivery)
            else:
                started.add(id(delivery))
                self._start(delivery)
        for delivery in held:
            if id(delivery) not in started:
                self._give_up(delivery)

    def _start(self, delivery: Delivery) -> None:
        task = asyncio.get_running_loop().create_task(self._run(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, delivery: Delivery) -> None:
        retries = self.timing.retries if delivery.kind == "events_api" else ()
        for wait in (None, *retries):
            if wait is not None:
                await self.clock.sleep(wait)
            if not await self._try(delivery):
                break
        if delivery.acknowledged:
            delivery.done.set()
            self.on_change()
        else:
            self._give_up(delivery)

    def _give_up(self, delivery: Delivery) -> None:
        delivery.state = "given_up"
        delivery.done.set()
        self.on_change()

    async def _try(self, delivery: Delivery) -> bool:
        """Make one attempt; true where another one is to follow."""
        transport = self.http if delivery.app.request_url else self.socket
        try:
            delivery.answer = await transport.deliver(delivery)
        except Undelivered as failure:
            delivery.failures.append(failure.reason)
            self.on_change()
            return not failure.no_retry
        delivery.state = "acknowledged"
        return False

    async def close(self) -> None:
        """Stop every delivery that is still under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
