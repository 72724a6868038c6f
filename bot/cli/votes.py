"""`nccl-bot votes`: export, import and erase votes, and answer for texts edited under them."""

from __future__ import annotations

import datetime as dt
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import open_input
from bot.cli.evidence import Evidence, add_options, run_on
from bot.edits import find_edits, say_edit, settle_edit
from bot.errors import UsageError
from bot.privacy import erase_person
from bot.store import events
from rules.share import ImportLinesError, export_lines, import_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable, Iterable

    Parsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001


def register(commands: Parsers) -> None:
    """Add the command with its actions."""
    parser = commands.add_parser("votes", help="export, import and erase votes; edits under votes")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = _add(actions, "export", _export, "write the log as JSON lines, people as pseudonyms")
    export.add_argument("file", nargs="?", default="-", metavar="FILE", help="- is the terminal")
    taken = _add(
        actions,
        "import",
        _import,
        "read another installation's export; again is harmless",
        make=True,
    )
    taken.add_argument("file", nargs="?", default="-", metavar="FILE", help="- is standard input")
    erase = _add(actions, "erase", _erase, "delete a person's votes; the rates follow")
    erase.add_argument("person", metavar="PERSON", help="a user id (U...) or a pseudonym (~...)")
    edits = _add(actions, "edits", _edits, "texts that changed after votes were given on them")
    edits.add_argument(
        "--same",
        nargs=2,
        metavar=("ENTRY", "STEP"),
        help="it is the same step; or it is gone on purpose",
    )


def _add(
    actions: Parsers,
    name: str,
    work: Callable[[Evidence, argparse.Namespace], Awaitable[int]],
    words: str,
    *,
    make: bool = False,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=words)
    add_options(parser)
    parser.set_defaults(
        handle=lambda chosen: run_on(
            chosen, lambda found: work(found, chosen), make=make and chosen.team is not None
        )
    )
    return parser


async def _export(evidence: Evidence, arguments: argparse.Namespace) -> int:
    log = await evidence.read_log()
    lines = list(export_lines(log, evidence.voters.key))
    text = "".join(f"{line}\n" for line in lines)
    if arguments.file == "-":
        sys.stdout.write(text)
    else:
        _write(arguments.file, text)
        print(f"{len(lines)} events written")
    return 0


async def _import(evidence: Evidence, arguments: argparse.Namespace) -> int:
    team = _need_team(evidence)
    lines = _read_lines(arguments.file)
    now = dt.datetime.now(dt.UTC)
    try:
        found = import_lines(lines, evidence.voters.key, [team], now)
    except ImportLinesError as error:
        raise UsageError(f"{arguments.file}: nothing was imported:\n{error}") from error
    new = 0
    async with evidence.database.write() as connection:
        for event in found:
            new += await events.append(connection, event, event.key, team)
    print(f"{new} of {len(found)} events were new")
    return 0


async def _erase(evidence: Evidence, arguments: argparse.Namespace) -> int:
    team = _need_team(evidence)
    async with evidence.database.write() as connection:
        erased = await erase_person(connection, evidence.voters, team, arguments.person)
    print(f"{erased} votes erased; a running bot follows with its next answer")
    return 0


async def _edits(evidence: Evidence, arguments: argparse.Namespace) -> int:
    entries = evidence.kb.entries
    async with evidence.database.write() as connection:
        team, now = evidence.team, time.time()
        found = await find_edits(connection, team, entries.values(), now)
        if arguments.same:
            chosen = [edit for edit in found if [edit.entry, edit.target] == arguments.same]
            if not chosen:
                raise UsageError(f"no open question about {' '.join(arguments.same)}")
            await settle_edit(connection, team, chosen[0], entries)
            found = await find_edits(connection, team, entries.values(), now)
        counts = await events.count_votes(connection, team)
    for edit in found:
        print(say_edit(edit, counts.get((edit.entry, edit.target), 0)))
    if not found:
        print("no text changed under votes")
    return 1 if found else 0


def _need_team(evidence: Evidence) -> str:
    if not evidence.team:
        raise UsageError("the database has no workspace yet: name yours with --team")
    return evidence.team


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be written: {error.strerror}") from error


def _read_lines(file: str) -> Iterable[bytes]:
    # Bytes, so that a line that is no UTF-8 is named like any other that cannot be used.
    if file == "-":
        return open_input("votes").read().split(b"\n")
    try:
        return Path(file).read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
