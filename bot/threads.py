"""What a known error gets in a thread that has an answer. Pure decisions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from rules.entry import Role
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from bot.store.answers import Answer
    from rules.entry import Entry
    from rules.model import Diagnosis

_NEARNESS = {Role.ROOT: 0, Role.CASCADE: 1, Role.WRAPPER: 2}


class Move(StrEnum):
    """What to do."""

    ANSWER = "answer"
    REVISE = "revise"
    """Put the new answer in the place of the earlier one."""
    LINK = "link"
    LEAVE = "leave"


def choose(
    earlier: Answer | None,
    entry_before: Entry | None,
    diagnosis: Diagnosis,
    *,
    asked: bool,
    is_poster: bool,
) -> Move:
    """Choose what a reply gets: what was missing mends the answer, other talk is left alone."""
    entry = diagnosis.entry
    assert entry is not None
    if earlier is None:
        return Move.ANSWER
    if earlier.state == "dismissed" and not asked:
        return Move.LEAVE
    if entry.id == earlier.entry:
        return Move.LINK if asked else Move.LEAVE
    is_answer = diagnosis.kind is DiagnosisKind.ANSWER
    if is_answer and earlier.facts.kind == "request":
        return Move.REVISE
    if is_answer and is_poster and is_nearer(entry, entry_before):
        return Move.REVISE
    return Move.ANSWER if asked else Move.LEAVE


def is_nearer(entry: Entry, other: Entry | None) -> bool:
    """Whether an entry is nearer the first cause than another one."""
    if other is None:
        return True
    return entry.id in other.yields_to or _NEARNESS[entry.role] < _NEARNESS[other.role]
