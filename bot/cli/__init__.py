"""Commands: one module each, with `register(subparsers)`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bot.cli import db, diagnose, evaluate, kb, rates, run
from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="nccl-bot",
        description="Match distributed-training errors to workarounds with earned success rates.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (run, diagnose, evaluate, kb, rates, db):
        module.register(commands)
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.handle(chosen))
    except UsageError as error:
        print(f"nccl-bot: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
