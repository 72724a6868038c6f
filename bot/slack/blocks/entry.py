"""An entry of the knowledge base, search results and the week's numbers, for one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.answer import LONGEST_CAUSE, MOST_DEAD_ENDS, MOST_STEPS, cut_lines
from bot.slack.blocks.order import say_order
from bot.slack.blocks.parts import (
    LONGEST_TEXT,
    Json,
    Message,
    context,
    cut,
    escape,
    gist,
    header,
    items,
    line,
    prose,
    rate,
    rich,
    words,
)
from bot.slack.blocks.sources import link_sources
from rules.entry import Risk, StepKind
from rules.rank import rank, rank_dead_ends
from rules.say import say_rate

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from bot.week import Week
    from rules.entry import Entry
    from rules.learn import Rates
    from rules.rank import RankedStep
    from rules.search import Found


def render_entry(entry: Entry, rates: Rates, now: dt.datetime) -> Message:
    """Render an entry: its cause, its steps in order and its dead ends, each with its rate."""
    order = rank(entry, rates)[:MOST_STEPS]
    title = "Try in this order" if len(order) > 1 else "Try"
    why = say_order([each.step for each in order])
    steps = [(each.step.do, _say_worth(each, now)) for each in order]
    ranked = rank_dead_ends(entry, rates)[:MOST_DEAD_ENDS]
    ends = [(each.dead_end.do, say_rate(each.rate, now)) for each in ranked]
    cause = gist(entry.root_cause, LONGEST_CAUSE)
    blocks: list[Json] = [header(entry.title), rich(line(*prose(cause)))]
    blocks.append(rich(line(words(title, bold=True), words(why)), _list(steps, "ordered")))
    if ends:
        blocks.append(rich(line(words("Do not bother with", bold=True)), _list(ends, "bullet")))
    about = f"{entry.id} · {entry.verification} on {entry.verified_on}"
    blocks.append(context(about, link_sources(entry.sources, most=3)))
    lines = [f"*{escape(entry.title, 200)}*", escape(cause, 500), f"{title}{why}"]
    lines += [f"{n}. {_say(*step)}" for n, step in enumerate(steps, 1)]
    lines += ["Do not bother with:"] * bool(ends) + [f"• {_say(*end)}" for end in ends]
    return Message(cut_lines([*lines, about], LONGEST_TEXT), tuple(blocks))


def _say_worth(ranked: RankedStep, now: dt.datetime) -> str:
    step = ranked.step
    rate = "check" if step.kind is StepKind.EVIDENCE else say_rate(ranked.rate, now)
    risk = f" · risk: {step.risk}" if step.risk is not Risk.NONE else ""
    return f"{rate} · {step.minutes} min{risk}"


def _list(rated: Sequence[tuple[str, str]], style: str) -> Json:
    entries = [[*prose(do, most=240), rate(said)] for do, said in rated]
    return items(entries, "ordered" if style == "ordered" else "bullet")


def _say(do: str, rate: str) -> str:
    return f"{escape(cut(do, 220), 260)} ({escape(rate, 160)})"


def render_found(query: str, found: Sequence[Found]) -> Message:
    """Render what a search found."""
    if not found:
        text = f"No entry has these words: {escape(query, 300)}"
        return Message(text, (rich(line(words(f"No entry has these words: {cut(query, 300)}"))),))
    entries = [[words(each.entry.id, code=True), words(f" {each.entry.title}")] for each in found]
    block = rich(line(words("Found", bold=True)), items(entries, "bullet"))
    small = context("/nccl show ID shows an entry with its steps and rates")
    lines = [f"• `{each.entry.id}` {escape(each.entry.title, 200)}" for each in found]
    return Message(cut_lines(lines, LONGEST_TEXT), (block, small))


def render_stats(week: Week) -> Message:
    """Render the week's numbers."""
    said = say_week(week)
    blocks: list[Json] = [header("This week"), rich(line(words(said)))]
    lines = ["*This week*", said]
    if week.top:
        counted = [f"{title} ({count})" for _, title, count in week.top]
        blocks.append(rich(items([[words(text)] for text in counted], "bullet")))
        lines += [f"• {escape(text, 240)}" for text in counted]
    small = f"{week.entries} entries in the knowledge base {week.version}"
    blocks.append(context(small))
    return Message(cut_lines([*lines, small], LONGEST_TEXT), tuple(blocks))


def say_week(week: Week) -> str:
    """Write the week in one sentence."""
    noun = "incident" if week.incidents == 1 else "incidents"
    return (
        f"{week.incidents} {noun}, {week.answers} answered, votes in {week.voted}; "
        f"{len(week.unsolved)} saved as unsolved."
    )
