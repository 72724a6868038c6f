"""What one person says of dead ends: that one worked after all, or that it failed here too."""

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
    rate,
    rich,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.view import DeadEndView

ASK = "Did one of these work for you, though it fails for most? Or did it fail here too?"


def ask_dead_ends(answer: str) -> Json:
    """Return the button that asks about dead ends."""
    return button("A dead end worked", "dead_ends", answer)


def render_dead_ends(answer: str, ends: Sequence[DeadEndView]) -> Message:
    """Ask one person about each of an answer's dead ends."""
    blocks: list[Json] = [note(ASK)]
    for end in ends:
        value = f"{answer}|{end.dead_end.id}"
        title = prose(end.dead_end.do, most=240, bold=True)
        blocks += [
            rich(line(*title, rate(say_end_rate(end)))),
            actions(
                button(":+1: It did work for me", "dead_end_worked", value),
                button(":-1: It failed here too", "dead_end_failed", value),
            ),
        ]
    titles = [
        f"• {escape(cut(end.dead_end.do, 140), 170)} ({escape(say_end_rate(end), 200)})"
        for end in ends
    ]
    return Message("\n".join([ASK, *titles]), tuple(blocks))


def say_end_rate(end: DeadEndView) -> str:
    """Write how often a dead end fails, and who says that it worked in this incident."""
    if not end.worked:
        return end.rate
    who = "says 1 person" if end.worked == 1 else f"say {end.worked} people"
    return f"{end.rate} · worked here, {who}"
