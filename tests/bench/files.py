"""A log of 100 MB read, matched and judged on one core, beside ripgrep with the same literals."""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from bot.logfile import open_log
from rules.diagnose import diagnose_log
from rules.load import load, shipped
from tests.bench import logs
from tests.bench.table import show

if TYPE_CHECKING:
    from rules.load import KnowledgeBase

REPEATS = 3


def report(directory: Path, size: int) -> None:
    """Write the logs into `directory` and print both engines' figures."""
    kb = load([shipped()])
    files = _write(directory, size, kb)
    literals = directory / "literals.txt"
    literals.write_bytes(b"".join(clue.literal + b"\n" for clue in kb.scanner.clues))
    rows: list[tuple[Any, ...]] = []
    for name, path in files.items():
        found = _ours(path)
        rows.append((name, "this engine", *_figures(size, found), found["rss"], found["answer"]))
        # Of one line ripgrep reads no more than up to the first literal.
        if shutil.which("rg") and name in ("training", "dense"):
            for label, flags in (("rg -F", ("-F",)), ("rg -F -i", ("-F", "-i"))):
                rows.append((name, label, *_figures(size, _ripgrep(path, literals, flags)), "", ""))
    rows = [(f"{name}: {what}", *rest) for name, what, *rest in rows]
    show(
        f"Logs of {size / 1e6:.0f} MB on one core, {len(kb.scanner.clues)} literals",
        ("", "cpu s", "wall s", "MB/s cpu", "MB/s wall", "MiB over idle", "answer (line)"),
        rows,
        f"pinned to one core, best of {REPEATS}; MB of plain text; ours is the whole way from the "
        "file to the answer; rg -j1 -c counts lines with any of the literals",
    )


def _write(directory: Path, size: int, kb: KnowledgeBase) -> dict[str, Path]:
    train, dense, line = (directory / f"{name}.log" for name in ("train", "dense", "line"))
    logs.write_train(train, size)
    logs.write_dense(dense, size, kb.entries.values())
    logs.write_line(line, size)
    packed, squashed = directory / "train.gz", directory / "train.zst"
    with train.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    with train.open("rb") as source, squashed.open("wb") as target:
        zstandard.ZstdCompressor(level=3).copy_stream(source, target)
    return {
        "training": train,
        "dense": dense,
        "one line": line,
        "training, gzip": packed,
        "training, zstd": squashed,
    }


def _figures(size: int, found: dict[str, Any]) -> tuple[float, float, float, float]:
    cpu, wall = found["cpu"], found["wall"]
    return cpu, wall, size / 1e6 / cpu, size / 1e6 / wall


def _ours(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.files", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _ripgrep(path: Path, literals: Path, flags: tuple[str, ...]) -> dict[str, float]:
    core = min(os.sched_getaffinity(0))
    command = ["rg", "-j1", "-c", "-a", *flags, "-f", str(literals), str(path)]
    best = {"cpu": float("inf"), "wall": float("inf")}
    for _ in range(REPEATS):
        before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        )
        wall = time.perf_counter() - wall
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = {"cpu": min(best["cpu"], cpu), "wall": min(best["wall"], wall)}
    return best


def _resident(field: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field))


def measure(path: Path) -> dict[str, Any]:
    """Diagnose the log in this process, pinned to one core; peak memory over the idle process."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    kb = load([shipped()])
    _ = kb.index.seeds, kb.scanner
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    idle = _resident("VmRSS")
    laps = []
    for _ in range(REPEATS):
        wall, cpu = time.perf_counter(), time.process_time()
        with open_log(path) as log:
            found = diagnose_log(log, kb)
        laps.append((time.process_time() - cpu, time.perf_counter() - wall))
    line = found.finding.line if found.finding else 0
    return {
        "cpu": min(cpu for cpu, _ in laps),
        "wall": min(wall for _, wall in laps),
        "rss": (_resident("VmHWM") - idle) / 1024,
        "answer": f"{found.entry.id if found.entry else found.kind} ({line})",
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
