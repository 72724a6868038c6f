"""Commands: one module each, with `register(subparsers)`."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.shadow import check_rules

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        # Every command imports the engine.
        check_rules()
        code = _run(arguments)
        sys.stdout.flush()
    except UsageError as error:
        return _refuse(str(error))
    except UnicodeEncodeError as error:
        char = ascii(error.object[error.start])
        return _refuse(
            f"the output is {error.encoding} and cannot hold {char}: set PYTHONIOENCODING=utf-8"
        )
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        _drop_output()
        return _refuse(f"{error.filename or 'cannot read or write'}: {reason}")
    except KeyboardInterrupt:
        return 130
    return code


def _refuse(why: str) -> int:
    print(f"nccl-bot: {why}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Let go what can be written no more: the interpreter would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    from bot.cli import db, diagnose, doctor, evaluate, kb, rates, replay, run, votes  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        prog="nccl-bot",
        description="Match distributed-training errors to workarounds with earned success rates.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (run, diagnose, evaluate, kb, doctor, rates, replay, votes, db):
        module.register(commands)
    try:
        chosen = parser.parse_args(arguments)
    except SystemExit:
        sys.stdout.flush()  # Of --help: what fails here is told like any other.
        raise
    return int(chosen.handle(chosen))


if __name__ == "__main__":
    sys.exit(main())
