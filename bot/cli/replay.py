"""`nccl-bot replay`: the log under another knowledge base or policy, and what that would change."""

from __future__ import annotations

import argparse
import datetime as dt
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.evidence import Evidence, add_options, run_on
from bot.errors import UsageError
from bot.ledger import read_policy
from rules.entry import Verification
from rules.learn import replay
from rules.load import KnowledgeBase, KnowledgeBaseError, load
from rules.policy import LEAST_STRENGTH, MOST_STRENGTH
from rules.posterior import list_parts
from rules.rank import rank
from rules.say import percent
from rules.votes import Vote
from rules.watch import refit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.learn import Rates
    from rules.policy import Policy
    from rules.votes import Event

LEAST_CHANGE = 0.005
"""Half a point of a rate: less is not shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """An entry that another knowledge base or policy would answer otherwise."""

    entry: str
    rates: tuple[tuple[str, float, float], ...]
    """Step, mean before and after."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    """Order of steps."""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        help="recompute all rates from the log and show what would change",
        description="Compares what holds now with the log replayed under what the options say. "
        "Nothing is written.",
    )
    parser.add_argument(
        "--against", type=Path, action="append", default=[], metavar="DIR",
        help="replay under this knowledge base (repeat for several directories)",
    )  # fmt: skip
    parser.add_argument(
        "--base", type=_read_base, action="append", default=[], metavar="LEVEL=N",
        help="incidents that a stated rate is worth, by level: cited=6",
    )  # fmt: skip
    parser.add_argument(
        "--refit", action="store_true", help="take the strengths that the log fits best"
    )
    parser.add_argument("--outcomes", action="store_true", help="count jobs that later succeeded")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print each entry whose rates or order would change."""

    async def show(evidence: Evidence) -> int:
        now = dt.datetime.now(dt.UTC)
        log = await evidence.read_log()
        policy = evidence.voters.disguise_policy(read_policy(evidence.settings, evidence.kb))
        before = replay(log, evidence.kb.entries.values(), now, policy)
        entries = evidence.kb.entries
        if arguments.against:
            entries = _load(arguments.against).entries
        after = replay(log, entries.values(), now, _change(policy, before, arguments))
        changes = compare(before, after)
        lost = list_lost(log, after)
        if arguments.json:
            print(json.dumps(_to_json(len(log), changes, lost, after.policy)))
        else:
            print(_to_text(len(log), changes, lost))
            if after.policy.bases != before.policy.bases:
                print(_say_strengths(after.policy))
        return 0

    return run_on(arguments, show)


def compare(before: Rates, after: Rates) -> list[Change]:
    """List the entries whose rates or order of steps differ."""
    changes = []
    for identity in sorted(set(before.entries) & set(after.entries)):
        old, new = before.entries[identity], after.entries[identity]
        both = {part.id for part in list_parts(old)} & {part.id for part in list_parts(new)}
        moved = tuple(
            (target, before.of(old, target).mean, after.of(new, target).mean)
            for target in sorted(both)
            if abs(before.of(old, target).mean - after.of(new, target).mean) >= LEAST_CHANGE
        )
        orders = [
            tuple(r.step.id for r in rank(e, rates)) for e, rates in ((old, before), (new, after))
        ]
        if moved or orders[0] != orders[1]:
            changes.append(Change(identity, moved, *orders))
    return changes


def list_lost(log: Iterable[Event], after: Rates) -> dict[str, int]:
    """Count votes on what the knowledge base lacks, by entry and step."""
    known = {(e.id, part.id) for e in after.entries.values() for part in list_parts(e)}
    lost: dict[str, int] = {}
    for event in log:
        if isinstance(event, Vote) and event.target and (event.entry, event.target) not in known:
            name = f"{event.entry} {event.target}"
            lost[name] = lost.get(name, 0) + 1
    return lost


def _change(policy: Policy, before: Rates, arguments: argparse.Namespace) -> Policy:
    bases = {**(refit(before) if arguments.refit else policy.bases), **dict(arguments.base)}
    return replace(policy, bases=bases, outcomes=policy.outcomes or arguments.outcomes)


def _load(directories: list[Path]) -> KnowledgeBase:
    try:
        return load(directories)
    except KnowledgeBaseError as error:
        raise UsageError(str(error)) from error


def _read_base(text: str) -> tuple[Verification, float]:
    name, _, number = text.partition("=")
    try:
        strength = float(number)
        level = Verification(name)
    except ValueError:
        levels = ", ".join(Verification)
        raise argparse.ArgumentTypeError(f"{text}: want LEVEL=N, level one of {levels}") from None
    if not LEAST_STRENGTH <= strength <= MOST_STRENGTH:
        span = f"{LEAST_STRENGTH:g} and {MOST_STRENGTH:g}"
        raise argparse.ArgumentTypeError(f"{text}: between {span} incidents")
    return level, strength


def _to_text(events: int, changes: list[Change], lost: dict[str, int]) -> str:
    lines = [f"{events} events; {len(changes)} entries would change"]
    for change in changes:
        lines.append(f"\n{change.entry}")
        lines += [f"  {name}: {percent(old)} -> {percent(new)}" for name, old, new in change.rates]
        if change.before != change.after:
            lines.append(f"  order: {', '.join(change.before)} -> {', '.join(change.after)}")
    lines += [
        f"\n{count} votes on {name}, which is not there" for name, count in sorted(lost.items())
    ]
    return "\n".join(lines)


def _say_strengths(policy: Policy) -> str:
    fitted = {str(level): round(strength, 1) for level, strength in policy.bases.items()}
    return f"\nTo keep these strengths: NCCL_BOT_STRENGTHS='{json.dumps(fitted)}'"


def _to_json(
    events: int, changes: list[Change], lost: dict[str, int], policy: Policy
) -> dict[str, object]:
    return {
        "events": events,
        "bases": {str(level): strength for level, strength in policy.bases.items()},
        "changes": [
            {
                "entry": change.entry,
                "rates": [
                    {"id": name, "before": round(old, 4), "after": round(new, 4)}
                    for name, old, new in change.rates
                ],
                "order_before": list(change.before),
                "order_after": list(change.after),
            }
            for change in changes
        ],
        "lost": lost,
    }
