"""`nccl-bot kb ...`: look after the knowledge base; one module a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.kb import exchange, lint, new, prove, schema, search, show

if TYPE_CHECKING:
    import argparse


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with all of its own."""
    parser = commands.add_parser("kb", help="look after the knowledge base")
    own = parser.add_subparsers(dest="kb_command", required=True, metavar="COMMAND")
    for module in (lint, prove, new, show, search, exchange, schema):
        module.register(own)
