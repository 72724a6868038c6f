"""Hostile texts by coverage: `python -m tests.bench.fuzz [-runs=1000000] [libFuzzer's options]`.

An input is put together from arbitrary characters, literals of signatures and repeats of both;
neither way into the engine may raise on it, and what is said must hold together.
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import atheris

with atheris.instrument_imports(include=["rules"], enable_loader_override=False):
    from rules.diagnose import diagnose, diagnose_log
    from rules.load import load, shipped

if TYPE_CHECKING:
    from rules.model import Diagnosis

KB = load([shipped()])
LITERALS = tuple(literal.decode("utf-8", "replace") for literal in KB.index.literals)
GLUE = (
    "",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "```",
    "`",
    "[rank0]: ",
    "> ",
    "\\n",
    "\x1b[31m",
    "\x00",
    "\u202e",
)
_MOST_REPEATS = 40
_MOST_PARTS = 12


def build(data: bytes) -> str:
    """A text from the fuzzer's bytes."""
    provider = atheris.FuzzedDataProvider(data)
    parts: list[str] = []
    for _ in range(provider.ConsumeIntInRange(1, _MOST_PARTS)):
        kind = provider.ConsumeIntInRange(0, 3)
        if kind == 0:
            part = provider.ConsumeUnicode(provider.ConsumeIntInRange(0, 60))
        elif kind == 1:
            part = LITERALS[provider.ConsumeIntInRange(0, len(LITERALS) - 1)]
        elif kind == 2:
            literal = LITERALS[provider.ConsumeIntInRange(0, len(LITERALS) - 1)]
            part = literal[: provider.ConsumeIntInRange(0, len(literal))]
        else:
            part = provider.ConsumeUnicode(4) * provider.ConsumeIntInRange(1, _MOST_REPEATS)
        parts += (part, GLUE[provider.ConsumeIntInRange(0, len(GLUE) - 1)])
    return "".join(parts)


def check(found: Diagnosis, lines: int) -> None:
    """Hold a diagnosis to what it promises."""
    assert 0 <= found.confidence <= 1
    assert (found.entry is None) == (found.kind == "silence")
    assert found.finding is None or 1 <= found.finding.line <= lines
    assert (found.advice is None) == (found.entry is None)


def test_one_input(data: bytes) -> None:
    """Diagnose one input as a message and as a log."""
    text = build(data)
    raw = text.encode("utf-8", "replace") + data
    check(diagnose(text, KB, slack=bool(data and data[0] & 1)), text.count("\n") + len(text) + 1)
    check(diagnose_log(io.BytesIO(raw), KB), raw.count(b"\n") + len(raw) + 1)


def main() -> None:
    """Hand over to libFuzzer."""
    options = ["-max_len=512", "-timeout=120", "-rss_limit_mb=1500", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:]], test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
