"""How long a post takes, how long a start takes, and how both grow with the knowledge base."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from rules.diagnose import diagnose
from rules.load import KnowledgeBase, load, shipped
from tests.bench.growth import grow
from tests.bench.table import show

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rules.score import Case

_START = """
import json, sys, time
from pathlib import Path
def lap(last=[time.process_time()]):
    before, last[0] = last[0], time.process_time()
    return last[0] - before
lap()
import rules.load, rules.diagnose
out = {"import": lap()}
directory = Path(sys.argv[1])
if sys.argv[2] == "shipped":
    rules.load.shipped = lambda: directory
kb = rules.load.load([directory]); out["load"] = lap()
kb.index; out["index"] = lap()
kb.index.seeds; out["seeds"] = lap()
kb.scanner; out["scanner"] = lap()
print(json.dumps(out))
"""


def measure_start(directory: Path, how: str, repeats: int) -> dict[str, float]:
    """Seconds of processor time of each part of a start, the best of `repeats` new processes."""
    runs: list[dict[str, float]] = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", _START, str(directory), how],
            check=True,
            capture_output=True,
            text=True,
        )
        runs.append(json.loads(done.stdout))
    return {part: min(run[part] for run in runs) for part in runs[0]}


def measure_posts(cases: Sequence[Case], kb: KnowledgeBase, repeats: int = 3) -> dict[str, float]:
    """Milliseconds a post: median, mean and 99th percentile, on both clocks."""
    for case in cases[:20]:
        diagnose(case.text, kb, slack=True)
    best: list[tuple[float, float]] = []
    for case in cases:
        laps = []
        for _ in range(repeats):
            wall, cpu = time.perf_counter(), time.process_time()
            diagnose(case.text, kb, slack=True)
            laps.append((time.process_time() - cpu, time.perf_counter() - wall))
        best.append((min(c for c, _ in laps) * 1000, min(w for _, w in laps) * 1000))
    cpu_times, wall_times = (sorted(times) for times in zip(*best, strict=True))
    last = min(len(best) - 1, int(len(best) * 0.99))
    return {
        "p50": statistics.median(cpu_times),
        "mean": statistics.fmean(cpu_times),
        "p99": cpu_times[last],
        "wall p50": statistics.median(wall_times),
        "wall p99": wall_times[last],
    }


def report(cases: Sequence[Case], directory: Path, sizes: Sequence[int], repeats: int) -> None:
    """Print times of a post and of a start for knowledge bases of each size."""
    posts: list[tuple[Any, ...]] = []
    starts: list[tuple[Any, ...]] = []
    first: dict[str, float] = {}
    for times in sizes:
        where = shipped()
        if times > 1:
            where = directory / f"kb{times}"
            grow(where, times)
        start = measure_start(where, "shipped", 1 if times > 10 else repeats)
        kb = load([where])
        count = len(kb.entries)
        starts.append((count, *start.values(), sum(start.values()) - start["import"]))
        if 1 < times <= 10:
            tried = measure_start(where, "further", 1)
            starts.append(
                (f"{count} as --kb", *tried.values(), sum(tried.values()) - tried["import"])
            )
        found = measure_posts(cases, kb)
        first = first or found
        posts.append((count, *found.values(), found["mean"] / first["mean"]))
    note = f"{len(cases)} posts, best of 3 each, processor time; the last column is mean to mean"
    show("Milliseconds a post, by entries", ("entries", *first, "growth"), posts, note)
    show(
        "Seconds of a start, by entries",
        ("entries", "import", "load", "index", "seeds", "scanner", "all but import"),
        starts,
        f"new processes, best of {repeats}; seeds are built for the first post that needs them, "
        "the scanner for the first log; --kb tries each expression first",
    )
