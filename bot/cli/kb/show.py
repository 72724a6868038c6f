"""`nccl-bot kb show ID`: one entry, to be read by a person."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.syntax import Syntax

from bot.cli.common import add_kb, load_kb
from bot.errors import UsageError
from rules.rank import rank, rank_dead_ends
from rules.say import say_rate
from rules.search import search

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from rules.entry import Entry, Signature
    from rules.load import KnowledgeBase
    from rules.rank import RankedDeadEnd, RankedStep


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("show", help="show an entry with its stated rates")
    parser.add_argument("id", metavar="ID")
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print the entry; steps come in the order in which an answer would have them."""
    kb = load_kb(arguments)
    entry = kb.entries.get(arguments.id)
    if entry is None:
        near = search(kb.entries.values(), arguments.id, 3)
        hint = f"; did you mean {', '.join(each.entry.id for each in near)}?" if near else ""
        raise UsageError(f"no entry {arguments.id}{hint}")
    show(entry, kb, Console(highlight=False))
    return 0


def show(entry: Entry, kb: KnowledgeBase, console: Console) -> None:
    """Print `entry` to `console`."""
    rates = kb.stated_rates
    console.print(f"[bold]{escape(entry.title)}[/]")
    facts = [
        entry.id,
        str(entry.role),
        entry.category,
        f"scope {entry.scope}",
        str(entry.verification),
    ]
    facts += [f"code {entry.error_code}"] if entry.error_code else []
    facts += [f"{name} {span}" for name, span in entry.versions.items()]
    console.print(f"[dim]{escape(' · '.join(facts))}[/]")
    console.print(
        f"[dim]some step solves {entry.fix_rate:.0%}, stated; verified on {entry.verified_on}[/]\n"
    )
    console.print(escape(" ".join(entry.root_cause.split())), "\n")
    _list(console, "Matches", map(_say_signature, entry.signatures))
    _list(console, "Unless the post holds", entry.unless)
    _list(console, "Gives way to", entry.yields_to)
    _list(console, "Asks for", entry.ask)
    now = dt.datetime.now(dt.UTC)
    console.print("[bold]Try, in this order[/]")
    for place, step in enumerate(rank(entry, rates), 1):
        _show_step(console, place, step, now)
    console.print("[bold]Do not bother with[/]")
    for end in rank_dead_ends(entry, rates):
        _show_dead_end(console, end, now)
    _list(console, "Sources", entry.sources)


def _list(console: Console, title: str, items: Iterable[str]) -> None:
    lines = [f"  • {escape(item)}" for item in items]
    if lines:
        console.print(f"[bold]{title}[/]", *lines, "", sep="\n")


def _say_signature(signature: Signature) -> str:
    said = signature.text or f"/{signature.regex}/"
    when = [f"{name} {condition}" for name, condition in signature.when.items()]
    near = [f"near any of {', '.join(signature.near)}"] if signature.near else []
    return "; ".join([str(said), *when, *near])


def _show_step(console: Console, place: int, ranked: RankedStep, now: dt.datetime) -> None:
    step = ranked.step
    risk = "" if step.risk == "none" else f", risk: {step.risk}"
    console.print(f"{place}. [bold]{escape(step.do)}[/]")
    console.print(
        f"   [dim]{escape(say_rate(ranked.rate, now))}, about {step.minutes} min{risk} · {step.id}[/]"
    )
    if step.details:
        console.print(Padding(escape(" ".join(step.details.split())), (0, 0, 0, 3)))
    if step.run:
        console.print(Padding(Syntax(step.run.rstrip(), "bash", word_wrap=True), (0, 0, 0, 3)))
    console.print()


def _show_dead_end(console: Console, ranked: RankedDeadEnd, now: dt.datetime) -> None:
    end = ranked.dead_end
    unless = f" Unless: {end.unless}" if end.unless else ""
    console.print(f"✗ [bold]{escape(end.do)}[/] [dim]({escape(say_rate(ranked.rate, now))})[/]")
    console.print(Padding(escape(" ".join(f"{end.why}{unless}".split())), (0, 0, 1, 3)))
