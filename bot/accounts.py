"""The account of a rate in words: prior, evidence, contexts, and what moved it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.account import explain_rate
from rules.posterior import Measure, list_parts
from rules.rank import rank, rank_dead_ends
from rules.say import name_context, percent, say_here, say_rate
from rules.tally import MATCH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.account import Account
    from rules.entry import Entry
    from rules.learn import Rates
    from rules.posterior import Posterior

MOST_LINES = 5
MOST_MOVERS = 5
DIAGNOSIS = "diagnosis"
WORKED, RIGHT = ("worked", "did not work"), ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Told:
    """One rate: what it is of, and lines about it."""

    id: str
    title: str
    lines: tuple[str, ...]


def list_accounts(rates: Rates, entry: Entry) -> list[Account]:
    """Account for each step and dead end, in the order in which an answer shows them."""
    order = [ranked.step.id for ranked in rank(entry, rates)]
    order += [ranked.dead_end.id for ranked in rank_dead_ends(entry, rates)]
    return [explain_rate(rates, entry.id, target) for target in order]


def tell(
    rates: Rates, entry: Entry, now: dt.datetime, names: Mapping[str, str] | None
) -> list[Told]:
    """Put the accounts of an entry into words; who moved a rate only where `names` is given.

    That of the diagnosis itself comes last, once somebody said something of it.
    """
    titles = {part.id: part.do for part in list_parts(entry)}
    told = [
        Told(each.target, titles[each.target], tuple(say_account(each, now, names)))
        for each in list_accounts(rates, entry)
    ]
    match = explain_rate(rates, entry.id, MATCH)
    if match.lines:
        told.append(Told(DIAGNOSIS, "The diagnosis itself", tuple(say_account(match, now, names))))
    return told


def say_account(
    account: Account, now: dt.datetime, names: Mapping[str, str] | None = None
) -> list[str]:
    """Write the lines of one account."""
    if account.rate.measure is Measure.EVIDENCE:
        return [say_rate(account.rate, now)]
    lines = [say_rate(account.rate, now) + _say_flags(account.rate)]
    lines.append(_say_prior(account))
    lines += _say_evidence(account)
    lines += [say_here(rate, now) for rate in account.contexts]
    lines += _say_positions(account) + _say_left_out(account)
    return lines + _say_movers(account, names)


def _say_prior(account: Account) -> str:
    stated, fails = account.prior.stated, account.rate.measure is Measure.DEAD_END
    said = f"what is stated ({f'fails {percent(1.0 - stated)}' if fails else percent(stated)})"
    if account.rate.measure is Measure.MATCH:
        said = f"what is taken for granted ({percent(stated)})"
    worth = f"{account.prior.strength:.1f} incidents, reports {account.rate.n:.1f}"
    return f"{said} is worth {worth}"


def _say_flags(rate: Posterior) -> str:
    return "".join(f" [{str(flag).replace('_', ' ')}]" for flag in sorted(rate.flags))


def _say_evidence(account: Account) -> list[str]:
    lines = []
    is_match = account.rate.measure is Measure.MATCH
    for line in account.lines[:MOST_LINES]:
        report = line.report
        people = sum(1 for ballot in report.ballots if ballot.voter)
        verb = "was right" if is_match else "worked"
        said = f"{percent(report.worked)} say it {verb}" if 0 < report.worked < 1 else None
        said = said or (RIGHT if is_match else WORKED)[report.worked == 0.0]
        by = f"{people} vote{'' if people == 1 else 's'}" if people else "the job succeeded"
        lines.append(f"{_day(report.last)}: {said} ({by}), weighs {line.weight:.2f}")
    more = len(account.lines) - MOST_LINES
    return [*lines, f"and {more} earlier incidents"] if more > 0 else lines


def _say_positions(account: Account) -> list[str]:
    if not account.positions:
        return []
    places = ", ".join(f"place {p.position}: {p.ups} of {p.votes}" for p in account.positions)
    return [f"votes by {places} (later places see harder cases)"]


def _say_left_out(account: Account) -> list[str]:
    reasons = Counter(str(reason).replace("_", " ") for _, reason in account.left_out)
    lines = [f"not counted: {n} beyond the {name}" for name, n in sorted(reasons.items())]
    if account.outcomes:
        lines.append(f"{account.outcomes} answered jobs of this entry succeeded later")
    return lines


def _say_movers(account: Account, names: Mapping[str, str] | None) -> list[str]:
    if not account.movers:
        return []
    if names is None:
        people = len(account.movers)
        return [f"moved by {people} {'person' if people == 1 else 'people'}"]
    # A dead end is told by how often it fails, so a vote that it worked lowers what is shown.
    sign = -100.0 if account.rate.measure is Measure.DEAD_END else 100.0
    return [
        f"{names.get(mover.voter, mover.voter)} moved it by {sign * mover.shift:+.1f} points "
        f"({mover.incidents} incident{'' if mover.incidents == 1 else 's'})"
        for mover in account.movers[:MOST_MOVERS]
    ]


def _day(epoch: float) -> str:
    return dt.datetime.fromtimestamp(epoch, dt.UTC).date().isoformat()


def account_to_json(account: Account, names: Mapping[str, str]) -> dict[str, Any]:
    """Return one account for programs."""
    return {
        "id": account.target or DIAGNOSIS,
        "measure": str(account.rate.measure),
        "prior": {"stated": account.prior.stated, "strength": round(account.prior.strength, 4)},
        **_rate_to_json(account.rate),
        "evidence": [
            {
                "incident": line.report.incident,
                "day": _day(line.report.last),
                "worked": round(line.report.worked, 4),
                "weight": round(line.weight, 4),
                "votes": len(line.report.ballots),
            }
            for line in account.lines
        ],
        "contexts": [
            {"context": name_context(rate.context), **_rate_to_json(rate)}
            for rate in account.contexts
            if rate.context
        ],
        "positions": [
            {"position": p.position, "ups": p.ups, "votes": p.votes} for p in account.positions
        ],
        "left_out": dict(Counter(str(reason) for _, reason in account.left_out)),
        "outcomes": account.outcomes,
        "movers": [
            {
                "voter": names.get(mover.voter, mover.voter),
                "incidents": mover.incidents,
                "shift": round(mover.shift, 4),
            }
            for mover in account.movers
        ],
    }


def _rate_to_json(rate: Posterior) -> dict[str, Any]:
    return {
        "mean": round(rate.mean, 4),
        "low": round(rate.low, 4),
        "high": round(rate.high, 4),
        "incidents": round(rate.n, 4),
        "successes": rate.successes,
        "reports": rate.reports,
        "stated": rate.stated,
        "last": rate.last.isoformat() if rate.last else None,
        "flags": sorted(map(str, rate.flags)),
    }
