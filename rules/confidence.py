"""How sure the engine is: one logistic model over a few features that anybody can read.

The weights were fitted on labelled posts by `tests/bench/fit_confidence.py`, which prints them;
`explain` shows each feature's share in a verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

CHANNEL_THRESHOLD = 0.45
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
    log: float
    """How much else of the post came out of a program: 1 from four lines on."""
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
    question: float
    """There is a question mark in the sentences."""
    report: float
    """The sentences report what happens to somebody's job."""
    turn: float
    """The sentences take a turn: but now, still, again."""
    mention: float
    """The wording stands in a sentence that neither asks nor reports."""
    quoted: float
    """The wording stands in quotation marks inside a sentence."""
    rivals: float
    """Other candidates that could as well be the cause."""
    closed: float
    """The post bears at its head the tag of an alert that is over."""


WEIGHTS: dict[str, float] = {
    "bias": -0.89,
    "distance": -0.03,
    "length": 6.27,
    "pasted": 1.19,
    "log": 0.85,
    "code": -2.25,
    "over": -3.23,
    "about": -4.60,
    "notice": -4.21,
    "help": 0.61,
    "question": 1.52,
    "report": 1.84,
    "turn": 0.50,
    "mention": -0.50,
    "quoted": -2.57,
    "rivals": -3.23,
    "closed": -20.0,  # a rule, not an estimate: nothing outweighs it
}


_NAMES = tuple(field.name for field in fields(Features))


def confidence(features: Features) -> float:
    """Chance in (0, 1) that the candidate deserves to be the answer."""
    total = WEIGHTS["bias"] + sum(share for _, share in explain(features))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def explain(features: Features) -> list[tuple[str, float]]:
    """Each feature's share in the log odds."""
    return [(name, WEIGHTS[name] * getattr(features, name)) for name in _NAMES]
