"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How much it matters: only a failure makes the command fail."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "FAILURE"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `mend` says what to do about it, empty where all is well."""

    check: str
    verdict: Verdict
    said: str
    mend: str = ""


def well(check: str, said: str) -> Finding:
    """Say that a check found nothing wrong."""
    return Finding(check, Verdict.OK, said)


def warn(check: str, said: str, mend: str) -> Finding:
    """Say what may be meant so, and what to do if it is not."""
    return Finding(check, Verdict.WARNING, said, mend)


def fail(check: str, said: str, mend: str) -> Finding:
    """Say what keeps the bot from working, and how to mend it."""
    return Finding(check, Verdict.FAILURE, said, mend)
