"""Which steps' texts changed between two knowledge bases: votes follow ids, people judge texts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rules.entry import Workaround
from rules.posterior import list_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.entry import DeadEnd, Entry


class Edit(StrEnum):
    """What happened to a step or dead end."""

    CHANGED = "changed"
    """Other words under the same id: is it still the same step? Its votes say so."""
    RENAMED = "renamed"
    """The same words under another id: its votes stay behind."""
    REMOVED = "removed"
    """Its votes hang on nothing."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One edit that an editor should answer for."""

    entry: str
    target: str
    edit: Edit
    now: str | None = None
    """The new id, where it was renamed."""


def hash_text(part: Workaround | DeadEnd) -> str:
    """Hash what tells a person what to do; white space and case do not matter."""
    words = [part.do]
    words += [part.details or "", part.run or ""] if isinstance(part, Workaround) else [part.why]
    flat = "\n".join(" ".join(text.split()).casefold() for text in words)
    return hashlib.blake2b(flat.encode(), digest_size=16).hexdigest()


def list_edits(before: Iterable[Entry], after: Iterable[Entry]) -> tuple[TextEdit, ...]:
    """List the steps and dead ends whose text or id changed; new ones are nobody's question."""
    new = {entry.id: _hash_all(entry) for entry in after}
    edits: list[TextEdit] = []
    for entry in before:
        texts = new.get(entry.id, {})
        by_text = {text: target for target, text in texts.items()}
        for target, text in _hash_all(entry).items():
            if target not in texts:
                moved_to = by_text.get(text)
                kind = Edit.RENAMED if moved_to else Edit.REMOVED
                edits.append(TextEdit(entry.id, target, kind, moved_to))
            elif texts[target] != text:
                edits.append(TextEdit(entry.id, target, Edit.CHANGED))
    return tuple(edits)


def _hash_all(entry: Entry) -> dict[str, str]:
    return {part.id: hash_text(part) for part in list_parts(entry)}
