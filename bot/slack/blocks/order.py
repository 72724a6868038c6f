"""What the order of steps goes by, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.entry import StepKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.entry import Workaround


def say_order(steps: Sequence[Workaround]) -> str:
    """Write `: checks first, then best odds for the time, risky steps last`, as far as it holds."""
    fixes = [step for step in steps if step.kind is not StepKind.EVIDENCE]
    if len(steps) < 2 or not fixes:
        return ""
    checks = len(fixes) < len(steps)
    said = ["checks first"] if checks else []
    if len(fixes) > 1:
        said.append("then best odds for the time" if checks else "best odds for the time first")
    if len({step.risk for step in fixes}) > 1:
        said.append("risky steps last")
    return f": {', '.join(said)}"
