"""Commands: one module each, with `register(subparsers)`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.shadow import check_rules

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    try:
        # Every command imports the engine.
        check_rules()
        return _run(arguments)
    except UsageError as error:
        print(f"nccl-bot: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    from bot.cli import db, diagnose, doctor, evaluate, kb, rates, replay, run, votes  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        prog="nccl-bot",
        description="Match distributed-training errors to workarounds with earned success rates.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (run, diagnose, evaluate, kb, doctor, rates, replay, votes, db):
        module.register(commands)
    chosen = parser.parse_args(arguments)
    return int(chosen.handle(chosen))


if __name__ == "__main__":
    sys.exit(main())
