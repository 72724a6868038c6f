"""What a person should look at: flags, moves, unusual voters, and how far to trust stated rates."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.beta import predict
from rules.policy import LEAST_STRENGTH, MOST_STRENGTH, is_sure
from rules.posterior import Flag, Measure, Posterior, count, list_parts, raise_flags
from rules.tally import leave_out
from rules.votes import to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rules.entry import Verification
    from rules.learn import Rates
    from rules.tally import Report

TargetKey = tuple[str, str]
"""Entry id and id of the step or dead end."""

OUTLYING = 3
RARE = 0.01
REFIT_TARGETS, REFIT_INCIDENTS = 30, 5.0
DOUBTED = 0.8
"""A diagnosis is doubted where even the upper bound of its precision is below this."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """A rate with something to look at."""

    entry: str
    target: str
    rate: Posterior
    flags: frozenset[Flag]


@dataclass(frozen=True, slots=True)
class Move:
    """A rate at two moments."""

    entry: str
    target: str
    before: Posterior
    after: Posterior

    @property
    def gain(self) -> float:
        """How much the mean rose."""
        return self.after.mean - self.before.mean


@dataclass(frozen=True, slots=True)
class Unusual:
    """A voter whose votes the others' rates do not let one expect. To look at, not to drop."""

    voter: str
    against: int
    """Votes against what holds for most others."""
    votes: int
    chance: float
    """Chance of at least as many, if they voted on the same incidents as others do."""


def list_flags(
    rates: Rates, earlier: Mapping[TargetKey, frozenset[Flag]] | None = None
) -> tuple[Flagged, ...]:
    """List every flagged rate; flags raised `earlier` are cleared only past a margin."""
    before = earlier or {}
    flagged = [
        Flagged(*key, rate, raise_flags(rate, before.get(key, frozenset())))
        for key, rate in _each_rate(rates)
    ]
    return tuple(item for item in flagged if item.flags)


def list_doubted(rates: Rates) -> tuple[tuple[str, Posterior], ...]:
    """List entries whose diagnosis people often call wrong, with its precision, the worst first."""
    found = [(entry, rates.match(entry)) for entry in rates.entries]
    doubted = [(entry, rate) for entry, rate in found if not rate.stated and rate.high < DOUBTED]
    return tuple(sorted(doubted, key=lambda each: (each[1].mean, each[0])))


def list_moves(before: Rates, after: Rates) -> tuple[Move, ...]:
    """List the rates that reports moved between two snapshots, the largest move first."""
    old = dict(_each_rate(before))
    moves = [
        Move(*key, old[key], rate)
        for key, rate in _each_rate(after)
        if key in old and before.evidence(*key).reports != after.evidence(*key).reports
    ]
    return tuple(sorted(moves, key=lambda move: (-abs(move.gain), move.entry, move.target)))


def list_unusual(rates: Rates) -> tuple[Unusual, ...]:
    """List voters with 3 or more votes against the rest, and more than the rest makes 1 % likely.

    Each target that 3 incidents of others bear on counts, votes beyond the caps included. How
    often a vote goes against is beta-binomial in the others' posterior, and targets add up.
    """
    against: dict[str, int] = defaultdict(int)
    spread: dict[str, list[float]] = defaultdict(lambda: [1.0])
    for key, _ in _each_rate(rates):
        for voter, outliers, shares in _compare(rates, key):
            against[voter] += outliers
            spread[voter] = _convolve(spread[voter], shares)
    found = [
        Unusual(voter, times, len(spread[voter]) - 1, min(1.0, sum(spread[voter][times:])))
        for voter, times in against.items()
        if times >= OUTLYING
    ]
    rare = [voter for voter in found if voter.chance < RARE]
    return tuple(sorted(rare, key=lambda unusual: (unusual.chance, unusual.voter)))


def refit(rates: Rates) -> dict[Verification, float]:
    """Fit the strengths of priors to how far reports fell from what entries stated.

    Moment matching: rho = sum(n r^2 / (p (1 - p)) - 1) / sum(n - 1), strength = 1/rho - 1. A level
    with fewer than 30 fixes of 5 incidents keeps the strength it has.
    """
    misses: dict[Verification, list[tuple[float, float]]] = defaultdict(list)
    for (entry, target), rate in _each_rate(rates):
        reports = rates.evidence(entry, target).reports
        n = sum(report.weight for report in reports)
        if rate.measure is Measure.FIX and n >= REFIT_INCIDENTS:
            won = sum(report.weight * report.worked for report in reports)
            p = rate.prior_mean
            miss = n * (won / n - p) ** 2 / (p * (1.0 - p)) - 1.0
            misses[rates.entries[entry].verification].append((miss, n - 1.0))
    fitted = {
        level: _match_moments(pairs)
        for level, pairs in misses.items()
        if len(pairs) >= REFIT_TARGETS
    }
    return {**rates.policy.bases, **fitted}


def _match_moments(pairs: Iterable[tuple[float, float]]) -> float:
    pairs = list(pairs)
    rho = sum(miss for miss, _ in pairs) / sum(weight for _, weight in pairs)
    if rho <= 0.0:
        return MOST_STRENGTH
    return min(MOST_STRENGTH, max(LEAST_STRENGTH, 1.0 / rho - 1.0))


def _each_rate(rates: Rates) -> Iterator[tuple[TargetKey, Posterior]]:
    for entry in rates.entries.values():
        for part in list_parts(entry):
            yield (entry.id, part.id), rates.of(entry, part.id)


def _compare(rates: Rates, key: TargetKey) -> Iterator[tuple[str, int, list[float]]]:
    """By voter: votes against the rest, and the chances of 0, 1, 2 ... such votes."""
    evidence, prior, now = rates.evidence(*key), rates.prior(*key), to_epoch(rates.now)
    won, lost = count(evidence.reports, now)
    votes: dict[str, list[bool]] = defaultdict(list)
    for ballot in evidence.ballots:
        if ballot.voter and ballot.share == 1.0:
            votes[ballot.voter].append(ballot.up)
    counted = _by_voter(evidence.reports)
    for voter, ups in votes.items():
        mine = counted.get(voter, [])
        mine_won, mine_lost = count(mine, now)
        rest_won, rest_lost = count(leave_out(mine, voter), now)
        others = won - mine_won + rest_won, lost - mine_lost + rest_lost
        a, b = prior.a + max(0.0, others[0]), prior.b + max(0.0, others[1])
        if not is_sure(sum(others)) or a == b:
            continue
        outliers = sum(1 for up in ups if up is (a < b))
        least, most = min(a, b), max(a, b)
        yield voter, outliers, [predict(k, len(ups), least, most) for k in range(len(ups) + 1)]


def _by_voter(reports: Iterable[Report]) -> dict[str, list[Report]]:
    found: dict[str, list[Report]] = defaultdict(list)
    for report in reports:
        for ballot in report.ballots:
            found[ballot.voter].append(report)
    return found


def _convolve(first: list[float], second: list[float]) -> list[float]:
    total = [0.0] * (len(first) + len(second) - 1)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            total[i + j] += x * y
    return total
