"""Every figure in one run: `python -m tests.bench [--quick] [--only PART ...] [CASES.jsonl ...]`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

from bot.cli.evaluate import read_cases
from rules.load import load, shipped
from tests.bench import determinism, files, hostile, mutate, quality, speed

PARTS = ("quality", "mutations", "speed", "files", "hostile", "determinism")
CORPUS = Path(__file__).parent.parent / "corpus"


def main() -> int:
    """Print the parts asked for; exit code 1 where answers differ between processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("cases", nargs="*", type=Path, metavar="CASES.jsonl")
    parser.add_argument("--quick", action="store_true", help="fewer posts, smaller logs: for CI")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    arguments = parser.parse_args()
    paths = arguments.cases or sorted(CORPUS.glob("*.jsonl"))
    quick, parts = arguments.quick, arguments.only
    kb = load([shipped()])
    cases = [case for path in paths for case in read_cases(path)]
    some = cases[:: max(1, len(cases) // 60)] if quick else cases
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"{len(kb.entries)} entries; posts of {', '.join(path.name for path in paths)}"
    )
    same = True
    with tempfile.TemporaryDirectory() as scratch:
        if "quality" in parts:
            quality.report(some, kb)
        if "mutations" in parts:
            print("\nMutations of each post: top1 and false replies")
            mutate.report(some, kb)
        if "speed" in parts:
            speed.report(some, Path(scratch), (1, 4) if quick else (1, 10, 100), 1 if quick else 3)
        if "files" in parts:
            files.report(Path(scratch), 10_000_000 if quick else 100_000_000)
        if "hostile" in parts:
            hostile.report(kb)
        if "determinism" in parts:
            same = determinism.report(paths, max(1, len(cases) // 60) if quick else 1)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
