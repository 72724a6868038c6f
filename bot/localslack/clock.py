"""Time as the local Slack sees it: the machine's, or one that a test moves by hand."""

import asyncio
import heapq
import itertools
import time
from typing import Protocol


class Clock(Protocol):
    """What the local Slack needs of time: the present, and waiting."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return once `seconds` have passed on this clock."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Return once `seconds` have passed."""
        await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until `advance` is called."""

    def __init__(self, start: float = 1_767_225_600.0) -> None:
        self._now = start
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []
        self._slept = asyncio.Event()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._now

    async def until_asleep(self, tasks: int = 1) -> None:
        """Return once so many tasks wait for this clock, so that it may be advanced."""
        while len(self._sleepers) < tasks:
            self._slept.clear()
            await self._slept.wait()

    async def sleep(self, seconds: float) -> None:
        """Return once the clock was advanced by `seconds`; at once for none."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        sleeper = (self._now + seconds, next(self._order), woken)
        heapq.heappush(self._sleepers, sleeper)
        self._slept.set()
        try:
            await woken.wait()
        finally:
            if not woken.is_set():
                self._sleepers.remove(sleeper)
                heapq.heapify(self._sleepers)

    def advance(self, seconds: float) -> None:
        """Move time on and wake every sleeper whose time has come, in order."""
        self._now += seconds
        while self._sleepers and self._sleepers[0][0] <= self._now:
            heapq.heappop(self._sleepers)[2].set()
