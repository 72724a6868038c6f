"""Winner -> what to say about it: steps in order, dead ends, what to ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.model import Advice
from rules.rank import rank, rank_dead_ends
from rules.tried import tried
from rules.votes import Context

if TYPE_CHECKING:
    from rules.entry import Entry
    from rules.learn import Rates
    from rules.model import CleanText, Evidence


def advise(entry: Entry, evidence: Evidence, clean: CleanText, rates: Rates) -> Advice:
    """Order the entry's steps by `rates` for what the post states."""
    done = tried(clean, entry)
    steps = rank(entry, rates, evidence.versions, done, context_of(evidence))
    return Advice(steps, rank_dead_ends(entry, rates, done), entry.ask)


def context_of(evidence: Evidence) -> Context:
    """The part of the evidence that rates are told apart by."""
    return Context(
        torch=evidence.versions.get("pytorch"), nccl=evidence.versions.get("nccl"), gpu=evidence.gpu
    )
