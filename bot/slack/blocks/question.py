"""The question to the poster, whether a step helped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.parts import (
    Json,
    Message,
    actions,
    button,
    cut,
    escape,
    line,
    note,
    prose,
    rich,
    words,
)

if TYPE_CHECKING:
    from bot.view import AnswerView, StepView

MOST_ASKED = 3


def render_question(view: AnswerView) -> Message:
    """Ask about the repairs shown, the last ones where they are many; answered by a press.

    The view has a repair: a check is nothing that helps.
    """
    fixes = [step for step in view.steps if not step.is_check]
    shown = [step for step in fixes if step.place <= view.answer.shown]
    steps = shown[-MOST_ASKED:] or fixes[:1]
    what = f"step {steps[0].place}" if len(steps) == 1 else "one of these steps"
    ask = f"<@{view.answer.poster}> did {what} help? One press, and the next person gets the better order."
    blocks: list[Json] = [note(ask)]
    for step in steps:
        blocks += _ask(view, step)
    titles = [f"{step.place}. {escape(cut(step.step.do, 200), 240)}" for step in steps]
    return Message("\n".join([ask, *titles]), tuple(blocks))


def _ask(view: AnswerView, step: StepView) -> list[Json]:
    title = words(f"Step {step.place}: ", bold=True)
    value = f"{view.answer.id}|{step.step.id}"
    return [
        rich(line(title, *prose(step.step.do, most=240))),
        actions(
            button(":+1: It worked", "asked_worked", value),
            button(":-1: It did not", "asked_failed", value),
        ),
    ]


def render_answered(place: int) -> Message:
    """Render what stands in the question's place once it was answered."""
    text = f"_Asked whether a step helped; answered for step {place}. Thank you._"
    return Message(text, (note(text),))
