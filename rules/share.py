"""Votes as JSON lines: pseudonymous export, import, union of two logs, erasure.

Every id of a person, team or incident that leaves is a keyed pseudonym, marked by a tilde, and
stays as it is from then on; so a log that came back by a detour is recognised.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hmac
import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from rules.votes import Act, Context, Event, Outcome, Shown, Target, Thumb, Vote, to_epoch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

MARK = "~"
LONGEST_LINE = 4_000
MOST_NAMED = 20
AHEAD = dt.timedelta(days=1)
"""How far another installation's clock may be ahead."""
_NO_CONTROL = r"^[^\x00-\x1f\x7f]*$"
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_:.@~-]+$")]
Entry = Annotated[str, Field(max_length=120, pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")]
Name = Annotated[str, Field(max_length=80, pattern=r"^[a-z0-9-]*$")]
Word = Annotated[str, Field(max_length=60, pattern=_NO_CONTROL)]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    team: Id
    incident: Id
    entry: Entry
    at: AwareDatetime


class _Where(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    torch: Word | None = None
    nccl: Word | None = None
    gpu: Word | None = None
    fabric: Word | None = None


class _VoteRow(_Row):
    event: Literal["vote"]
    kind: Target
    target: Name
    voter: Id
    value: Thumb
    act: Act
    source: Word
    is_poster: bool = False
    position: Annotated[int, Field(ge=1, le=10_000)] | None = None
    context: _Where = _Where()


class _ShownRow(_Row):
    event: Literal["shown"]
    kind: Target
    target: Name
    position: Annotated[int, Field(ge=1, le=10_000)]


class _OutcomeRow(_Row):
    event: Literal["outcome"]
    context: _Where = _Where()


_ROWS: TypeAdapter[_VoteRow | _ShownRow | _OutcomeRow] = TypeAdapter(
    Annotated[_VoteRow | _ShownRow | _OutcomeRow, Field(discriminator="event")]
)
_TYPES: dict[str, type[Vote | Shown | Outcome]] = {
    "vote": Vote,
    "shown": Shown,
    "outcome": Outcome,
}


class LineError(ValueError):
    """A line that cannot be used; the message says what is wrong."""


class ImportLinesError(ValueError):
    """An import that holds lines which cannot be used; the message names each and what is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - MOST_NAMED
        rest = [f"and {more} more"] if more > 0 else []
        super().__init__("\n".join([*problems[:MOST_NAMED], *rest]))


def pseudonym(key: bytes, value: str) -> str:
    """Replace an id by a keyed pseudonym (HMAC-SHA-256, 80 bits); a pseudonym stays as it is."""
    if value.startswith(MARK):
        return value
    return MARK + hmac.digest(key, value.encode(), "sha256").hex()[:20]


def encode(event: Event) -> str:
    """Write one event as one JSON line, the same for the same event."""
    name = next(name for name, kind in _TYPES.items() if isinstance(event, kind))
    row = {"event": name} | dataclasses.asdict(event)
    at = event.at if event.at.tzinfo else event.at.replace(tzinfo=dt.UTC)
    row["at"] = at.isoformat()
    if "context" in row:
        row["context"] = {key: value for key, value in row["context"].items() if value}
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def decode(line: str | bytes) -> Event:
    """Read one JSON line. Raises LineError saying which field is wrong."""
    if len(line) > LONGEST_LINE:
        raise LineError(f"line: more than {LONGEST_LINE} characters")
    try:
        row = _ROWS.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"][1:])) or "line"
        raise LineError(f"{place}: {first['msg']}") from None
    values = {name: getattr(row, name) for name in type(row).model_fields if name != "event"}
    if "context" in values:
        values["context"] = Context(**values["context"].model_dump())
    return _TYPES[row.event](**values)


def export_lines(events: Iterable[Event], key: bytes) -> Iterator[str]:
    """Write a log for others: pseudonymous, without repetitions, in an order that tells nothing."""
    for event in merge(disguise(event, key) for event in events):
        yield encode(event)


def import_lines(
    lines: Iterable[str | bytes],
    key: bytes,
    teams: Collection[str],
    now: dt.datetime | None = None,
) -> list[Event]:
    """Read a log from others; what `teams`, our own, once exported under `key` is left out.

    Raises ImportLinesError with the number of every line that cannot be used, also where an id is
    not a pseudonym (nobody else may speak for a person or an incident of ours) or where a time lies
    ahead of `now` (it would never fade).
    """
    own = {pseudonym(key, team) for team in teams}
    events: list[Event] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = _admit(decode(line), now)
        except LineError as error:
            problems.append(f"line {number}: {error}")
            continue
        if event.team not in own:
            events.append(event)
    if problems:
        raise ImportLinesError(problems)
    return merge(events)


def _admit(event: Event, now: dt.datetime | None) -> Event:
    ids = (event.team, event.incident, getattr(event, "voter", MARK))
    if not all(value.startswith(MARK) for value in ids):
        raise LineError("team, incident and voter must be pseudonyms")
    if now is not None and to_epoch(event.at) > to_epoch(now + AHEAD):
        raise LineError("at: lies in the future")
    return event


def disguise(event: Event, key: bytes) -> Event:
    """Replace the ids of team, incident and voter by pseudonyms."""
    ids = {"team": pseudonym(key, event.team), "incident": pseudonym(key, event.incident)}
    if isinstance(event, Vote):
        ids["voter"] = pseudonym(key, event.voter)
    return dataclasses.replace(event, **ids)  # type: ignore[arg-type]


def merge(*logs: Iterable[Event]) -> list[Event]:
    """Unite logs: one event a key, in an order of its own. Idempotent and commutative."""
    found: dict[str, Event] = {}
    for log in logs:
        for event in log:
            held = found.get(event.key)
            if held is None or _rank(event) < _rank(held):
                found[event.key] = event
    return [found[key] for key in sorted(found)]


def erase(events: Iterable[Event], team: str, voter: str) -> list[Event]:
    """Drop what one person did; a replay of the rest gives the rates without them."""
    return [
        event
        for event in events
        if not (isinstance(event, Vote) and (event.team, event.voter) == (team, voter))
    ]


def _rank(event: Event) -> tuple[float, str]:
    return to_epoch(event.at), encode(event)
