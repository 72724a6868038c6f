"""What the bot does by itself as time passes: questions, the digest, names forgotten, edits noticed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from sqlalchemy.exc import SQLAlchemyError

from bot.asking import ask_posters
from bot.departures import delete_latecomers
from bot.digest import send_digest
from bot.edits import note_edits
from bot.privacy import forget_names
from bot.slack.workspaces import NotInstalledError
from bot.snoozes import end_snoozes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.core import Core

log = structlog.get_logger(__name__)

PERIOD = 60.0
"""Seconds between two looks at what is due; what was done is in the database, not here."""
_CHORES: tuple[tuple[str, float, Callable[[Core], Awaitable[None]]], ...] = (
    ("edits", 600.0, note_edits),
    ("questions", PERIOD, ask_posters),
    ("digest", PERIOD, send_digest),
    ("names", 3600.0, forget_names),
    ("latecomers", PERIOD, delete_latecomers),
    ("snoozes", PERIOD, end_snoozes),
)


class Chores:
    """Does what is due, again and again; a chore that fails is tried at its next turn."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._stop = asyncio.Event()
        self._next: dict[str, float] = {}
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """Do what is due until `stop`."""
        while not self._stop.is_set():
            await self.do_due()
            try:
                await asyncio.wait_for(self._stop.wait(), PERIOD)
            except TimeoutError:
                continue

    def stop(self) -> None:
        """Begin nothing more."""
        self._stop.set()

    async def do_due(self) -> None:
        """Do what is due by the clock, each chore at most once a period of its own."""
        async with self._turn:
            for name, period, do in _CHORES:
                now = self._core.now()
                # A clock that was set back must not put a chore off for as long.
                if self._next.get(name, 0.0) - period <= now < self._next.get(name, 0.0):
                    continue
                self._next[name] = now + period
                await self._do(name, do)

    async def _do(self, name: str, do: Callable[[Core], Awaitable[None]]) -> None:
        try:
            await do(self._core)
        except (
            SQLAlchemyError,
            SlackApiError,
            NotInstalledError,
            aiohttp.ClientError,
            OSError,
            TimeoutError,
        ) as error:
            log.warning("chore_failed", chore=name, error=error)
