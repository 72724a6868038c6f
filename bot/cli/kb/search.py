"""`nccl-bot kb search WORDS`: find an entry by what one remembers of it."""

from __future__ import annotations

import argparse

from bot.cli.common import add_kb, load_kb
from rules.search import search


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "search", help="find entries by words", description="Exit code 1: none."
    )
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.add_argument(
        "-n", type=_read_number, default=10, metavar="N", help="how many at the most"
    )
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print ids and titles, best first."""
    kb = load_kb(arguments)
    found = search(kb.entries.values(), " ".join(arguments.words), arguments.n)
    width = max((len(each.entry.id) for each in found), default=0)
    for each in found:
        print(f"{each.entry.id:{width}}  {each.entry.title}")
    if not found:
        print("no entry has these words")
    return int(not found)


def _read_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text}: want a number from 1 on")
    return int(text)
