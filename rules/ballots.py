"""From the log to ballots: what each person's thumbs on one thing in one incident come to.

Every source (a reaction, the buttons) is a register of its own whose events are ordered by their
times, whatever order they arrived in. The latest that still stands is the person's vote.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from rules.votes import Act, Context, Target, Thumb, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.policy import Policy

Place = tuple[Target, str]
"""Kind and id of what is voted on, within one entry."""


# A named tuple: a replay makes one a vote, and frozen dataclasses take thrice the time to make.
class Ballot(NamedTuple):
    """One person's standing vote on one target in one incident; times are Unix seconds."""

    team: str
    incident: str
    voter: str
    up: bool
    at: float
    first: float
    """Since when a vote of theirs stands there: caps go by this, not by a change of mind."""
    is_poster: bool
    source: str
    position: int | None
    context: Context
    share: float = 1.0
    """Part of a whole vote; below 1 where a thumb on the head was shared out."""

    @property
    def weight(self) -> float:
        """Say within the incident: who posted the error counts three times."""
        return self.share * (3.0 if self.is_poster else 1.0)


def settle(votes: Iterable[Vote], policy: Policy) -> dict[Place, list[Ballot]]:
    """Find the standing ballots by target, without those who may not vote; `votes` are of one entry."""
    groups: dict[tuple[str, str, Target, str, str], list[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.voter in policy.barred or vote.voter in policy.authors.get(vote.entry, ()):
            continue
        groups[vote.team, vote.incident, vote.kind, vote.target, vote.voter].append(vote)
    ballots: dict[Place, list[Ballot]] = defaultdict(list)
    for (_, _, kind, target, _), group in groups.items():
        ballot = _settle_one(group)
        if ballot is not None:
            ballots[kind, target].append(ballot)
    return ballots


def _settle_one(votes: list[Vote]) -> Ballot | None:
    if len(votes) == 1:
        vote = votes[0]
        return _to_ballot(vote) if vote.act is Act.CAST else None
    standing: dict[str, Vote] = {}
    since: dict[str, float] = {}
    for vote in sorted(votes, key=_order):
        held = standing.get(vote.source)
        if vote.act is Act.CAST:
            standing[vote.source] = vote
            since.setdefault(vote.source, to_epoch(vote.at))
        elif held is not None and held.value is vote.value:
            del standing[vote.source], since[vote.source]
    if not standing:
        return None
    return _to_ballot(max(standing.values(), key=_order), min(since.values()))


def _to_ballot(vote: Vote, first: float | None = None) -> Ballot:
    at = to_epoch(vote.at)
    return Ballot(
        vote.team,
        vote.incident,
        vote.voter,
        vote.value is Thumb.UP,
        at,
        at if first is None else first,
        vote.is_poster,
        vote.source,
        vote.position,
        vote.context,
    )


def _order(vote: Vote) -> tuple[float, bool, str, str, bool, int, str]:
    """By time; what follows only makes ties the same in any order of arrival."""
    undone = vote.act is Act.RETRACT
    tie = (vote.value.value, vote.source, vote.is_poster, vote.position or 0, repr(vote.context))
    return to_epoch(vote.at), undone, *tie
