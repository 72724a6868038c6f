"""What several commands share: where the knowledge base is, and what is piped in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from rules.load import KnowledgeBase, KnowledgeBaseError, load, shipped

if TYPE_CHECKING:
    import argparse
    from typing import BinaryIO


def add_kb(parser: argparse.ArgumentParser) -> None:
    """Add the option for further knowledge base directories."""
    parser.add_argument(
        "--kb",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="a further directory of entries, which extend or override the shipped ones",
    )


def load_kb(arguments: argparse.Namespace) -> KnowledgeBase:
    """Read the shipped entries and those of --kb; raises UsageError with every error in them."""
    try:
        return load([shipped(), *(arguments.kb or ())])
    except KnowledgeBaseError as error:
        raise UsageError(str(error)) from error


def open_input(what: str) -> BinaryIO:
    """Return standard input; whoever sits at it is asked to paste `what`."""
    if sys.stdin is None:
        raise UsageError(f"standard input is closed: name a file, or pipe the {what} in")
    if sys.stdin.isatty():
        print(f"paste the {what}, then press Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer
