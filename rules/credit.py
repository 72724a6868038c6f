"""What a thumb on the head message says about the steps below it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from rules.votes import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Answer(StrEnum):
    """What the person says who was asked about a thumb down on the head."""

    WRONG_DIAGNOSIS = "wrong_diagnosis"
    STEP_FAILED = "step_failed"


def share_out(rates: Sequence[float]) -> list[float]:
    """Give each step, in the order tried, its chance to be the first that worked; sums to 1."""
    left, chances = 1.0, []
    for rate in rates:
        chances.append(left * rate)
        left *= 1.0 - rate
    total = sum(chances)
    return [chance / total for chance in chances] if total > 0.0 else [0.0] * len(chances)


def credit_up(
    shown: Sequence[str], rates: Mapping[str, float], voted: Mapping[str, bool]
) -> dict[str, float]:
    """Shares of one thumb up on the head, by step shown.

    `voted` holds what the same person said of single steps there: a step they said failed gets
    nothing, and once they said which one worked the head adds nothing.
    """
    if any(voted.values()):
        return {}
    open_steps = [step for step in shown if step in rates and step not in voted]
    shares = share_out([rates[step] for step in open_steps])
    return {step: share for step, share in zip(open_steps, shares, strict=True) if share > 0.0}


def resolve_down(
    answer: Answer, shown: Sequence[str], voted: Mapping[str, bool]
) -> tuple[Target, str] | None:
    """Say what a thumb down on the head is a vote against, once the person answered.

    The diagnosis, or the first step shown on which they have not voted; None where they have
    voted on every one of them.
    """
    if answer is Answer.WRONG_DIAGNOSIS:
        return Target.ENTRY, ""
    return next(((Target.STEP, step) for step in shown if step not in voted), None)
