"""Rates earned by votes: a log, replayed, gives one immutable snapshot of every rate.

    rates = replay(events, entries, now)        # Rates; events: Vote, Shown, Outcome (rules.votes)
    rates = state_rates(entries, now)           # no log: what the entries state
    rates.of(entry, "step-id")                  # Posterior: mean, low..high (80 %), n, counts, flags
    rates.of(entry, "step-id", Context(gpu="H100"))  # there, if 3 incidents bear on it; else overall
    rates.match(entry)                          # Posterior of the diagnosis being right
    rates.apply(more, now)                      # the replay of log + more, touching few entries
    rates.at(now)                               # the same log seen from another moment
    rank(entry, rates, versions, tried)         # rules.rank: order of steps and dead ends
    say_rate(rates.of(...), now)                # rules.say: "stated 85 %"

Order and repetition of events do not matter. `Policy` (rules.policy) holds who may not vote,
whether outcomes count, and the strengths of priors.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from rules.policy import Policy, fade, is_sure
from rules.posterior import (
    MATCH_RATE,
    MATCH_STRENGTH,
    Measure,
    Posterior,
    Prior,
    state,
    update,
    update_here,
)
from rules.tally import MATCH, NO_EVIDENCE, Evidence, Report, tally
from rules.votes import DIMENSIONS, Context, to_epoch

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from rules.entry import Entry
    from rules.votes import Event

MATCH_PRIOR = Prior(Measure.MATCH, MATCH_RATE, MATCH_STRENGTH)


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """One consistent state of all rates at `now`. Build it with `replay` or `state_rates`."""

    now: dt.datetime
    entries: Mapping[str, Entry]
    policy: Policy
    logs: Mapping[str, tuple[Event, ...]]
    """The log by entry, those of unknown entries included."""
    found: Mapping[str, Mapping[str, Evidence]]
    _known: dict[tuple[str, str, Context | None], Posterior] = field(
        default_factory=dict, repr=False
    )

    def of(self, entry: Entry | str, target: str, context: Context | None = None) -> Posterior:
        """Rate a step or dead end, in the narrowest part of `context` that 3 incidents bear on.

        Raises KeyError for an entry or id that the knowledge base of this snapshot lacks.
        """
        key = (_name(entry), target, context)
        if key not in self._known:
            self._known[key] = self._work_out(*key)
        return self._known[key]

    def match(self, entry: Entry | str) -> Posterior:
        """Rate the diagnosis itself: the share of incidents in which it was right."""
        key = (_name(entry), MATCH, None)
        if key not in self._known:
            reports = self.evidence(entry, MATCH).reports
            self._known[key] = update(MATCH_PRIOR, reports, to_epoch(self.now))
        return self._known[key]

    def evidence(self, entry: Entry | str, target: str) -> Evidence:
        """Look up what the log says of one target: reports that count, ballots, what was left out."""
        return self.found.get(_name(entry), {}).get(target, NO_EVIDENCE)

    def prior(self, entry: Entry | str, target: str) -> Prior:
        """Look up what the entry states of one target. Raises KeyError as `of` does."""
        return state(self.entries[_name(entry)], target, self.now, self.policy)

    def at(self, now: dt.datetime) -> Rates:
        """See the same log from another moment: only the decay differs."""
        return replace(self, now=now, _known={})

    def apply(self, events: Iterable[Event], now: dt.datetime | None = None) -> Rates:
        """Give what the replay of the whole log with `events` added gives.

        An entry's rates hang on its own log alone, so only the entries named are tallied again.
        """
        fresh = _by_entry(events)
        logs = {**self.logs, **{key: (*self.logs.get(key, ()), *new) for key, new in fresh.items()}}
        touched = {
            key: tally(self.entries[key], logs[key], self.policy)
            for key in fresh
            if key in self.entries
        }
        found = {**self.found, **touched}
        return replace(self, now=now or self.now, logs=logs, found=found, _known={})

    def _work_out(self, entry: str, target: str, context: Context | None) -> Posterior:
        prior = self.prior(entry, target)
        reports = self.evidence(entry, target).reports
        now = to_epoch(self.now)
        part = narrow(reports, context, now) if context else None
        if part is None:
            return update(prior, reports, now)
        return update_here(prior, reports, select(reports, part), now, part)


def replay(
    events: Iterable[Event],
    entries: Iterable[Entry],
    now: dt.datetime,
    policy: Policy | None = None,
) -> Rates:
    """Work out the rates at `now` from the whole log, in any order, with any repetitions."""
    return state_rates(entries, now, policy).apply(events)


def state_rates(entries: Iterable[Entry], now: dt.datetime, policy: Policy | None = None) -> Rates:
    """Give the rates as the entries state them, without a log."""
    return Rates(now, {entry.id: entry for entry in entries}, policy or Policy(), {}, {})


def narrow(reports: Iterable[Report], context: Context, now: float) -> Context | None:
    """Find the part of `context` with most fields that 3 incidents bear on, if there is one.

    Fields go by their order in Context, never by the rates, so that no rate is picked for its size.
    """
    known = [name for name in DIMENSIONS if getattr(context, name)]
    reports = list(reports)
    for size in range(len(known), 0, -1):
        for names in combinations(known, size):
            part = Context(**{name: getattr(context, name) for name in names})
            if is_sure(sum(r.weight * fade(r.at, now) for r in select(reports, part))):
                return part
    return None


def select(reports: Iterable[Report], context: Context) -> list[Report]:
    """Keep the reports from a context: each field that it names agrees."""
    wanted = [(name, value) for name in DIMENSIONS if (value := getattr(context, name))]
    return [r for r in reports if all(getattr(r.context, name) == value for name, value in wanted)]


def _name(entry: Entry | str) -> str:
    return entry if isinstance(entry, str) else entry.id


def _by_entry(events: Iterable[Event]) -> dict[str, list[Event]]:
    logs: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        logs[event.entry].append(event)
    return logs
