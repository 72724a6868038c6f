"""`nccl-bot kb new DOMAIN/SLUG < log.txt`: draft an entry from a log."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb, load_kb, open_input
from bot.errors import UsageError
from rules.draft import DraftError, draft
from rules.load import shipped
from rules.write import write

if TYPE_CHECKING:
    import argparse

    from rules.draft import Draft

_MOST = 1 << 20
"""Characters of a log that are looked at."""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "new",
        help="draft an entry from a log",
        description="nccl-bot kb new nccl/my-error < log.txt",
    )
    parser.add_argument("id", metavar="DOMAIN/SLUG")
    parser.add_argument(
        "--into",
        type=Path,
        metavar="DIR",
        help="folder to write to; the shipped entries where not given",
    )
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Write the draft and say what to do next; never over a file that is there."""
    if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9]+(-[a-z0-9]+)*", arguments.id):
        raise UsageError(
            f"{arguments.id}: an id is <domain>/<slug> in small letters, such as nccl/my-error"
        )
    path = (arguments.into or shipped()) / f"{arguments.id}.yaml"
    if path.exists():
        raise UsageError(f"{path} exists; choose another id or edit that file")
    log = open_input("log").read(_MOST).decode("utf-8", "replace")
    try:
        made = draft(arguments.id, log, load_kb(arguments), dt.datetime.now(dt.UTC).date())
    except DraftError as error:
        raise UsageError(str(error)) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(made.entry), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    print(_say(made, path))
    return 0


def _say(made: Draft, path: Path) -> str:
    signature = made.entry.signatures[0]
    lines = [
        f"wrote {path}",
        f"line {made.line} decides: {made.entry.title}",
        f"signature: {signature.text or signature.regex}",
    ]
    if made.answered_by:
        lines.append(
            f"{made.answered_by} answers this log already: extend it unless the cause is another"
        )
    elif made.neighbours:
        lines.append(f"neighbours, to tell it apart from: {', '.join(made.neighbours)}")
    folder = path.parent.parent
    what = made.entry.id if folder == shipped() else f"--kb {folder} {made.entry.id}"
    lines.append("next: fill in the cause and a step (the bot refuses a draft), then")
    lines.append(f"  nccl-bot kb lint {what} && nccl-bot kb test {what}")
    return "\n".join(lines)
