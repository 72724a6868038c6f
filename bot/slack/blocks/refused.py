"""What the maintainers' channel hears of a changed knowledge base that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.parts import Message, code, cut, guard, note, rich

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ERRORS = 10
LONGEST = 2500


def render_refused(errors: Sequence[str], version: str) -> Message:
    """Say what stays in place, and the first errors with their lines."""
    more = len(errors) - MOST_ERRORS
    tail = [f"… and {more} more"] if more > 0 else []
    shown = "\n".join([cut("\n".join(errors[:MOST_ERRORS]), LONGEST), *tail])
    said = f"The changed knowledge base cannot be used; {version} stays in place."
    return Message(f"{said}\n```\n{guard(shown, 3400)}\n```", (note(said), rich(code(shown, 3000))))
