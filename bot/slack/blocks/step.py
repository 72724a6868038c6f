"""One step in full, with the commands to paste and the buttons that vote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.end import solved_otherwise
from bot.slack.blocks.parts import (
    Json,
    Message,
    actions,
    button,
    code,
    context,
    cut,
    emoji,
    escape,
    gist,
    guard,
    line,
    prose,
    rich,
    words,
)
from bot.slack.blocks.sources import link_sources
from rules.entry import Risk

if TYPE_CHECKING:
    from bot.view import AnswerView, StepView

LONGEST_RUN = 2400
_RISKS = {
    Risk.RESTART: "This restarts something that others use: ask them first.",
    Risk.DATA_LOSS: "This can lose data: save what you need first.",
}


def render_step(view: AnswerView, step: StepView) -> Message:
    """Render a step as its own message."""
    return Message(say_step(view, step, alone=False), tuple(step_blocks(view, step)))


def render_folded(step: StepView) -> Message:
    """Render a step of a dismissed answer: one line, and nothing to press."""
    text = f"_Step {step.place}, dismissed: {escape(gist(step.step.do, 160), 200)}_"
    return Message(text, (rich(line(*_fold(step))),))


def _fold(step: StepView) -> list[Json]:
    return [words(f"Step {step.place}, dismissed: "), *prose(gist(step.step.do, 160))]


def step_blocks(view: AnswerView, step: StepView, *, alone: bool = False) -> list[Json]:
    """Return the blocks of one step; `alone` where one person alone sees it, among others."""
    title = f"Step {step.place} of {len(view.steps)}: "
    parts = [line(words(title, bold=True), *prose(step.step.do, most=600, bold=True))]
    if warning := _RISKS.get(step.step.risk):
        parts.append(line(emoji("warning"), words(f" {warning}", bold=True)))
    if step.step.run and shows_more(step):
        parts.append(code(step.step.run, LONGEST_RUN))
    if step.step.details:
        parts.append(line(*prose(step.step.details, most=1200)))
    small = context(_small_print(step, alone=alone), link_sources(step.step.sources))
    return [rich(*parts), small, *_buttons(view, step, alone=alone)]


def brief_blocks(view: AnswerView, step: StepView) -> list[Json]:
    """Return the blocks of one step, among others, where there is no room for more than its title."""
    title = words(f"Step {step.place} of {len(view.steps)}: ", bold=True)
    return [rich(line(title, *prose(step.step.do, most=160))), *_buttons(view, step, alone=True)]


def _buttons(view: AnswerView, step: StepView, *, alone: bool) -> list[Json]:
    """Return the row that votes; a check, which repairs nothing, has one that goes on instead."""
    value = f"{view.answer.id}|{step.step.id}"
    made = [
        button(":+1: It worked", "worked", value),
        button(":-1: It did not", "failed", value),
    ]
    if step.is_check:
        label = "Next step" if step.place < len(view.steps) else "What else?"
        made = [button(label, "next_step", value)] if not alone or _is_due(view, step) else []
    if not alone:
        made.append(solved_otherwise(view.answer.id))
    return [actions(*made)] if made else []


def _is_due(view: AnswerView, step: StepView) -> bool:
    return view.answer.is_private and step.place == view.answer.shown and view.has_next


def shows_more(step: StepView) -> bool:
    """Whether the commands say more than the title: no text is shown twice."""
    run = " ".join((step.step.run or "").split())
    return bool(run) and run != " ".join(step.step.do.split())


def _small_print(step: StepView, *, alone: bool) -> str:
    """Say how long it takes, and the rates where they move: in a thread, they do in the head."""
    rates = [step.rate, step.rate_here] if alone else []
    if step.is_check:
        rates = [step.rate]
    parts = [*rates, f"about {step.step.minutes} min"]
    return cut(" · ".join(part for part in parts if part), 500)


def say_step(view: AnswerView, step: StepView, *, alone: bool = True) -> str:
    """Write the step as plain text."""
    lines = [f"*Step {step.place} of {len(view.steps)}: {escape(cut(step.step.do, 500), 600)}*"]
    if warning := _RISKS.get(step.step.risk):
        lines.append(f":warning: *{warning}*")
    if step.step.run and shows_more(step):
        lines.append(f"```\n{guard(cut(step.step.run.strip(), 1800), 2200)}\n```")
    if step.step.details:
        lines.append(escape(cut(step.step.details, 600), 700))
    asked = "Did it help? Answer with :+1: or :-1:"
    if step.is_check:
        asked = "Done? Press the button below, or leave a thumb, and the next step follows."
    lines.append(f"({escape(_small_print(step, alone=alone), 300)}) {asked}")
    return "\n".join(lines)
