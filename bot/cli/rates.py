"""`nccl-bot rates ENTRY`: prior, evidence, contexts, and who moved each rate."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

from rapidfuzz import process

from bot.accounts import account_to_json, list_accounts, tell
from bot.cli.evidence import Evidence, add_options, run_on
from bot.errors import UsageError
from bot.ledger import read_policy
from rules.account import explain_rate
from rules.learn import replay
from rules.say import say_rate
from rules.tally import MATCH

if TYPE_CHECKING:
    import argparse

    from rules.entry import Entry
    from rules.learn import Rates
    from rules.load import KnowledgeBase


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("rates", help="what is behind an entry's rates")
    parser.add_argument("entry", metavar="ENTRY", help="such as nccl/unhandled-system-error")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print the account of each step and dead end."""

    async def show(evidence: Evidence) -> int:
        entry = find_entry(evidence.kb, arguments.entry)
        now = dt.datetime.now(dt.UTC)
        policy = evidence.voters.disguise_policy(read_policy(evidence.settings, evidence.kb))
        rates = replay(await evidence.read_log(), evidence.kb.entries.values(), now, policy)
        names = await evidence.read_names()
        if arguments.json:
            print(json.dumps(_to_json(rates, entry, names), ensure_ascii=False))
        else:
            print(_to_text(rates, entry, now, names))
        return 0

    return run_on(arguments, show)


def find_entry(kb: KnowledgeBase, name: str) -> Entry:
    """Return an entry. Raises UsageError that names those that are called nearly so."""
    entry = kb.entries.get(name)
    if entry is None:
        near = [found for found, _, _ in process.extract(name, list(kb.entries), limit=3)]
        raise UsageError(f"no entry {name}; did you mean {', '.join(near)}?")
    return entry


def _to_text(rates: Rates, entry: Entry, now: dt.datetime, names: dict[str, str]) -> str:
    head = f"{entry.title}\n{entry.id}, {entry.verification} on {entry.verified_on}"
    parts = [f"{head}\n{say_rate(rates.match(entry), now)}"]
    parts += [
        "\n".join([f"{told.id}: {told.title}", *(f"  {line}" for line in told.lines)])
        for told in tell(rates, entry, now, names)
    ]
    return "\n\n".join(parts)


def _to_json(rates: Rates, entry: Entry, names: dict[str, str]) -> dict[str, object]:
    return {
        "entry": entry.id,
        "verification": str(entry.verification),
        "verified_on": entry.verified_on.isoformat(),
        "match": account_to_json(explain_rate(rates, entry.id, MATCH), names),
        "rates": [account_to_json(account, names) for account in list_accounts(rates, entry)],
    }
