"""The rates of each team, kept in step with the log, whoever writes to it."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.store import events as log
from bot.voters import Voters
from rules.learn import Rates, replay
from rules.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.settings import Settings
    from bot.store.database import Database
    from rules.load import KnowledgeBase
    from rules.votes import Event

FRESH_SECONDS = 3600.0
"""How old a snapshot's moment may be: rates fade over months."""


@dataclass(frozen=True, slots=True)
class _State:
    """A snapshot and how far into the log it goes."""

    rates: Rates
    seen: int
    rewrites: int


class Ledger:
    """Snapshots of rates by team; a snapshot always is the replay of the whole log so far.

    In a snapshot every person is a pseudonym (`mask`), however old the vote.
    """

    def __init__(
        self,
        database: Database,
        kb: KnowledgeBase,
        now: Callable[[], float] = time.time,
        voters: Voters | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._database = database
        self._kb = kb
        self._now = now
        self.voters = voters or Voters(b"")
        self._policy = self.voters.disguise_policy(policy or Policy())
        self._states: dict[str, _State] = {}
        self._draft_of: AsyncConnection | None = None
        self._draft: dict[str, _State] = {}

    def mask(self, person: str) -> str:
        """Return the name under which a person stands in the rates."""
        return self.voters.mask(person)

    async def rates(self, team: str) -> Rates:
        """Return the rates of a team as they stand, with what other processes wrote."""
        async with self._database.read() as connection:
            state = await self._catch_up(connection, team, self._states.get(team))
        held = self._states.get(team)
        # While this one read, a write may have gone further.
        if held is None or (state.rewrites, state.seen) >= (held.rewrites, held.seen):
            self._states[team] = held = state
        return held.rates

    async def record(
        self, connection: AsyncConnection, team: str, events: Iterable[Event]
    ) -> tuple[Rates, list[Event]]:
        """Append what is new to the log; the rates with it, which all see once it is committed."""
        if self._draft_of is not connection:
            self._draft_of, self._draft = connection, {}
            self._database.on_commit(self._keep_draft)
        before = await self._catch_up(
            connection, team, self._draft.get(team, self._states.get(team))
        )
        new = []
        for event in events:
            masked = self.voters.disguise(event)
            if await log.append(connection, event, masked.key, team):
                new.append(masked)
        rates = before.rates.apply(new) if new else before.rates
        seen = await log.find_end(connection, team) if new else before.seen
        self._draft[team] = replace(before, rates=rates, seen=seen)
        return rates, new

    def use(self, kb: KnowledgeBase) -> None:
        """Go by another set of entries from now on: every snapshot is replayed."""
        self._kb = kb
        self._states.clear()

    def forget(self, team: str) -> None:
        """Let go of a team's snapshot."""
        self._states.pop(team, None)

    async def replay_until(self, team: str, at: float) -> Rates:
        """Work out the rates as they stood at a moment, by the policy and entries of today."""
        async with self._database.read() as connection:
            rows = await log.list_after(connection, team, 0)
            policy = await self._read_policy(connection, team)
        events = [self.voters.disguise(event) for _, event in rows if event.at.timestamp() <= at]
        moment = dt.datetime.fromtimestamp(at, dt.UTC)
        return await asyncio.to_thread(replay, events, self._kb.entries.values(), moment, policy)

    def _keep_draft(self) -> None:
        self._states |= self._draft
        self._draft_of, self._draft = None, {}

    async def _catch_up(
        self, connection: AsyncConnection, team: str, held: _State | None
    ) -> _State:
        rewrites = await log.count_rewrites(connection, team)
        is_whole = held is None or held.rewrites != rewrites
        seen = 0 if held is None or is_whole else held.seen
        rows = await log.list_after(connection, team, seen)
        events = [self.voters.disguise(event) for _, event in rows]
        end = rows[-1][0] if rows else seen
        if held is None or is_whole:
            policy = await self._read_policy(connection, team)
            rates = replay(events, self._kb.entries.values(), self._moment(), policy)
        else:
            rates = self._freshen(held.rates)
            rates = rates.apply(events) if events else rates
        return _State(rates, end, rewrites)

    async def _read_policy(self, connection: AsyncConnection, team: str) -> Policy:
        barred = await log.list_barred(connection, team)
        return replace(self._policy, barred=self._policy.barred | barred)

    def _freshen(self, rates: Rates) -> Rates:
        age = self._now() - rates.now.timestamp()
        return rates.at(self._moment()) if abs(age) > FRESH_SECONDS else rates

    def _moment(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self._now(), dt.UTC)


def read_policy(settings: Settings, kb: KnowledgeBase) -> Policy:
    """Return what is set of who may not vote and what counts."""
    authors: dict[str, frozenset[str]] = {}
    for entry in kb.entries.values():
        names = (entry.id, f"{entry.domain}/*")
        people = frozenset(each for name in names for each in settings.authors.get(name, ()))
        if people:
            authors[entry.id] = people
    barred = frozenset(settings.barred)
    return Policy(
        barred=barred,
        authors=authors,
        outcomes=settings.outcomes == "count",
        bases={**Policy().bases, **settings.strengths},
    )
