"""What the append-only log holds: votes, steps shown and jobs that later succeeded.

An incident is known by (team, incident); ids of people are pseudonyms. Times are aware; a time
without a zone is read as UTC. Nothing here knows what an event is worth: that is the replay's part.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Target(StrEnum):
    """What a vote hangs on."""

    STEP = "step"
    """A workaround: up = it worked here, down = it did not."""
    DEAD_END = "dead_end"
    """Up = it did work for me, down = it failed here too."""
    ENTRY = "entry"
    """The diagnosis: down = wrong diagnosis."""
    HEAD = "head"
    """The head message: an up is shared out over the steps shown; a down is only a question."""


class Thumb(StrEnum):
    """Which way a vote points."""

    UP = "up"
    DOWN = "down"


class Act(StrEnum):
    """A vote given, or the same one taken back."""

    CAST = "cast"
    RETRACT = "retract"


@dataclass(frozen=True, slots=True)
class Context:
    """Where the incident happened, as far as it is known; a field left out is unknown."""

    torch: str | None = None
    """Major and minor, such as 2.10."""
    nccl: str | None = None
    gpu: str | None = None
    """Generation, such as H100."""
    fabric: str | None = None


NOWHERE = Context()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One thumb given or taken back by one person in one incident."""

    team: str
    incident: str
    entry: str
    kind: Target
    target: str = ""
    """Id of the step or dead end; empty for the entry and the head."""
    voter: str
    value: Thumb
    act: Act = Act.CAST
    source: str
    """Where it was given: the reaction's full name with its skin tone, button, ask or import.
    Each source stands for itself: a removal takes back only what was given through the same."""
    at: dt.datetime
    is_poster: bool = False
    position: int | None = None
    """Place in the list at which the step was shown, from 1."""
    context: Context = NOWHERE

    @property
    def key(self) -> str:
        """The same for every delivery of the same act, whatever was known beside it."""
        return _digest("vote", *self._identity)

    @property
    def _identity(self) -> tuple[str, ...]:
        place = (self.team, self.incident, self.entry, self.kind, self.target)
        return (*place, self.voter, self.value, self.act, self.source, _stamp(self.at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A step or dead end was posted in full in an incident (a title in the head is not)."""

    team: str
    incident: str
    entry: str
    kind: Target
    target: str
    position: int
    at: dt.datetime

    @property
    def key(self) -> str:
        """The same for every record of the same showing."""
        place = (self.team, self.incident, self.entry, self.kind, self.target)
        return _digest("shown", *place, str(self.position))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The incident's job succeeded after steps were shown: weak evidence that one of them worked."""

    team: str
    incident: str
    entry: str
    at: dt.datetime
    context: Context = NOWHERE

    @property
    def key(self) -> str:
        """One outcome an incident and entry."""
        return _digest("outcome", self.team, self.incident, self.entry)


Event = Vote | Shown | Outcome

EARLIEST, LATEST = -62.0e9, 253.0e9

DIMENSIONS = tuple(field.name for field in fields(Context))


def read_context(
    versions: Mapping[str, str], gpu: str | None = None, fabric: str | None = None
) -> Context:
    """Read the context that stated versions give, each cut to major and minor."""
    torch, nccl = versions.get("pytorch"), versions.get("nccl")
    return Context(_cut(torch), _cut(nccl), gpu, fabric)


def to_epoch(at: dt.datetime) -> float:
    """Give Unix seconds of a time; without a zone it is UTC. Kept a few years off datetime's own ends."""
    return min(LATEST, max(EARLIEST, (at if at.tzinfo else at.replace(tzinfo=dt.UTC)).timestamp()))


def _cut(version: str | None) -> str | None:
    return ".".join(version.lstrip("vV").split("+")[0].split(".")[:2]) if version else None


def _stamp(at: dt.datetime) -> str:
    return f"{to_epoch(at):.6f}"


def _digest(*parts: str) -> str:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
