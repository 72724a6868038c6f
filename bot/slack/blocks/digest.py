"""The weekly digest: one message that is read in a minute."""

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
    guard,
    header,
    items,
    line,
    rich,
    words,
)
from rules.posterior import Flag, Measure
from rules.say import say_move, say_rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.digest import Digest
    from rules.watch import Flagged, Move, Unusual

MOST = 5
"""Lines a section; the rest is a number."""
_FLAGS = {
    Flag.DISPUTED: "Dead ends that worked for most",
    Flag.FAILING: "Steps that hardly ever work",
    Flag.PRIOR_ALARM: "Reports unlike what the entry states",
}


def render_digest(digest: Digest) -> Message:
    """Render the digest; sections that do not fit give way, from the last."""
    blocks: list[Json] = [header(f"Rates, week {digest.week}"), _section("", [_say_week(digest)])]
    lines = [f"*Rates, week {digest.week}*", _say_week(digest)]
    for title, found in _sections(digest):
        shown = [*found[:MOST], *([f"and {len(found) - MOST} more"] if len(found) > MOST else [])]
        block = _section(title, shown)
        if fits([*blocks, block]):
            blocks.append(block)
        lines += [f"*{title}*", *(f"• {guard(cut(text, 260), 400)}" for text in shown)]
    blocks.append(
        context("nccl-bot rates ENTRY shows what is behind a rate; nothing here acts by itself")
    )
    return Message(cut_lines(lines, LONGEST_TEXT), tuple(blocks))


def _section(title: str, found: Sequence[str]) -> Json:
    if not title:
        return rich(line(words(found[0])))
    entries = [[words(cut(text, 260))] for text in found]
    return rich(line(words(title, bold=True)), items(entries, "bullet"))


def _say_week(digest: Digest) -> str:
    if not digest.answers:
        return "No answers this week."
    noun = "answer" if digest.answers == 1 else "answers"
    said = f"{digest.answers} {noun}, votes in {digest.voted} incident{'s' * (digest.voted != 1)}."
    asked = digest.questions.get("asked", 0) + digest.questions.get("answered", 0)
    if asked:
        said += f" Asked {asked} posters, {digest.questions.get('answered', 0)} replied by button."
    return said


def _sections(digest: Digest) -> Iterator[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = [
        ("Gained", [_say_move(move, digest) for move in digest.gained]),
        ("Lost", [_say_move(move, digest) for move in digest.lost]),
    ]
    for flag, title in _FLAGS.items():
        found.append((title, [_say_flagged(f, digest) for f in digest.flagged if flag in f.flags]))
    doubted = [f"{entry}: {say_rate(rate, digest.now)}" for entry, rate in digest.doubted]
    found += [
        ("Diagnoses often called wrong", doubted),
        ("Texts changed under votes", list(digest.edits)),
        ("Unusual voters, to look at", [_say_voter(each, digest) for each in digest.unusual]),
        ("Unknown errors", [f"{posts} × {text}" for text, posts in digest.misses]),
        ("Answered, verified over a year ago", list(digest.stale)),
    ]
    yield from ((title, texts) for title, texts in found if texts)
    if digest.never_fired:
        yield f"{len(digest.never_fired)} entries never answered here", list(digest.never_fired)


def _say_move(move: Move, digest: Digest) -> str:
    verb = "" if move.after.measure is Measure.DEAD_END else "works "
    moved = say_move(move.before, move.after, digest.now)
    said = f"{move.entry} {move.target}: {verb}{moved}"
    movers = [
        digest.names.get(each, each) for each in digest.movers.get((move.entry, move.target), ())
    ]
    return f"{said}, most by {', '.join(movers)}" if movers else said


def _say_flagged(flagged: Flagged, digest: Digest) -> str:
    return f"{flagged.entry} {flagged.target}: {say_rate(flagged.rate, digest.now)}"


def _say_voter(unusual: Unusual, digest: Digest) -> str:
    name = digest.names.get(unusual.voter, unusual.voter)
    return (
        f"{escape(name, 60)}: {unusual.against} of {unusual.votes} votes against what holds for "
        f"the others (chance {unusual.chance:.2%})"
    )
