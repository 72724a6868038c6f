"""The account of one rate: its prior, the evidence an incident, contexts, and who moved it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.learn import MATCH_PRIOR, select
from rules.policy import fade
from rules.posterior import Posterior, Prior, update
from rules.tally import MATCH, Reason, leave_out
from rules.votes import DIMENSIONS, NOWHERE, Context, Outcome, to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.ballots import Ballot
    from rules.learn import Rates
    from rules.tally import Report


@dataclass(frozen=True, slots=True)
class Line:
    """One incident that counts: what it says and how much it weighs now."""

    report: Report
    weight: float
    """After decay, at most 1."""


@dataclass(frozen=True, slots=True)
class Mover:
    """What one voter's ballots did to the mean."""

    voter: str
    incidents: int
    shift: float
    """Mean with them less mean without."""


@dataclass(frozen=True, slots=True)
class AtPosition:
    """Votes earned at one place in the list. Later places see harder cases: do not compare."""

    position: int
    ups: int
    votes: int


@dataclass(frozen=True, slots=True)
class Account:
    """Everything behind a rate."""

    entry: str
    target: str
    prior: Prior
    rate: Posterior
    lines: tuple[Line, ...]
    """Newest first."""
    left_out: tuple[tuple[Ballot, Reason], ...]
    contexts: tuple[Posterior, ...]
    """In each single field and each full context that 3 incidents bear on; none is told twice."""
    movers: tuple[Mover, ...]
    """The largest shift first."""
    positions: tuple[AtPosition, ...]
    outcomes: int
    """Incidents of the entry whose job later succeeded; counted only where that is switched on."""


def explain_rate(rates: Rates, entry: str, target: str) -> Account:
    """Account for one rate, of the diagnosis itself where the id is `MATCH`.

    Raises KeyError for an entry or id that the snapshot lacks.
    """
    evidence, now = rates.evidence(entry, target), to_epoch(rates.now)
    if target == MATCH:
        prior, rate = MATCH_PRIOR, rates.match(entry)
    else:
        prior, rate = rates.prior(entry, target), rates.of(entry, target)
    lines = [Line(report, report.weight * fade(report.at, now)) for report in evidence.reports]
    outcomes = {(e.team, e.incident) for e in rates.logs.get(entry, ()) if isinstance(e, Outcome)}
    return Account(
        entry=entry,
        target=target,
        prior=prior,
        rate=rate,
        lines=tuple(reversed(lines)),
        left_out=evidence.left_out,
        contexts=_rate_contexts(rates, entry, target),
        movers=_find_movers(prior, evidence.reports, rate.mean, now),
        positions=_split_by_position(evidence.ballots),
        outcomes=len(outcomes),
    )


def _rate_contexts(rates: Rates, entry: str, target: str) -> tuple[Posterior, ...]:
    if target == MATCH:
        return ()
    seen = {report.context for report in rates.evidence(entry, target).reports}
    fields = {
        Context(**{name: value})
        for context in seen
        for name in DIMENSIONS
        if (value := getattr(context, name))
    }
    reports = rates.evidence(entry, target).reports
    # Of those that the same incidents bear on the narrowest says all.
    told = {
        tuple(report[:2] for report in select(reports, context)): context
        for context in sorted((fields | seen) - {NOWHERE}, key=_by_breadth)
    }
    asked = sorted(told.values(), key=_by_breadth)
    found = (rates.of(entry, target, context) for context in asked)
    return tuple(
        rate for rate, context in zip(found, asked, strict=True) if rate.context == context
    )


def _by_breadth(context: Context) -> tuple[int, str]:
    return sum(1 for name in DIMENSIONS if getattr(context, name)), repr(context)


def _find_movers(
    prior: Prior, reports: tuple[Report, ...], mean: float, now: float
) -> tuple[Mover, ...]:
    incidents: dict[str, int] = defaultdict(int)
    for report in reports:
        for ballot in report.ballots:
            incidents[ballot.voter] += 1
    movers = [
        Mover(voter, times, mean - update(prior, leave_out(reports, voter), now).mean)
        for voter, times in incidents.items()
        if voter
    ]
    return tuple(sorted(movers, key=lambda mover: (-abs(mover.shift), mover.voter)))


def _split_by_position(ballots: Iterable[Ballot]) -> tuple[AtPosition, ...]:
    votes: dict[int, list[bool]] = defaultdict(list)
    for ballot in ballots:
        if ballot.position is not None:
            votes[ballot.position].append(ballot.up)
    return tuple(
        AtPosition(position, sum(ups), len(ups)) for position, ups in sorted(votes.items())
    )
