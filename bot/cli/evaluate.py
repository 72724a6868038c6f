"""`nccl-bot eval`: run labelled cases and print the scores."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from bot.cli.common import add_kb, load_kb
from bot.errors import UsageError
from rules.diagnose import diagnose
from rules.score import Case, Outcome, score

if TYPE_CHECKING:
    import argparse

    from rules.load import KnowledgeBase


def _list(value: object) -> object:
    return [value] if isinstance(value, str) else value


_Ids = Annotated[list[str], BeforeValidator(_list)]


class _Row(BaseModel):
    """A line of labelled cases; one id may stand without a list around it."""

    model_config = ConfigDict(strict=True)

    id: str
    text: str
    expect: _Ids
    also_ok: _Ids = []
    silence_ok: bool | None = None
    shape: str = ""
    notes: str | None = None

    def to_case(self) -> Case:
        return Case(
            id=self.id,
            text=self.text,
            expect=tuple(self.expect),
            also_ok=tuple(self.also_ok),
            silence_ok=bool(self.silence_ok),
            shape=self.shape,
            notes=self.notes or "",
        )


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
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    cases = []
    # Not splitlines: a line of JSON may hold what Unicode calls the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            cases.append(_Row.model_validate_json(line).to_case())
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            reason = f"{where}: {first['msg']}" if where else first["msg"]
            raise UsageError(f"{path}:{number}: no case: {reason}") from error
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
