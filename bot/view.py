"""What an answer shows at one moment: the entry, its rates, and what people said so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rules.entry import StepKind
from rules.posterior import list_parts
from rules.say import say_context, say_rate
from rules.votes import Context

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from bot.store.answers import Answer
    from rules.entry import DeadEnd, Entry, Workaround
    from rules.learn import Rates


@dataclass(frozen=True, slots=True)
class StepView:
    """A step in its place."""

    step: Workaround
    place: int
    """From 1."""
    rate: str
    rate_here: str | None
    worked: int
    """How many people said so in this incident."""
    failed: int
    tried: bool
    worked_by: tuple[str, ...] = ()
    """Names of those who said so, as far as they are known."""

    @property
    def is_check(self) -> bool:
        """Whether it gathers evidence: what was found out is no repair that worked or failed."""
        return self.step.kind is StepKind.EVIDENCE


@dataclass(frozen=True, slots=True)
class Fix:
    """What somebody says solved the incident otherwise."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DeadEndView:
    """A dead end with how often it fails."""

    dead_end: DeadEnd
    rate: str
    tried: bool
    worked: int = 0
    """How many people said so in this incident."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """All that rendering an answer takes."""

    answer: Answer
    entry: Entry
    steps: tuple[StepView, ...]
    dead_ends: tuple[DeadEndView, ...]
    votes: int
    """How many people voted in this incident."""
    wrong: int
    """How many people said that the diagnosis is wrong."""
    fixes: tuple[Fix, ...] = ()

    @property
    def has_next(self) -> bool:
        """Whether a step follows that the poster did not try; those tried stand last."""
        shown = self.answer.shown
        return shown < len(self.steps) and not self.steps[shown].tried

    @property
    def is_over(self) -> bool:
        """Whether the last step shown did not help, or could not, and none follows."""
        if self.has_next or self.solved_by:
            return False
        last = self.steps[self.answer.shown - 1 : self.answer.shown]
        return any(step.is_check or step.failed > step.worked for step in last)

    @property
    def solved_by(self) -> StepView | None:
        """The step that most people said worked, if any."""
        best = max(self.steps, key=lambda step: (step.worked, -step.place), default=None)
        return best if best and best.worked else None

    def step(self, identity: str) -> StepView | None:
        """Return a step by its id."""
        return next((step for step in self.steps if step.step.id == identity), None)


def look(
    answer: Answer,
    entry: Entry,
    rates: Rates,
    context: Context,
    now: dt.datetime,
    *,
    names: Mapping[str, str] | None = None,
    fixes: tuple[Fix, ...] = (),
) -> AnswerView:
    """Return the view of an answer; steps that the entry no longer has are left out.

    `names` are those of voters by pseudonym, as far as they are known.
    """
    steps = {step.id: step for step in entry.workarounds}
    ends = {end.id: end for end in entry.dead_ends}
    views = []
    for place, step in enumerate((steps[i] for i in answer.steps if i in steps), 1):
        here = rates.of(entry, step.id, context)
        overall = say_rate(rates.of(entry, step.id), now)
        tried = step.id in answer.facts.tried
        view = StepView(step, place, overall, say_context(here), 0, 0, tried)
        if not view.is_check:
            ups, downs = count_votes(rates, answer.incident, entry.id, step.id)
            people = _name_confirmers(rates, answer.incident, entry.id, step.id, names or {})
            view = replace(view, worked=ups, failed=downs, worked_by=people)
        views.append(view)
    dead_ends = tuple(
        _look_at_end(answer, ends[i], rates, now) for i in answer.facts.dead_ends if i in ends
    )
    _, wrong = count_votes(rates, answer.incident, entry.id, "")
    votes = len(list_voters(rates, answer.incident, entry))
    return AnswerView(answer, entry, tuple(views), dead_ends, votes, wrong, fixes)


def _look_at_end(answer: Answer, end: DeadEnd, rates: Rates, now: dt.datetime) -> DeadEndView:
    rate = say_rate(rates.of(answer.entry, end.id), now)
    worked, _ = count_votes(rates, answer.incident, answer.entry, end.id)
    return DeadEndView(end, rate, end.id in answer.facts.tried, worked)


def count_votes(rates: Rates, incident: str, entry: str, target: str) -> tuple[int, int]:
    """Standing ups and downs of one step (or of the diagnosis, `target` empty) in an incident."""
    # A thumb on the head that was shared out says of no single step that it worked.
    found = rates.evidence(entry, target).ballots
    mine = [ballot for ballot in found if ballot.incident == incident and ballot.share > 0.5]
    ups = sum(ballot.up for ballot in mine)
    return ups, len(mine) - ups


def standing_vote(rates: Rates, incident: str, entry: str, target: str, voter: str) -> bool | None:
    """Return what one person's vote is; none where they have none."""
    for ballot in rates.evidence(entry, target).ballots:
        if ballot.incident == incident and ballot.voter == voter and ballot.share == 1.0:
            return ballot.up
    return None


def _name_confirmers(
    rates: Rates, incident: str, entry: str, target: str, names: Mapping[str, str]
) -> tuple[str, ...]:
    found = rates.evidence(entry, target).ballots
    mine = [ballot for ballot in found if ballot.incident == incident and ballot.share > 0.5]
    return tuple(sorted(names[each.voter] for each in mine if each.up and each.voter in names))


def list_voters(rates: Rates, incident: str, entry: Entry) -> set[str]:
    """List the pseudonyms of those who voted in an incident."""
    targets = ("", *(part.id for part in list_parts(entry)))
    return {
        ballot.voter
        for target in targets
        for ballot in rates.evidence(entry, target).ballots
        if ballot.incident == incident
    }


def read_stored_context(values: Mapping[str, str | None]) -> Context:
    """Read the context that an incident was opened with."""
    return Context(**values)
