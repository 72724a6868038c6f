"""The constants of the learning model, and what an installation may set of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.entry import Verification

if TYPE_CHECKING:
    from collections.abc import Mapping

DAY = 86_400.0
HALF_LIFE_DAYS = 180.0
PRIOR_HALF_LIFE_DAYS = 365.0
RECENT_DAYS = 2 * HALF_LIFE_DAYS
FLOOR, CEILING = 0.05, 0.95
LEAST_STRENGTH, MOST_STRENGTH = 0.5, 16.0
"""Incidents that a stated rate may be worth."""
SURE = 3
"""Incidents from which a rate is shown as earned, a context by itself, a step overtaken."""
PERSON_CAP = 3
"""Incidents per person and target within a half-life."""
DAY_CAP = 3
"""Incidents per target and day."""
WEAK = 0.25
"""Part of a vote that a job which later succeeded is worth."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may not vote, what counts, and how far stated rates are trusted."""

    barred: frozenset[str] = frozenset()
    """Guests and bots."""
    authors: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By entry: who wrote it; they do not vote on it."""
    outcomes: bool = False
    """Whether jobs that later succeeded count, weakly, where nobody voted."""
    bases: Mapping[Verification, float] = field(
        default_factory=lambda: {
            Verification.AI_GENERATED: 2.0,
            Verification.CITED: 4.0,
            Verification.CONFIRMED: 8.0,
            Verification.REPRODUCED: 8.0,
        }
    )
    """Strength of a stated rate on the day it was verified, in incidents."""


def clip(rate: float) -> float:
    """Keep a stated rate off 0 and 1, where no evidence could move it."""
    return min(CEILING, max(FLOOR, rate))


def is_sure(n: float, least: int = SURE) -> bool:
    """Tell whether `n` decayed incidents make `least` in whole ones (decay begins at once)."""
    return n >= least - 0.5


def age_days(then: float, now: float) -> float:
    """Count days between two epochs; an event from the future is new, never negative in age."""
    return max(0.0, now - then) / DAY


def fade(then: float, now: float) -> float:
    """Weigh an incident that happened `then`: halves every 180 days, never above 1."""
    return float(2.0 ** -(age_days(then, now) / HALF_LIFE_DAYS))
