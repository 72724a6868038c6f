"""One step in full, with the commands to paste and the buttons that vote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.parts import (
    Json,
    Message,
    actions,
    button,
    code,
    context,
    cut,
    escape,
    guard,
    line,
    prose,
    rich,
    words,
)

if TYPE_CHECKING:
    from bot.view import AnswerView, StepView

LONGEST_RUN = 2400


def render_step(view: AnswerView, step: StepView) -> Message:
    """Render a step as its own message."""
    return Message(say_step(view, step), tuple(step_blocks(view, step)))


def step_blocks(view: AnswerView, step: StepView) -> list[Json]:
    """Return the blocks of one step."""
    title = f"Step {step.place} of {len(view.steps)}: "
    parts = [line(words(title, bold=True), *prose(step.step.do, most=600, bold=True))]
    if step.step.run and shows_more(step):
        parts.append(code(step.step.run, LONGEST_RUN))
    if step.step.details:
        parts.append(line(*prose(step.step.details, most=1200)))
    return [rich(*parts), context(_small_print(step)), _thumbs(view, step)]


def brief_blocks(view: AnswerView, step: StepView) -> list[Json]:
    """Return the blocks of one step where there is no room for more than its title."""
    title = words(f"Step {step.place} of {len(view.steps)}: ", bold=True)
    return [rich(line(title, *prose(step.step.do, most=160))), _thumbs(view, step)]


def _thumbs(view: AnswerView, step: StepView) -> Json:
    value = f"{view.answer.id}|{step.step.id}"
    return actions(
        button(":+1: It worked", "worked", value),
        button(":-1: It did not", "failed", value),
    )


def shows_more(step: StepView) -> bool:
    """Whether the commands say more than the title: no text is shown twice."""
    run = " ".join((step.step.run or "").split())
    return bool(run) and run != " ".join(step.step.do.split())


def _small_print(step: StepView) -> str:
    risk = {"none": "", "restart": "restarts something others use", "data-loss": "may lose data"}
    parts = [step.rate, step.rate_here, f"about {step.step.minutes} min", risk[step.step.risk]]
    sources = "sources: " + ", ".join(step.step.sources[:2]) if step.step.sources else None
    return cut(" · ".join(part for part in (*parts, sources) if part), 500)


def say_step(view: AnswerView, step: StepView) -> str:
    """Write the step as plain text."""
    lines = [f"*Step {step.place} of {len(view.steps)}: {escape(cut(step.step.do, 500), 600)}*"]
    if step.step.run and shows_more(step):
        lines.append(f"```\n{guard(cut(step.step.run.strip(), 1800), 2200)}\n```")
    if step.step.details:
        lines.append(escape(cut(step.step.details, 600), 700))
    lines.append(f"({escape(step.rate, 200)}) Did it help? Answer with :+1: or :-1:")
    return "\n".join(lines)
