"""From ballots to reports: one report an incident and target, within the caps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from rules.ballots import Ballot, settle
from rules.credit import credit_up
from rules.entry import StepKind
from rules.policy import DAY, DAY_CAP, HALF_LIFE_DAYS, PERSON_CAP, WEAK, clip
from rules.votes import DIMENSIONS, NOWHERE, Context, Outcome, Shown, Target, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rules.entry import Entry
    from rules.policy import Policy

MATCH = ""
"""Key of the reports on the diagnosis itself."""

Incident = tuple[str, str]


class Reason(StrEnum):
    """Why something in the log does not count."""

    PERSON_CAP = "person_cap"
    DAY_CAP = "day_cap"


class Report(NamedTuple):
    """What one incident says of one target: the unit of evidence. Times are Unix seconds."""

    team: str
    incident: str
    at: float
    """When the incident happened: its first step shown, else its first vote."""
    last: float
    worked: float
    """Share of the say that calls it a success."""
    weight: float
    """At most 1, whatever the crowd."""
    ballots: tuple[Ballot, ...]
    context: Context


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the log says of one target."""

    reports: tuple[Report, ...] = ()
    """Those that count, oldest first."""
    ballots: tuple[Ballot, ...] = ()
    """Every standing ballot, counted or not."""
    left_out: tuple[tuple[Ballot, Reason], ...] = ()


NO_EVIDENCE = Evidence()


def tally(
    entry: Entry, events: Iterable[Vote | Shown | Outcome], policy: Policy
) -> dict[str, Evidence]:
    """Gather evidence by id of step or dead end, and on the diagnosis under `MATCH`."""
    votes, shown, outcomes = _sort_out(events)
    placed = settle(votes, policy)
    begun = _date(shown)
    direct = {
        target: ballots
        for (kind, target), ballots in placed.items()
        if kind in {Target.STEP, Target.DEAD_END}
    }
    heads = [ballot for ballot in placed.get((Target.HEAD, ""), ()) if ballot.up]
    if heads or (policy.outcomes and outcomes):
        rates = _rate_fixes(entry, direct, begun, policy)
        shares = _Shares(rates, shown)
        _add_heads(direct, heads, shares)
        if policy.outcomes:
            _add_outcomes(direct, outcomes, shares)
    found = {target: weigh(ballots, begun) for target, ballots in direct.items()}
    found[MATCH] = weigh(_judge_match(placed), begun)
    return found


