"""Steps whose text changed after votes: noticed, and an editor asked whether it is the same step.

Votes follow ids. The hash of each text voted on is kept; where the knowledge base has another text
under the id, has it under another id, or has it no more, that is an open question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import events, evidence
from rules.edits import Edit, compare_texts, hash_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from rules.edits import TextEdit
    from rules.entry import Entry


async def note_edits(core: Core) -> None:
    """Keep the open questions in step with the knowledge base, for every team."""
    async with core.database.write() as connection:
        for team in await events.list_teams(connection):
            await find_edits(connection, team, core.kb.entries.values(), core.now())


async def find_edits(
    connection: AsyncConnection, team: str, entries: Iterable[Entry], now: float
) -> list[TextEdit]:
    """Compare texts voted on with `entries`; the edits that an editor should answer for.

    A text seen for the first time is kept. An entry that is gone or retired raises no question.
    """
    current = {entry.id: hash_texts(entry) for entry in entries}
    kept = await evidence.list_texts(connection, team)
    for entry, target in await events.count_votes(connection, team):
        digest = current.get(entry, {}).get(target)
        if digest is not None and target not in kept.get(entry, {}):
            await evidence.set_text(connection, team, entry, target, digest)
    edits = compare_texts({e: texts for e, texts in kept.items() if e in current}, current)
    await evidence.replace_edits(connection, team, edits, kept, now)
    return list(edits)


async def settle_edit(
    connection: AsyncConnection, team: str, edit: TextEdit, entries: Mapping[str, Entry]
) -> None:
    """Record an editor's word: the changed text is the same step; a gone one is let go."""
    entry = entries.get(edit.entry)
    texts = hash_texts(entry) if entry else {}
    digest = texts.get(edit.target) if edit.edit is Edit.CHANGED else None
    await evidence.set_text(connection, team, edit.entry, edit.target, digest)


def say_edit(edit: TextEdit, votes: int) -> str:
    """Write the question to the editor."""
    name = f"{edit.entry} {edit.target}"
    held = f"{votes} vote{'' if votes == 1 else 's'}"
    if edit.edit is Edit.CHANGED:
        return (
            f"{name}: other words than its {held} were given on. Same step? Else give it a new id."
        )
    if edit.edit is Edit.RENAMED:
        return f"{name}: now called {edit.now}, so its {held} stay behind. Take the old id back?"
    return f"{name}: gone, with {held}. Retired on purpose?"
