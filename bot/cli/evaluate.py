"""`nccl-bot eval`: run labelled cases and print the scores."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb, load_kb
from bot.errors import UsageError
from rules.diagnose import diagnose
from rules.score import Case, Outcome, score

if TYPE_CHECKING:
    import argparse

    from rules.load import KnowledgeBase


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("eval", help="run labelled cases and print the scores")
    parser.add_argument("cases", type=Path, metavar="CASES.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--failures", action="store_true", help="list what went wrong")
    parser.add_argument("--no-fuzzy", action="store_true", help="leave the fuzzy stage out")
    parser.add_argument("--by", choices=("shape", "domain"), help="top1 for each group too")
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Score every case; exit code 0."""
    kb = load_kb(arguments)
    cases = read_cases(arguments.cases)
    outcomes = [run_case(case, kb, fuzzy=not arguments.no_fuzzy) for case in cases]
    figures = asdict(score(outcomes))
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:14} {value:.4f}" if isinstance(value, float) else f"{name:14} {value}")
    if arguments.by:
        _print_groups(outcomes, arguments.by)
    if arguments.failures:
        _print_failures(outcomes)
    return 0


def read_cases(path: Path) -> list[Case]:
    """Read the cases of a JSON lines file; raises UsageError with the line that is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    cases = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            cases.append(
                Case(
                    id=row["id"],
                    text=row["text"],
                    expect=tuple(row["expect"]),
                    also_ok=tuple(row.get("also_ok", ())),
                    silence_ok=bool(row.get("silence_ok")),
                    shape=row.get("shape", ""),
                    notes=row.get("notes") or "",
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}:{number}: no case: {error!r}") from error
    return cases


def run_case(case: Case, kb: KnowledgeBase, *, fuzzy: bool = True) -> Outcome:
    """Diagnose one case at the channel threshold."""
    started = time.perf_counter()
    diagnosis = diagnose(case.text, kb, slack=True, fuzzy=fuzzy)
    elapsed = (time.perf_counter() - started) * 1000
    best = diagnosis.finding
    ranked = [best, *(loser.finding for loser in diagnosis.losers)] if best else []
    return Outcome(
        case=case,
        answer=diagnosis.entry.id if diagnosis.entry else None,
        candidates=tuple(dict.fromkeys(f.entry.id for f in ranked if f)),
        confidence=diagnosis.confidence,
        matched_by=best.how if best else "",
        milliseconds=elapsed,
    )


def _print_groups(outcomes: list[Outcome], by: str) -> None:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        first = outcome.case.expect[0] if outcome.case.expect else "(silence)"
        key = outcome.case.shape if by == "shape" else first.partition("/")[0]
        groups.setdefault(key, []).append(outcome)
    print()
    for key, group in sorted(groups.items()):
        right = sum(outcome.right for outcome in group)
        print(f"{key:20} {right:4} of {len(group):4}  {right / len(group):.3f}")


def _print_failures(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.right:
            continue
        case = outcome.case
        print(f"\n{case.id} [{case.shape}] {case.notes}")
        print(f"  expected {', '.join(case.expect) or 'silence'} (or {', '.join(case.also_ok)})")
        print(f"  answered {outcome.answer or 'silence'}, confidence {outcome.confidence:.2f}")
        print(f"  candidates {', '.join(outcome.candidates[:4])}")
        print("  | " + "\n  | ".join(case.text[:600].splitlines()[:12]))
