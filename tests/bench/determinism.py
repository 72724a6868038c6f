"""The same answer for the same text in any process, at any hash seed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.evaluate import read_cases
from bot.cli.report import to_json
from rules.diagnose import diagnose
from rules.load import load, shipped
from tests.bench.table import show

if TYPE_CHECKING:
    from collections.abc import Sequence

SEEDS = ("0", "1", "4294967295", "random")


def digest(paths: Sequence[Path], every: int) -> str:
    """Hash of all that is said of every so-manieth case."""
    kb = load([shipped()])
    hasher = hashlib.sha256()
    for path in paths:
        for case in read_cases(path)[::every]:
            said = to_json(diagnose(case.text, kb, slack=True))
            hasher.update(json.dumps(said, ensure_ascii=False).encode())
    return hasher.hexdigest()[:16]


def report(paths: Sequence[Path], every: int) -> bool:
    """Print one digest a process; returns whether they agree."""
    rows = []
    for seed in SEEDS:
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.determinism", str(every), *map(str, paths)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        rows.append((seed, done.stdout.strip()))
    same = len({found for _, found in rows}) == 1
    note = "all that is said of each post, hashed: " + ("the same" if same else "NOT the same")
    show("Answers by hash seed, one process each", ("PYTHONHASHSEED", "digest"), rows, note)
    return same


if __name__ == "__main__":
    print(digest([Path(path) for path in sys.argv[2:]], int(sys.argv[1])))
