"""deadends.dev beside this engine: its whole base imported, and its own 20 scenarios.

    python -m tests.bench.canon                                  # the pinned package's base
    python -m tests.bench.canon --repository DIR                 # and its scenarios, its rule, both timed

`DIR` is a checkout of the project's public repository; nothing of it is kept here. Its rule: a
look-up is right at rank k if the k-th entry has the expected domain.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import importlib.metadata
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bot.cli import main as run_command
from rules.diagnose import diagnose
from rules.interchange.canon import to_identity
from rules.lint import Severity, lint
from rules.load import KnowledgeBase, Reading, read

PACKAGE = "deadends-dev"
ROUNDS = 20


def find_canons() -> Path:
    """The folder of the installed package's canons."""
    for file in importlib.metadata.files(PACKAGE) or ():
        if file.parts[:2] == ("data", "canons"):
            return Path(str(file.locate())).parents[len(file.parts) - 3]
    raise SystemExit(f"{PACKAGE} holds no data/canons; install the bench group")


def import_all(canons: Path, into: Path) -> float:
    """Seconds that the one command takes."""
    started = time.perf_counter()
    run_command(["kb", "import", str(canons), "--into", str(into)])
    return time.perf_counter() - started


def judge_usable(canons: Path, reading: Reading) -> tuple[int, dict[str, list[str]]]:
    """Count the canons, and give reasons for those that are not usable.

    One is usable if it was imported, has no lint error and answers whoever asks with its signature.
    """
    reasons: dict[str, list[str]] = {}
    for issue in lint(reading):
        if issue.severity is Severity.ERROR and issue.check != "dead-signature":
            reasons.setdefault(issue.path, []).append(f"{issue.check}: {issue.message}")
    places = {Path(source.path).as_posix(): key for key, source in reading.sources.items()}
    found = {places.get(Path(path).as_posix(), path): told for path, told in reasons.items()}
    total = 0
    for path in sorted(canons.rglob("*.json")):
        total += 1
        canon = json.loads(path.read_text(encoding="utf-8"))
        identity = to_identity(canon["id"])
        if identity not in reading.entries:
            found.setdefault(identity, []).append("was not imported")
            continue
        answer = diagnose(canon["error"]["signature"], reading.base, asked=True).entry
        if answer is None or answer.id != identity:
            by = answer.id if answer else "silence"
            found.setdefault(identity, []).append(f"its own signature is answered by {by}")
    return total, found


def rank_domains(text: str, kb: KnowledgeBase) -> list[str]:
    """Domains of all that the engine considers, best first, spoken or not."""
    found = diagnose(text, kb, asked=True)
    ranked = [found.finding, *(loser.finding for loser in found.losers)] if found.finding else []
    return [finding.entry.domain for finding in ranked if finding]


def score(scenarios: list[dict[str, Any]], ranked: list[list[str]]) -> tuple[float, float]:
    """Precision at 1 and mean reciprocal rank by the project's own rule."""
    places = [
        next((1 / k for k, d in enumerate(domains, 1) if d == s["expected_domain"]), 0.0)
        for s, domains in zip(scenarios, ranked, strict=True)
    ]
    return statistics.mean(p == 1.0 for p in places), statistics.mean(places)


def compare(repository: Path, kb: KnowledgeBase) -> None:
    """Run both look-ups over the scenarios in turn; print precision, rank and time."""
    sys.path.insert(0, str(repository))
    theirs = importlib.import_module("generator.lookup")
    scenarios = json.loads(
        (repository / "benchmarks/error_scenarios.json").read_text(encoding="utf-8")
    )
    texts = [s["error_message"] for s in scenarios]
    ours = [rank_domains(text, kb) for text in texts]
    other = [[match["domain"] for match in theirs.lookup_all(text)] for text in texts]
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(ROUNDS):
        for text in texts:
            started = time.perf_counter()
            diagnose(text, kb, asked=True)
            middle = time.perf_counter()
            theirs.lookup_all(text)
            times["ours"].append(middle - started)
            times["theirs"].append(time.perf_counter() - middle)
    for name, ranked in (("ours", ours), ("theirs", other)):
        precision, rank = score(scenarios, ranked)
        median = statistics.median(times[name]) * 1000
        print(f"{name:7} P@1 {precision:.3f}  MRR {rank:.3f}  median {median:.2f} ms per look-up")
    ratio = statistics.median(times["theirs"]) / statistics.median(times["ours"])
    print(f"theirs takes {ratio:.1f} times as long")
    for scenario, domains in zip(scenarios, ours, strict=True):
        if domains[:1] != [scenario["expected_domain"]]:
            print(f"  missed {scenario['id']}: {scenario['expected_domain']}, got {domains[:3]}")


def main() -> None:
    """Import, judge and, where a checkout is given, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--canons", type=Path, help="a folder of canons instead of the package's")
    parser.add_argument("--repository", type=Path, help="a checkout, for its scenarios")
    arguments = parser.parse_args()
    canons = arguments.canons or find_canons()
    with tempfile.TemporaryDirectory() as folder:
        seconds = import_all(canons, Path(folder))
        reading = read([Path(folder)])
        total, unusable = judge_usable(canons, reading)
        print(f"{dt.datetime.now(dt.UTC):%Y-%m-%d}: imported in {seconds:.1f} s")
        print(f"{total} canons, {total - len(unusable)} usable ({1 - len(unusable) / total:.1%})")
        print(dict(Counter(told[0].partition(":")[0] for told in unusable.values()).most_common()))
        for identity, told in sorted(unusable.items()):
            print(f"  {identity}: {'; '.join(told)}")
        if arguments.repository:
            compare(arguments.repository, reading.base)


if __name__ == "__main__":
    main()
