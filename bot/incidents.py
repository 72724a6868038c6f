"""Which posts are one incident. Pure decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.model import Diagnosis


@dataclass(frozen=True, slots=True)
class Trace:
    """What tells one failure from another."""

    fingerprint: str
    scope: str
    poster: str
    job: str | None
    hosts: frozenset[str]
    at: float


@dataclass(frozen=True, slots=True)
class Known:
    """An incident on record."""

    id: str
    trace: Trace


def trace(diagnosis: Diagnosis, poster: str, at: float) -> Trace:
    """Return the trace that a diagnosed post leaves."""
    entry = diagnosis.entry
    return Trace(
        fingerprint=diagnosis.fingerprint,
        scope=str(entry.scope) if entry else "job",
        poster=poster,
        job=diagnosis.evidence.job_id,
        hosts=frozenset(diagnosis.evidence.hosts),
        at=at,
    )


def find_same(new: Trace, known: Iterable[Known], window: float) -> Known | None:
    """Find the latest incident that `new` belongs to; none where it is one of its own."""
    same = [incident for incident in known if is_same(incident.trace, new, window)]
    return max(same, key=lambda incident: incident.trace.at, default=None)


def is_same(old: Trace, new: Trace, window: float) -> bool:
    """Tell whether it is the same failure within `window` seconds, and something that ties them: job, host or poster."""
    if old.fingerprint != new.fingerprint or abs(new.at - old.at) > window:
        return False
    if old.job and new.job and old.job != new.job:
        return new.scope == "cluster"
    return (
        new.scope == "cluster"
        or (old.job is not None and old.job == new.job)
        or bool(old.hosts & new.hosts)
        or old.poster == new.poster
    )
