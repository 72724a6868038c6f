"""How often each is right: the engine, the engine without its fuzzy stage, and the baselines."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.evaluate import run_case
from rules.score import Outcome, score
from tests.bench import baselines
from tests.bench.table import show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rules.load import KnowledgeBase
    from rules.score import Case


def run_engine(cases: Sequence[Case], kb: KnowledgeBase, *, fuzzy: bool = True) -> list[Outcome]:
    """Outcomes of the engine, timed by the processor's clock."""
    outcomes = []
    for case in cases:
        started = time.process_time()
        outcome = run_case(case, kb, fuzzy=fuzzy)
        elapsed = (time.process_time() - started) * 1000
        outcomes.append(replace(outcome, milliseconds=elapsed))
    return outcomes


def report(cases: Sequence[Case], kb: KnowledgeBase) -> None:
    """Print the table of all, and top1 by shape and by domain."""
    run_engine(cases[:20], kb)  # what is built on first use is not a post's time
    results = {
        "this engine": run_engine(cases, kb),
        "  --no-fuzzy": run_engine(cases, kb, fuzzy=False),
    }
    cuts = {}
    for name, rank in baselines.contenders(kb).items():
        results[name], cuts[name] = baselines.run(cases, rank)
    rows = []
    for name, outcomes in results.items():
        s = score(outcomes)
        mean = sum(o.milliseconds for o in outcomes) / max(1, len(outcomes))
        cut = f"{cuts[name]:.1f}" if name in cuts else "-"
        rows.append((name, s.top1, s.mrr, s.false_replies, s.p50_ms, mean, s.p99_ms, cut))
    silent = sum(not case.expect for case in cases)
    show(
        f"Quality: {len(cases)} posts, {silent} of which deserve silence; {len(kb.entries)} entries",
        ("", "top1", "mrr", "false", "ms p50", "mean", "p99", "cut-off"),
        rows,
        "processor time; each baseline at the cut-off that is best on these very posts",
    )
    _by_group("Right by shape", results, lambda o: o.case.shape)
    _by_group("Right by domain of the expected entry", results, _domain)


def _domain(outcome: Outcome) -> str:
    return outcome.case.expect[0].partition("/")[0] if outcome.case.expect else "(silence)"


def _by_group(title: str, results: dict[str, list[Outcome]], key: Callable[[Outcome], str]) -> None:
    first = next(iter(results.values()))
    groups = sorted({key(outcome) for outcome in first})
    rows = []
    for group in groups:
        right = [sum(o.right for o in outcomes if key(o) == group) for outcomes in results.values()]
        count = sum(key(o) == group for o in first)
        rows.append((group, count, *(n / count for n in right)))
    show(title, ("", "posts", *(name.strip() for name in results)), rows)
