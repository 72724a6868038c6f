"""What is behind an entry's rates, for one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.answer import cut_lines
from bot.slack.blocks.parts import (
    LONGEST_TEXT,
    Json,
    Message,
    context,
    cut,
    escape,
    fits,
    header,
    items,
    line,
    rich,
    words,
)
from rules.say import say_rate

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from bot.accounts import Told
    from rules.entry import Entry
    from rules.learn import Rates


def render_rates(entry: Entry, rates: Rates, told: Sequence[Told], now: dt.datetime) -> Message:
    """Render each rate with its account; where that is too much, the rate alone."""
    match = say_rate(rates.match(entry), now)
    blocks: list[Json] = [header(entry.title)]
    lines = [f"*{escape(entry.title, 200)}*"]
    small = context(f"{entry.id} · {entry.verification} on {entry.verified_on} · {match}")
    for each in told:
        lines.append(f"*{escape(cut(each.title, 120), 160)}* ({each.id})")
        lines += [f"• {escape(text, 300)}" for text in each.lines]
        for shape in (each.lines, each.lines[:1]):
            block = _rate(each, shape)
            if fits([*blocks, block, small]):
                blocks.append(block)
                break
    return Message(cut_lines([*lines, match], LONGEST_TEXT), (*blocks, small))


def _rate(told: Told, lines: Sequence[str]) -> Json:
    title = line(words(cut(told.title, 160), bold=True), words(f"  {told.id}", code=True))
    return rich(title, items([[words(text)] for text in lines], "bullet"))
