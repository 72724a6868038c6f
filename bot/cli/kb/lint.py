"""`nccl-bot kb lint`: every fault of every entry, with its line and how to mend it."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.kb.shared import add_ids, read_kb
from rules.lint import Severity, lint

if TYPE_CHECKING:
    import argparse

    from rules.lint import Issue


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "lint", help="check entries", description="Exit code 0: no error; 1: errors; 2: bad usage."
    )
    add_ids(parser)
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print all issues by check, each with its advice once."""
    reading = read_kb(arguments)
    issues = lint(reading, frozenset(arguments.ids))
    for (check, advice), group in groupby(
        sorted(issues, key=lambda i: (i.severity, i.check, i.advice, i.path, i.line)),
        key=lambda i: (i.check, i.advice),
    ):
        for issue in group:
            print(_place(issue))
        print(f"  {check}: {advice}\n")
    errors = sum(issue.severity is Severity.ERROR for issue in issues)
    checked = len(arguments.ids) or len(reading.sources)
    print(f"{checked} entries, {errors} errors, {len(issues) - errors} warnings")
    return int(errors > 0 or (arguments.strict and bool(issues)))


def _place(issue: Issue) -> str:
    path = Path(issue.path)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"{path}:{issue.line}: {issue.severity}: {issue.message}"
