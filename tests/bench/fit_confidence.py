"""Fit the weights of rules/confidence.py: `python -m tests.bench.fit_confidence CASES.jsonl ...`.

Penalised logistic regression on whether the best candidate deserves to be the answer. Prints the
weights, and the calibration error and AUROC of a ten-fold cross-validation.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.cli.evaluate import read_cases
from rules.clean import clean
from rules.confidence import Features
from rules.judge import judge
from rules.load import KnowledgeBase, load, shipped
from rules.match import match
from rules.score import Case, auroc, calibration_error
from tests.bench.mutations import MUTATIONS

Array = npt.NDArray[np.float64]
NAMES = tuple(field.name for field in fields(Features) if field.name != "closed")
PENALTY = 0.3
SILENCE_WEIGHT = 0.6
"""The corpus of silence holds far more hard talk than a channel does."""
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Example:
    """One candidate: its features and whether it deserves to be the answer."""

    case: str
    features: Features | None
    deserved: bool
    weight: float


def examples(cases: list[Case], kb: KnowledgeBase, weight: float) -> list[Example]:
    """The best candidate of each case, as it is and misspelt, so that distance is learnt too."""
    found = []
    for case in cases:
        typos = MUTATIONS["typos"](random.Random(case.id), case.text, 1)
        for text in (case.text, typos):
            verdict = judge(match(cleaned := clean(text, slack=True), kb.index), cleaned)
            entry = verdict.winner.entry.id if verdict.winner else None
            found.append(Example(case.id, verdict.features, entry in case.accepted, weight))
    return found


def fit(rows: Array, truth: Array, weight: Array) -> Array:
    """Weights (bias first) by Newton's method with an L2 penalty on all but the bias."""
    design = np.column_stack([np.ones(len(rows)), rows])
    penalty = np.diag([0.0, *[PENALTY] * rows.shape[1]])
    weights = np.zeros(design.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (weight * (truth - chance)) - penalty @ weights
        hessian = (design * (weight * chance * (1 - chance))[:, None]).T @ design + penalty
        weights = weights + np.linalg.solve(hessian + 1e-9 * np.eye(len(weights)), gradient)
    return weights


def main(paths: list[str]) -> None:
    """Fit on all cases of `paths` and print what to paste into rules/confidence.py."""
    kb = load([shipped()])
    found = [
        example
        for path in paths
        for example in examples(
            read_cases(Path(path)), kb, SILENCE_WEIGHT if "silence" in path else 1.0
        )
    ]
    usable = [e for e in found if e.features is not None and not e.features.closed]
    rows = np.array([[getattr(e.features, name) for name in NAMES] for e in usable])
    truth = np.array([float(e.deserved) for e in usable])
    weight = np.array([e.weight for e in usable])
    folds = {case: i % FOLDS for i, case in enumerate(sorted({e.case for e in usable}))}
    pairs = [(0.0, e.deserved) for e in found if e.features is None or e.features.closed]
    for fold in range(FOLDS):
        inside = np.array([folds[e.case] != fold for e in usable])
        weights = fit(rows[inside], truth[inside], weight[inside])
        chance = 1 / (1 + np.exp(-(weights[0] + rows[~inside] @ weights[1:])))
        pairs += [(float(c), bool(t)) for c, t in zip(chance, truth[~inside], strict=True)]
    weights = fit(rows, truth, weight)
    print(f"{len(found)} examples, {int(truth.sum())} deserved, {len(usable)} with a candidate")
    print(f"cross-validated: ece {calibration_error(pairs):.4f}, auroc {auroc(pairs):.4f}")
    for name, weight in zip(("bias", *NAMES), weights, strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main(sys.argv[1:])
