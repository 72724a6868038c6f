"""`/nccl rates <entry>`: what is behind an entry's rates, and for maintainers who moved them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.accounts import tell
from bot.private import say_privately
from bot.roles import Deed, may
from bot.slack.blocks.private import render_note
from bot.slack.blocks.rates import render_rates
from bot.slack.nearest import say_no_entry
from bot.slack.roles import look_up_role
from bot.store import events
from rules.votes import Vote

if TYPE_CHECKING:
    from bot.core import Core
    from bot.private import Asker
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace
    from rules.learn import Rates

_QUERY = re.compile(r"\s*rates(?:\s+`?([a-z0-9-]+/[a-z0-9-]+)`?)?\s*", re.IGNORECASE)
MOST_NAMED = 8
USAGE = "Say which entry: `/nccl rates pytorch/nccl-timeout-during-allreduce`."


def read_query(text: str) -> str | None:
    """Return the entry asked for, empty where none is named; none where it is another command."""
    found = _QUERY.fullmatch(text)
    return (found[1] or "").lower() if found else None


async def show_rates(
    core: Core, people: People, workspace: Workspace, asker: Asker, query: str
) -> None:
    """Tell one person about an entry's rates."""
    rates = await core.ledger.rates(asker.team)
    entry = core.kb.entries.get(query)
    if entry is None:
        text = say_no_entry(core.kb, query, USAGE) if query else _list_voted(rates)
        return await say_privately(core, asker, "rates", render_note(text))
    names = None
    role = await look_up_role(core, people, workspace, asker.person, asker.channel)
    if may(role, Deed.SEE_VOTERS):
        async with core.database.read() as connection:
            names = core.ledger.voters.unmask(await events.list_voters(connection, asker.team))
    message = render_rates(entry, rates, tell(rates, entry, core.moment, names), core.moment)
    return await say_privately(core, asker, "rates", message)


def _list_voted(rates: Rates) -> str:
    votes = {
        entry: sum(isinstance(event, Vote) for event in log)
        for entry, log in rates.logs.items()
        if entry in rates.entries
    }
    most = sorted((e for e in votes if votes[e]), key=lambda e: (-votes[e], e))[:MOST_NAMED]
    named = ", ".join(f"`{entry}` ({votes[entry]})" for entry in most)
    return f"{USAGE} With votes so far: {named}." if named else f"{USAGE} Nobody voted yet."
