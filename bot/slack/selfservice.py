"""What the subcommands of `/nccl` do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.private import say_privately
from bot.slack.blocks.entry import render_entry, render_found, render_stats
from bot.slack.blocks.private import render_help, render_note
from bot.slack.channels import open_settings, take_snooze
from bot.slack.nearest import name_nearest, say_no_entry
from bot.slack.rates import USAGE as RATES_USAGE, show_rates
from bot.week import look_back
from rules.search import search

if TYPE_CHECKING:
    from bot.core import Core
    from bot.private import Asker
    from bot.slack.blocks.parts import Message
    from bot.slack.subcommands import Command
    from bot.slack.visit import Visit
    from rules.load import KnowledgeBase

USAGE = {
    "search": "Say what to look for: `/nccl search allreduce timeout`.",
    "show": "Say which entry: `/nccl show pytorch/nccl-timeout-during-allreduce`.",
    "snooze": (
        "Say what to leave unanswered here and for how long: `/nccl snooze ENTRY 2h`, "
        "`/nccl snooze all 3d`; `off` instead of a time ends it."
    ),
}
NOT_KNOWN = "I read this as an error, and do not know it."
MOST_FOUND = 8


async def run_command(visit: Visit, command: Command) -> None:
    """Do what a subcommand asks for."""
    core, asker = visit.core, visit.asker
    if command.name == "settings":
        return await open_settings(visit, asker.channel)
    if command.name == "rates":
        return await show_rates(core, visit.people, visit.workspace, asker, command.argument)
    if command.name == "snooze" and command.seconds is not None:
        return await take_snooze(visit, command.argument, command.seconds)
    return await say_privately(core, asker, command.name, await _answer(core, asker, command))


async def _answer(core: Core, asker: Asker, command: Command) -> Message:
    if command.name == "stats":
        return render_stats(await look_back(core, asker.team))
    if command.name in USAGE and not command.argument:
        return render_note(USAGE[command.name])
    if command.name == "search":
        found = search(core.kb.entries.values(), command.argument, MOST_FOUND)
        return render_found(command.argument, found)
    if command.name == "show":
        entry = core.kb.entries.get(command.argument)
        if entry is None:
            return render_note(say_no_entry(core.kb, command.argument, USAGE["search"]))
        return render_entry(entry, await core.ledger.rates(asker.team), core.moment)
    return render_help()


def say_usage(kb: KnowledgeBase, half_typed: Command) -> str:
    """Say how a subcommand is used to who typed something that is none, nor a known error."""
    name = half_typed.name
    usage = {**USAGE, "rates": RATES_USAGE}.get(name, f"`/nccl {name}` takes nothing after it.")
    near = name_nearest(kb, half_typed.argument) if name in {"show", "rates"} else ""
    return " ".join(filter(None, (NOT_KNOWN, usage, near)))
