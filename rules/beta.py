"""The beta distribution in plain Python: cumulative share, quantile, tails of the beta-binomial."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p

TINY = 1e-300
STEPS = 5_000


def cumulate(x: float, a: float, b: float) -> float:
    """Share of Beta(a, b) below `x`: the regularised incomplete beta function (NIST DLMF 8.17)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = exp(_log_front(x, a, b))
    # The fraction converges fast only on its own side of the mean; the other side by symmetry.
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(x, a, b) / a
    return 1.0 - front * _fraction(1.0 - x, b, a) / b


@lru_cache(maxsize=65_536)
def invert(p: float, a: float, b: float) -> float:
    """Quantile of Beta(a, b) at `p`, to 1e-9: Newton steps kept inside a shrinking bracket."""
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(STEPS):
        error = cumulate(x, a, b) - p
        if error > 0.0:
            high = x
        else:
            low = x
        step = _newton(x, error, a, b)
        after = x - step if low < x - step < high else (low + high) / 2.0
        if abs(after - x) < 1e-11 or high - low < 1e-11:
            return after
        x = after
    return x


def tails(successes: int, trials: int, a: float, b: float) -> tuple[float, float]:
    """P(K <= successes) and P(K >= successes) for K beta-binomial: what Beta(a, b) predicts."""
    shares = [predict(k, trials, a, b) for k in range(trials + 1)]
    below, above = sum(shares[: successes + 1]), sum(shares[successes:])
    return min(1.0, below), min(1.0, above)


def predict(k: int, n: int, a: float, b: float) -> float:
    """Give the chance of `k` successes in `n` where the rate is Beta(a, b): the beta-binomial."""
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + _log_beta(k + a, n - k + b) - _log_beta(a, b))


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _log_front(x: float, a: float, b: float) -> float:
    return a * log(x) + b * log1p(-x) - _log_beta(a, b)


def _newton(x: float, error: float, a: float, b: float) -> float:
    if not 0.0 < x < 1.0:
        return 0.0
    density = exp(min(700.0, _log_front(x, a, b) - log(x) - log1p(-x)))
    return error / max(density, TINY)


def _fraction(x: float, a: float, b: float) -> float:
    """Continued fraction DLMF 8.17.22, evaluated by the modified Lentz method."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