def weigh(ballots: Sequence[Ballot], begun: Mapping[Incident, float]) -> Evidence:
    """Make the reports of one target: at most 3 incidents a person and half-life, 3 incidents a day."""
    kept, left_out = _cap_people(ballots)
    groups: dict[Incident, list[Ballot]] = defaultdict(list)
    for ballot in kept:
        groups[ballot.team, ballot.incident].append(ballot)
    reports: list[Report] = []
    by_day: dict[int, int] = defaultdict(int)
    for incident, group in sorted(groups.items(), key=_first_said):
        day = int(group[0].first // DAY)
        by_day[day] += 1
        if by_day[day] > DAY_CAP:
            left_out += [(ballot, Reason.DAY_CAP) for ballot in group]
        else:
            reports.append(_report(incident, group, begun))
    reports.sort(key=lambda report: (report.at, report.team, report.incident))
    return Evidence(tuple(reports), tuple(sorted(ballots, key=_age)), tuple(left_out))


def leave_out(reports: Iterable[Report], voter: str) -> list[Report]:
    """Say the same incidents again without one voter's ballots."""
    rest = []
    for report in reports:
        ballots = [ballot for ballot in report.ballots if ballot.voter != voter]
        if ballots:
            incident = report.team, report.incident
            rest.append(_report(incident, ballots, {incident: report.at}))
    return rest


def _first_said(item: tuple[Incident, list[Ballot]]) -> tuple[float, Incident]:
    return item[1][0].first, item[0]


def _cap_people(
    ballots: Sequence[Ballot],
) -> tuple[list[Ballot], list[tuple[Ballot, Reason]]]:
    """Let the oldest count, so that a later vote never changes what earlier ones did."""
    kept: list[Ballot] = []
    left_out: list[tuple[Ballot, Reason]] = []
    spent: dict[str, list[float]] = defaultdict(list)
    for ballot in sorted(ballots, key=_age):
        mine = spent[ballot.voter]
        since = ballot.first - HALF_LIFE_DAYS * DAY
        # A job has no voter and is not a person.
        if ballot.voter and sum(1 for at in mine[-PERSON_CAP:] if at > since) >= PERSON_CAP:
            left_out.append((ballot, Reason.PERSON_CAP))
            continue
        mine.append(ballot.first)
        kept.append(ballot)
    return kept, left_out


def _age(ballot: Ballot) -> tuple[float, str, str, str]:
    return ballot.first, ballot.team, ballot.incident, ballot.voter


def _report(incident: Incident, ballots: list[Ballot], begun: Mapping[Incident, float]) -> Report:
    if len(ballots) == 1:
        only = ballots[0]
        at = begun.get(incident, only.first)
        return Report(*incident, at, only.at, float(only.up), only.share, (only,), only.context)
    say = sum(ballot.weight for ballot in ballots)
    return Report(
        *incident,
        at=begun.get(incident, ballots[0].first),
        last=max(ballot.at for ballot in ballots),
        worked=sum(ballot.weight for ballot in ballots if ballot.up) / say,
        weight=max(ballot.share for ballot in ballots),
        ballots=tuple(ballots),
        context=_merge_contexts(ballots),
    )


def _merge_contexts(ballots: list[Ballot]) -> Context:
    """Each field as the earliest ballot that knows it has it."""
    if all(ballot.context == NOWHERE for ballot in ballots):
        return NOWHERE
    known = {
        name: next(filter(None, (getattr(ballot.context, name) for ballot in ballots)), None)
        for name in DIMENSIONS
    }
    return Context(**known)


def _sort_out(
    events: Iterable[Vote | Shown | Outcome],
) -> tuple[list[Vote], list[Shown], list[Outcome]]:
    votes: list[Vote] = []
    shown: list[Shown] = []
    outcomes: list[Outcome] = []
    for event in events:
        if isinstance(event, Vote):
            votes.append(event)
        elif isinstance(event, Shown):
            shown.append(event)
        else:
            outcomes.append(event)
    return votes, shown, outcomes


def _date(shown: Iterable[Shown]) -> dict[Incident, float]:
    begun: dict[Incident, float] = {}
    for event in shown:
        key, at = (event.team, event.incident), to_epoch(event.at)
        begun[key] = min(at, begun.get(key, at))
    return begun


def _rate_fixes(
    entry: Entry,
    direct: Mapping[str, Sequence[Ballot]],
    begun: Mapping[Incident, float],
    policy: Policy,
) -> dict[str, float]:
    """Rate the fixes for sharing out heads.

    From votes on the steps alone, so that no head's credit feeds on another's, and without decay,
    so that the clock does not move it.
    """
    strength = policy.bases[entry.verification]
    rates = {}
    for step in entry.workarounds:
        if step.kind is StepKind.EVIDENCE:
            continue
        reports = weigh(direct.get(step.id, ()), begun).reports
        won = sum(report.weight * report.worked for report in reports)
        n = sum(report.weight for report in reports)
        rates[step.id] = (strength * clip(step.success_rate) + won) / (strength + n)
    return rates


class _Shares:
    """Which steps an incident had shown when somebody said that something worked."""

    def __init__(self, rates: Mapping[str, float], shown: Iterable[Shown]) -> None:
        self.rates = rates
        self._shown: dict[Incident, dict[str, tuple[int, float]]] = defaultdict(dict)
        for event in shown:
            if event.kind is Target.STEP and event.target in rates:
                steps = self._shown[event.team, event.incident]
                place = (event.position, to_epoch(event.at))
                steps[event.target] = min(place, steps.get(event.target, place))

    def split(self, incident: Incident, at: float, voted: Mapping[str, bool]) -> dict[str, float]:
        """Shares by step; nothing where no step is known to have been shown."""
        steps = self._shown.get(incident, {})
        order = sorted(steps, key=lambda step: (steps[step], step))
        # Two clocks may disagree: a vote before anything was shown is on what came first.
        seen = [step for step in order if steps[step][1] <= at] or order[:1]
        return credit_up(seen, self.rates, voted)


def _add_heads(direct: dict[str, list[Ballot]], heads: Sequence[Ballot], shares: _Shares) -> None:
    said: dict[tuple[str, str, str], dict[str, bool]] = defaultdict(dict)
    for step in shares.rates:
        for ballot in direct.get(step, ()):
            said[ballot.team, ballot.incident, ballot.voter][step] = ballot.up
    for head in heads:
        voted = said.get((head.team, head.incident, head.voter), {})
        split = shares.split((head.team, head.incident), head.at, voted)
        for step, share in split.items():
            direct.setdefault(step, []).append(head._replace(share=share))


def _add_outcomes(
    direct: dict[str, list[Ballot]], outcomes: Iterable[Outcome], shares: _Shares
) -> None:
    voted = {(b.team, b.incident) for step in shares.rates for b in direct.get(step, ())}
    first: dict[Incident, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda o: (to_epoch(o.at), repr(o.context))):
        first.setdefault((outcome.team, outcome.incident), outcome)
    for incident, outcome in first.items():
        if incident in voted:
            continue
        at = to_epoch(outcome.at)
        for step, share in shares.split(incident, at, {}).items():
            ballot = Ballot(
                *incident,
                voter="",
                up=True,
                at=at,
                first=at,
                is_poster=False,
                source="outcome",
                position=None,
                context=outcome.context,
                share=WEAK * share,
            )
            direct.setdefault(step, []).append(ballot)


def _judge_match(placed: Mapping[tuple[Target, str], Sequence[Ballot]]) -> list[Ballot]:
    """Make one ballot a person and incident on the diagnosis.

    What they said of it, else right where something worked for them. A step that failed says
    nothing of the diagnosis.
    """
    judged: dict[tuple[str, str, str], Ballot] = {}
    for ballot in placed.get((Target.ENTRY, ""), ()):
        judged[ballot.team, ballot.incident, ballot.voter] = ballot
    implied = [
        ballot
        for (kind, _), ballots in placed.items()
        if kind in {Target.HEAD, Target.STEP}
        for ballot in ballots
        if ballot.up
    ]
    for ballot in sorted(implied, key=lambda b: (b.at, b.source)):
        judged.setdefault((ballot.team, ballot.incident, ballot.voter), ballot)
    return list(judged.values())
