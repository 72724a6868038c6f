"""Where a failure was last solved: a link across channels, to public ones alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store import life

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.store.answers import Answer
    from bot.store.life import Place
    from rules.entry import Entry
    from rules.learn import Rates

LOOK_AT = 50
"""Answers looked through, the newest first."""
_NOWHERE = ""


async def find_solved(core: Core, connection: AsyncConnection, answer: Answer, rates: Rates) -> str:
    """Find the address of the thread where the answer's diagnosis was last solved; empty for none."""
    entry = core.kb.entries.get(answer.entry)
    if entry is None or answer.facts.kind != "answer":
        return _NOWHERE
    solved = list_solved(rates, entry)
    workspace = await core.workspaces.find(answer.team)
    if not solved or workspace is None:
        return _NOWHERE
    here = await life.read_place(connection, answer.team, answer.channel)
    for other in await life.list_latest(connection, answer.team, entry.id, LOOK_AT):
        if other.incident not in solved or other.incident == answer.incident or not other.thread:
            continue
        there = await life.read_place(connection, answer.team, other.channel)
        if other.channel == answer.channel or may_link(here, there):
            return workspace.link(other.channel, other.thread)
    return _NOWHERE


def may_link(here: Place | None, there: Place | None) -> bool:
    """Whether a message in one channel may link to one in another: no stranger sees it, all may follow."""
    return here is not None and not here.is_shared and there is not None and there.is_public


def list_solved(rates: Rates, entry: Entry) -> set[str]:
    """List the incidents in which more people say that a step worked than that it did not."""
    solved = set()
    for step in entry.workarounds:
        balance: dict[str, int] = {}
        for ballot in rates.evidence(entry, step.id).ballots:
            if ballot.share == 1.0:
                sign = 1 if ballot.up else -1
                balance[ballot.incident] = balance.get(ballot.incident, 0) + sign
        solved |= {incident for incident, votes in balance.items() if votes > 0}
    return solved
