"""How the time for hostile text grows with its length, over the shipped knowledge base."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rules.diagnose import LONG, diagnose
from tests.bench.table import show
from tests.rules.test_hostile import SHAPES

if TYPE_CHECKING:
    from rules.load import KnowledgeBase

_SMALL, _LARGE = LONG // 8, LONG // 2
REPEATS = 2


def report(kb: KnowledgeBase) -> None:
    """Print milliseconds for each shape at two lengths, the steepest first."""
    rows = []
    for name, shape in SHAPES.items():
        small, large = (_measure(shape, size, kb) for size in (_SMALL, _LARGE))
        rows.append((name, small, large, large / small))
    rows.sort(key=lambda row: -row[3])
    show(
        f"Hostile text: milliseconds for {_SMALL // 1024} and {_LARGE // 1024} KiB",
        ("", "small", "large", "growth"),
        rows,
        f"processor time, best of {REPEATS}; {_LARGE // _SMALL} is linear",
    )


def _measure(shape: str, size: int, kb: KnowledgeBase) -> float:
    text = shape * (size // len(shape))
    best = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        diagnose(text, kb, slack=True)
        best = min(best, time.process_time() - started)
    return best * 1000
