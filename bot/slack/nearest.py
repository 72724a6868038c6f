"""What to say where an entry is named that there is not: the nearest ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.search import search

if TYPE_CHECKING:
    from rules.load import KnowledgeBase

MOST_NAMED = 3
LEAST_SCORE = 0.6
"""How well the words must fit; below, an entry shares a word by chance."""
NEAR_BEST = 0.75
"""How close to the best one others must come: all of a domain share its name."""


def name_nearest(kb: KnowledgeBase, query: str) -> str:
    """Ask whether one of the nearest entries was meant; empty where none is near."""
    found = search(kb.entries.values(), query, MOST_NAMED)
    least = max([LEAST_SCORE, *(each.score * NEAR_BEST for each in found[:1])])
    names = ", ".join(f"`{each.entry.id}`" for each in found if each.score >= least)
    return f"Did you mean {names}?" if names else ""


def say_no_entry(kb: KnowledgeBase, query: str, usage: str) -> str:
    """Say that there is no such entry, and which are near, else how to ask."""
    return f"There is no entry `{query}`. {name_nearest(kb, query) or usage}"
