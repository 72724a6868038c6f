"""Winner -> what to say about it: steps in order, dead ends, what to ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.model import Advice
from rules.rank import rank, rank_dead_ends
from rules.tried import tried
from rules.votes import read_context

if TYPE_CHECKING:
    from rules.entry import Entry
    from rules.learn import Rates
    from rules.model import CleanText, Evidence


def advise(entry: Entry, evidence: Evidence, clean: CleanText, rates: Rates) -> Advice:
    """Order the entry's steps by `rates` for what the post states."""
    done = tried(clean, entry)
    steps = rank(
        entry, rates, evidence.versions, done, read_context(evidence.versions, evidence.gpu)
    )
    return Advice(steps, rank_dead_ends(entry, rates, done), entry.ask)
