"""The rates of each team, kept in step with the log."""

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING

from bot.store import events as log
from rules.learn import Rates, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.database import Database
    from rules.load import KnowledgeBase
    from rules.votes import Event

FRESH_SECONDS = 3600.0
"""How old a snapshot's moment may be: rates fade over months."""


class Ledger:
    """Snapshots of rates by team; a snapshot always is the replay of the whole log so far."""

    def __init__(
        self, database: Database, kb: KnowledgeBase, now: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._kb = kb
        self._now = now
        self._rates: dict[str, Rates] = {}
        self._draft_of: AsyncConnection | None = None
        self._draft: dict[str, Rates] = {}

    async def rates(self, team: str) -> Rates:
        """Return the rates of a team as they stand."""
        if team not in self._rates:
            async with self._database.write() as connection:
                self._rates[team] = await self._replay(connection, team)
        return self._freshen(team)

    async def record(
        self, connection: AsyncConnection, team: str, events: Iterable[Event]
    ) -> tuple[Rates, list[Event]]:
        """Append what is new to the log; the rates with it, which all see once it is committed."""
        if self._draft_of is not connection:
            self._draft_of, self._draft = connection, {}
            self._database.on_commit(self._keep_draft)
        before = self._draft.get(team) or (
            self._freshen(team) if team in self._rates else await self._replay(connection, team)
        )
        new = [event for event in events if await log.append(connection, event)]
        self._draft[team] = before.apply(new) if new else before
        return self._draft[team], new

    def _keep_draft(self) -> None:
        self._rates |= self._draft
        self._draft_of, self._draft = None, {}

    async def _replay(self, connection: AsyncConnection, team: str) -> Rates:
        events = await log.list_all(connection, team)
        return replay(events, self._kb.entries.values(), self._moment())

    def _freshen(self, team: str) -> Rates:
        rates = self._rates[team]
        if self._now() - rates.now.timestamp() > FRESH_SECONDS:
            rates = self._rates[team] = rates.at(self._moment())
        return rates

    def _moment(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self._now(), dt.UTC)
