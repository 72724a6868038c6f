"""How work grows with its input, told apart from how busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_ATTEMPTS = 5
_GRAIN = 1e-3
"""Seconds below which the clock says nothing."""
QUADRATIC = 80
"""Sixteen times the input: linear work grows 16 times, quadratic 256 times."""


def growth(work: Callable[[T], object], small: T, large: T) -> float:
    """Give the least quotient of the processor times for both, over attempts until it is small.

    A busy machine makes one measurement long, not each of them; quadratic work is long each time.
    """
    least = float("inf")
    for _ in range(_ATTEMPTS):
        least = min(least, _time(work, large) / max(_time(work, small), _GRAIN))
        if least < QUADRATIC:
            break
    return least


def _time(work: Callable[[T], object], given: T) -> float:
    start = time.process_time()
    work(given)
    return time.process_time() - start
