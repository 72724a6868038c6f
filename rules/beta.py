"""The beta distribution in plain Python: cumulative share, quantile, tails of the beta-binomial."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p

TINY = 1e-300
TERMS = 5_000
CLOSE = 1e-11


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
    x, moved = a / (a + b), 1.0
    # A Newton step must halve the last one and a bisection halves the bracket, so this ends.
    while moved > CLOSE and high - low > CLOSE:
        error = cumulate(x, a, b) - p
        low, high = (low, x) if error > 0.0 else (x, high)
        after = x - error / max(_density(x, a, b), TINY)
        if not (low < after < high and abs(after - x) < moved / 2.0):
            after = (low + high) / 2.0
        x, moved = after, abs(after - x)
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


def _density(x: float, a: float, b: float) -> float:
    return exp(min(700.0, _log_front(x, a, b) - log(x) - log1p(-x)))


def _fraction(x: float, a: float, b: float) -> float:
    """Continued fraction DLMF 8.17.22, evaluated by the modified Lentz method."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value, m, change = d, 0, 0.0
    while abs(change - 1.0) > 1e-15 and m < TERMS:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            change = c * d
            value *= change
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
