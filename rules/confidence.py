"""How sure the engine is: one logistic model over a few features that anybody can read.

The weights were fitted on labelled posts by `tests/bench/fit_confidence.py`, which prints them;
`explain` shows each feature's share in a verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

CHANNEL_THRESHOLD = 0.6
"""In a channel the bot speaks only above this."""
ASKED_THRESHOLD = 0.2
"""Who addressed the bot gets a less certain answer too, and is told so."""


@dataclass(frozen=True, slots=True)
class Features:
    """What the confidence is made of; each roughly in [0, 1]."""

    distance: float
    """1 - similarity, times 10: 0 for a signature that fired."""
    length: float
    """Length of the literal, log2 over 8: a long wording does not occur by chance."""
    pasted: float
    """The line came out of a program."""
    code: float
    """The line is source code or a search command."""
    over: float
    """The sentences say that it is over."""
    about: float
    """The sentences speak about errors, documents or tools."""
    notice: float
    """The sentences say that nothing is wrong now."""
    help: float
    """The sentences ask for help."""
    report: float
    """The sentences report what happens to somebody's job."""
    mention: float
    """The wording stands in a sentence that neither asks nor reports."""
    quoted: float
    """The wording stands in quotation marks inside a sentence."""
    embedded: float
    """The wording stands inside a longer sentence."""
    rivals: float
    """Other candidates that could as well be the cause."""
    alone: float
    """The post is the error and nothing else."""


WEIGHTS: dict[str, float] = {
    "bias": 3.47,
    "distance": -2.23,
    "length": 1.28,
    "pasted": 2.07,
    "code": -3.93,
    "over": -4.85,
    "about": -5.39,
    "notice": -4.45,
    "help": 0.68,
    "report": 0.70,
    "mention": -2.11,
    "quoted": -2.14,
    "embedded": 0.91,
    "rivals": 0.06,
    "alone": -1.69,
}


_NAMES = tuple(field.name for field in fields(Features))


def confidence(features: Features) -> float:
    """Chance in (0, 1) that the candidate deserves to be the answer."""
    total = WEIGHTS["bias"] + sum(share for _, share in explain(features))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def explain(features: Features) -> list[tuple[str, float]]:
    """Each feature's share in the log odds."""
    return [(name, WEIGHTS[name] * getattr(features, name)) for name in _NAMES]
