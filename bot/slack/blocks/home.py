"""The Home tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.slack.blocks.entry import say_week
from bot.slack.blocks.parts import (
    Json,
    actions,
    button,
    cut,
    header,
    items,
    line,
    note,
    prose,
    rich,
    words,
)
from bot.slack.blocks.private import HELP
from rules.say import say_move

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.week import Week
    from rules.watch import Move

MOST_BLOCKS = 100


@dataclass(frozen=True, slots=True)
class Home:
    """What one person's Home tab shows."""

    week: Week
    titles: Mapping[str, str]
    """Of entries, by id."""
    steps: Mapping[tuple[str, str], str]
    """What steps and dead ends say to do, by entry and id."""
    links: Mapping[str, str]
    """Addresses of unsolved threads by answer, where everybody may read them."""
    names: Mapping[str, str]
    may_set: bool
    sees_fixes: bool


def render_home(home: Home) -> Json:
    """Render the tab, within its limit of blocks."""
    week = home.week
    blocks = [
        header("nccl-bot"),
        note(HELP),
        actions(button("Paste a long log", "open_form", "form")),
    ]
    blocks += [{"type": "divider"}, header("This week"), rich(line(words(say_week(week))))]
    incidents = [[words(title), words(f" ({count})")] for _, title, count in week.top]
    blocks += _section("Incidents", incidents)
    blocks += _section("Steps that gained", [_move(home, move) for move in week.gained])
    blocks += _section("Steps that lost", [_move(home, move) for move in week.lost])
    blocks += _section(
        "Unsolved", [_unsolved(home, row.answer, row.entry) for row in week.unsolved]
    )
    if home.sees_fixes:
        fixes = [_fix(home, fix.entry, fix.voter, fix.text) for fix in week.fixes]
        blocks += _section("Fixes to look at for the knowledge base", fixes)
    if home.may_set:
        blocks += [{"type": "divider"}, header("Settings"), _pick_channel()]
    return {"type": "home", "blocks": blocks[:MOST_BLOCKS]}


def _section(title: str, entries: Sequence[Sequence[Json]]) -> list[Json]:
    if not entries:
        return []
    return [rich(line(words(title, bold=True)), items(entries, "bullet"))]


def _unsolved(home: Home, answer: str, entry: str) -> list[Json]:
    title = cut(home.titles.get(entry, entry), 200)
    link = home.links.get(answer)
    return [{"type": "link", "url": link, "text": title}] if link else [words(title)]


def _fix(home: Home, entry: str, voter: str, text: str) -> list[Json]:
    said = f": {cut(' '.join(text.split()), 300)} ({home.names.get(voter, 'somebody')})"
    return [words(entry, code=True), words(said)]


def _move(home: Home, move: Move) -> list[Json]:
    """`Accumulate gradients (AllReduce timed out): 75 % → 81 % (70–90 %; worked in 9 of 10 ...)`."""
    # What a title says after the colon explains the error that it names before.
    title = cut(home.titles.get(move.entry, move.entry).partition(": ")[0], 100)
    step = home.steps.get((move.entry, move.target), move.target)
    said = f" ({title}): {say_move(move.before, move.after, home.week.now)}"
    return [*prose(step.rstrip("."), most=160), words(said)]


def _pick_channel() -> Json:
    return {
        "type": "actions",
        "elements": [
            {
                "type": "conversations_select",
                "action_id": "settings_for",
                "placeholder": {"type": "plain_text", "text": "Settings of a channel"},
                "filter": {"include": ["public", "private"], "exclude_bot_users": True},
            }
        ],
    }
