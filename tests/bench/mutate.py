"""How much each mutation costs: `python -m tests.bench.mutate CASES.jsonl`."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

from bot.cli.evaluate import read_cases, run_case
from rules.diagnose import diagnose
from rules.load import KnowledgeBase, load, shipped
from rules.score import Case, score
from tests.bench.mutations import MUTATIONS

PROSE = ("chat", "prose")
"""Shapes that a program's prefix does not fit: nobody's sentence begins with `[rank3]:`."""


def mutate(cases: list[Case], name: str, lines: dict[str, int], seed: int = 7) -> list[Case]:
    """Every case after the mutation `name`; talk that deserves silence gets no program's prefix."""
    out = []
    for case in cases:
        if not case.expect and case.shape in PROSE and name.startswith(("prefix", "interleave")):
            out.append(case)
            continue
        rng = random.Random(f"{seed}:{name}:{case.id}")
        out.append(replace(case, text=MUTATIONS[name](rng, case.text, lines.get(case.id, 1))))
    return out


def deciding_lines(cases: list[Case], kb: KnowledgeBase) -> dict[str, int]:
    """The line that decided each case as it is."""
    found = ((case.id, diagnose(case.text, kb, slack=True).finding) for case in cases)
    return {identity: finding.line for identity, finding in found if finding}


def main(path: str) -> None:
    """Print top1 and false replies for each mutation, with and without the fuzzy stage."""
    kb = load([shipped()])
    report(read_cases(Path(path)), kb)


def report(cases: list[Case], kb: KnowledgeBase) -> None:
    """Print the table."""
    lines = deciding_lines(cases, kb)
    print(f"{'mutation':20} {'top1':>6} {'no fuzzy':>9} {'false':>6} {'no fuzzy':>9}")
    sums = [0.0, 0.0]
    for name in ("none", *MUTATIONS):
        changed = cases if name == "none" else mutate(cases, name, lines)
        with_fuzzy = score([run_case(case, kb) for case in changed])
        without = score([run_case(case, kb, fuzzy=False) for case in changed])
        if name != "none":
            sums[0] += with_fuzzy.top1
            sums[1] += without.top1
        print(
            f"{name:20} {with_fuzzy.top1:6.3f} {without.top1:9.3f}"
            f" {with_fuzzy.false_replies:6} {without.false_replies:9}"
        )
    print(
        f"{'mean of mutations':20} {sums[0] / len(MUTATIONS):6.3f} {sums[1] / len(MUTATIONS):9.3f}"
    )


if __name__ == "__main__":
    main(sys.argv[1])
