"""What the last seven days brought to a team, for `/nccl stats` and App Home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.digest import WEEK, count_voted
from bot.store import guided
from rules.watch import list_moves

if TYPE_CHECKING:
    import datetime as dt
    from typing import Any

    from sqlalchemy import Row

    from bot.core import Core
    from rules.watch import Move

MOST = 8


@dataclass(frozen=True, slots=True)
class Week:
    """Numbers of a week, and what stands out."""

    now: dt.datetime
    incidents: int
    answers: int
    voted: int
    top: tuple[tuple[str, str, int], ...]
    """Entry, title and number of incidents."""
    gained: tuple[Move, ...]
    lost: tuple[Move, ...]
    unsolved: tuple[Row[Any], ...]
    fixes: tuple[Row[Any], ...]
    entries: int
    version: str


async def look_back(core: Core, team: str) -> Week:
    """Gather a team's last seven days."""
    since = core.now() - WEEK
    after = await core.ledger.rates(team)
    before = await core.ledger.replay_until(team, since)
    moves = list_moves(before, after)
    async with core.database.read() as connection:
        counts = await guided.count_incidents(connection, team, since)
        answers = await guided.count_public_answers(connection, team, since)
        unsolved = await guided.list_unsolved(connection, team, MOST)
        fixes = await guided.list_recent_fixes(connection, team, since, MOST)
    known = [(e, core.kb.entries[e].title, n) for e, n in counts.items() if e in core.kb.entries]
    return Week(
        now=core.moment,
        incidents=sum(counts.values()),
        answers=answers,
        voted=count_voted(after, since),
        top=tuple(sorted(known, key=lambda each: (-each[2], each[0]))[:MOST]),
        gained=tuple(move for move in moves if move.gain > 0)[:MOST],
        lost=tuple(move for move in moves if move.gain < 0)[:MOST],
        unsolved=tuple(unsolved),
        fixes=tuple(fixes),
        entries=len(core.kb.entries),
        version=core.kb.version,
    )
