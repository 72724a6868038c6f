"""What the commands of `kb` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.common import add_kb
from bot.errors import UsageError
from rules.load import Reading, read, shipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable


def add_ids(parser: argparse.ArgumentParser) -> None:
    """Add the entries' ids, none for all of them, and further directories."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="an entry, such as nccl/remote-error")
    add_kb(parser)


def read_kb(arguments: argparse.Namespace) -> Reading:
    """Read the shipped entries and those of --kb; raises UsageError for an id that none has."""
    reading = read([shipped(), *arguments.kb])
    check_ids(getattr(arguments, "ids", ()), reading)
    return reading


def check_ids(ids: Iterable[str], reading: Reading) -> None:
    """Raise UsageError for the first id that no file has."""
    for identity in ids:
        if identity not in reading.sources:
            raise UsageError(f"no entry {identity}; `nccl-bot kb search` finds ids")
