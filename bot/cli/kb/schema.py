"""`nccl-bot kb schema`: the JSON Schema that editors use."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rules.schema import write_schema

if TYPE_CHECKING:
    import argparse


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("schema", help="print the JSON Schema of an entry")
    parser.set_defaults(handle=handle)


def handle(_: argparse.Namespace) -> int:
    """Print the schema; `nccl-bot kb schema > kb/schema.json` renews the one that is checked in."""
    sys.stdout.write(write_schema())
    return 0
