"""`nccl-bot diagnose`: answer on the terminal."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb, load_kb, open_input
from bot.cli.report import explain, report, to_json
from bot.errors import UsageError
from bot.logfile import open_log, unpack
from rules.diagnose import diagnose, diagnose_log
from rules.model import Diagnosis, DiagnosisKind
from rules.scan import CHUNK

if TYPE_CHECKING:
    import argparse

    from bot.logfile import Unpacked
    from rules.load import KnowledgeBase

_SMALL = 1 << 18
"""Bytes up to which the text is judged whole."""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "diagnose",
        help="answer on the terminal",
        description="Exit code 0: an answer; 1: silence; 2: bad usage.",
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="a log, or - for input"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--explain", action="store_true", help="show what fired and what lost, why")
    parser.add_argument(
        "--asked", action="store_true", help="use the lower threshold of a question"
    )
    parser.add_argument("--slack", action="store_true", help="the text has Slack's mark-up")
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Diagnose a file or standard input."""
    kb = load_kb(arguments)
    if arguments.file == "-":
        found = _diagnose(unpack(open_input("error")), kb, arguments)
    else:
        with open_log(Path(arguments.file)) as log:
            found = _diagnose(log, kb, arguments)
            if log.damaged:
                print(
                    f"{arguments.file}: packed data ends early; read up to there", file=sys.stderr
                )
    if arguments.json:
        print(json.dumps(to_json(found), ensure_ascii=False))
    else:
        print(report(found, dt.datetime.now(dt.UTC)))
        if arguments.explain:
            print(explain(found))
    return 1 if found.kind is DiagnosisKind.SILENCE else 0


class _Begun:
    """A log of which the first bytes were read already."""

    def __init__(self, first: bytes, rest: Unpacked) -> None:
        self._first, self._rest = first, rest

    def read(self, size: int, /) -> bytes:
        first, self._first = self._first, b""
        return first or self._rest.read(size)


def _diagnose(log: Unpacked, kb: KnowledgeBase, arguments: argparse.Namespace) -> Diagnosis:
    first = b""
    try:
        while len(first) <= _SMALL and (block := log.read(CHUNK)):
            first += block
    except OSError as error:
        raise UsageError(f"{arguments.file}: cannot be read: {error.strerror}") from error
    if len(first) <= _SMALL:
        text = first.decode("utf-8", "replace")
        return diagnose(text, kb, slack=arguments.slack, asked=arguments.asked)
    return diagnose_log(_Begun(first, log), kb, asked=arguments.asked)
