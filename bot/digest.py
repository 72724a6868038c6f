"""The weekly digest to the maintainers: what moved, what to look at, what nobody needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.core import at_epoch
from bot.edits import say_edit
from bot.slack.blocks.digest import render_digest
from bot.store import events, evidence
from bot.store.outbox import Outgoing
from rules.account import explain_rate
from rules.posterior import Flag
from rules.votes import Vote
from rules.watch import list_doubted, list_flags, list_moves, list_unusual

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from rules.learn import Rates
    from rules.posterior import Posterior
    from rules.watch import Flagged, Move, Unusual

DAY = 86_400.0
WEEK = 7 * DAY
AT_HOUR = 8
"""UTC, on Monday; a bot that was down then sends it when it is up."""
STALE_DAYS = 365
SINCE_EVER = 0.0
MOST_MOVES, MOST_MOVERS = 20, 3


@dataclass(frozen=True, slots=True)
class Digest:
    """What one digest tells."""

    week: str
    now: dt.datetime
    answers: int
    voted: int
    questions: Mapping[str, int]
    gained: tuple[Move, ...]
    lost: tuple[Move, ...]
    movers: Mapping[tuple[str, str], tuple[str, ...]]
    """Voters who moved a rate most, by entry and step."""
    flagged: tuple[Flagged, ...]
    doubted: tuple[tuple[str, Posterior], ...]
    """Entries whose diagnosis people often call wrong."""
    unusual: tuple[Unusual, ...]
    edits: tuple[str, ...]
    never_fired: tuple[str, ...]
    stale: tuple[str, ...]
    """Entries that answered and were last verified over a year ago."""
    misses: tuple[tuple[str, int], ...]
    """A redacted line of an unknown error, and how many posts had it."""
    names: Mapping[str, str]
    """User ids by pseudonym, as far as they are still known."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened that week and nothing is to be looked at."""
        return not (self.answers or self.gained or self.lost or self.flagged or self.edits)


async def send_digest(core: Core) -> None:
    """Post this week's digest, once, where a channel is set."""
    channel = core.settings.maintainer_channel
    if channel is None or not is_due(core.moment):
        return
    team = (await core.workspaces.primary()).team
    week = name_week(core.moment)
    async with core.database.read() as connection:
        if await evidence.find_digest(connection, team, week) is not None:
            return
    digest = await make_digest(core, team, week)
    flags = {f"{f.entry} {f.target}": sorted(map(str, f.flags)) for f in digest.flagged}
    async with core.database.write() as connection:
        if not await evidence.add_digest(connection, team, week, flags, core.now()):
            return
        if not digest.is_empty:
            body = render_digest(digest).arguments
            message = Outgoing(team, f"digest:{week}", "post", channel, body, part="line")
            await core.enqueue(connection, message)
    core.outbox.wake()


def is_due(now: dt.datetime) -> bool:
    """Tell whether the week's digest may go: from Monday's hour on."""
    return now.weekday() > 0 or now.hour >= AT_HOUR


def name_week(now: dt.datetime) -> str:
    """Name the ISO week: 2026-W49."""
    year, week, _ = now.isocalendar()
    return f"{year}-W{week:02d}"


async def make_digest(core: Core, team: str, week: str) -> Digest:
    """Gather what a digest tells, from one snapshot of the rates and one of a week ago."""
    after = await core.ledger.rates(team)
    before = await core.ledger.replay_until(team, core.now() - WEEK)
    moves = list_moves(before, after)
    async with core.database.read() as connection:
        since = core.now() - WEEK
        recent = await evidence.count_answers(connection, team, since)
        fired = await evidence.count_answers(connection, team, SINCE_EVER)
        earlier = _read_flags(await evidence.last_flags(connection, team))
        misses = await evidence.list_misses(connection, team, since, 8)
        return Digest(
            week=week,
            now=core.moment,
            answers=sum(recent.values()),
            voted=count_voted(after, since),
            questions=await evidence.count_questions(connection, team, since),
            gained=tuple(move for move in moves if move.gain > 0),
            lost=tuple(move for move in moves if move.gain < 0),
            movers={(m.entry, m.target): _list_movers(after, m) for m in moves[:MOST_MOVES]},
            flagged=list_flags(after, earlier),
            doubted=list_doubted(after),
            unusual=list_unusual(after),
            edits=await _say_edits(connection, team),
            never_fired=tuple(sorted(set(core.kb.entries) - set(fired))),
            stale=_list_stale(core, set(fired)),
            misses=tuple((row.line, row.posts) for row in misses),
            names=core.ledger.voters.unmask(await events.list_voters(connection, team)),
        )


async def _say_edits(connection: AsyncConnection, team: str) -> tuple[str, ...]:
    open_edits = await evidence.list_open_edits(connection, team)
    counts = await events.count_votes(connection, team) if open_edits else {}
    return tuple(say_edit(edit, counts.get((edit.entry, edit.target), 0)) for edit in open_edits)


def _list_movers(rates: Rates, move: Move) -> tuple[str, ...]:
    found = explain_rate(rates, move.entry, move.target).movers
    return tuple(mover.voter for mover in found if mover.shift * move.gain > 0)[:MOST_MOVERS]


def count_voted(rates: Rates, since: float) -> int:
    """Incidents in which somebody voted since then."""
    moment = at_epoch(since)
    return len(
        {
            (event.team, event.incident)
            for log in rates.logs.values()
            for event in log
            if isinstance(event, Vote) and event.at >= moment
        }
    )


def _read_flags(stored: Mapping[str, list[str]]) -> dict[tuple[str, str], frozenset[Flag]]:
    found = {}
    for name, flags in stored.items():
        entry, _, target = name.partition(" ")
        found[entry, target] = frozenset(map(Flag, flags))
    return found


def _list_stale(core: Core, fired: set[str]) -> tuple[str, ...]:
    today = core.moment.date()
    old = [
        entry
        for entry in core.kb.entries.values()
        if entry.id in fired and (today - entry.verified_on).days > STALE_DAYS
    ]
    return tuple(entry.id for entry in sorted(old, key=lambda entry: entry.verified_on))
