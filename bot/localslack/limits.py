"""Rate limits of the Web API: off until a test or a person switches them on.

Tiers are calls a minute (docs.slack.dev/apis/web-api/rate-limits); chat.postMessage has one a
second per channel with a short burst.
"""

from dataclasses import dataclass, field

from bot.localslack.clock import Clock

PER_MINUTE = {"1": 1.0, "2": 20.0, "3": 50.0, "4": 100.0, "special": 600.0}
POST_PER_SECOND = 1.0
POST_BURST = 3
# Times since the epoch are floats that hold a quarter of a microsecond.
_ROUNDING = 1e-5


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


@dataclass(eq=False, slots=True)
class RateLimits:
    """Token buckets per method, team and app, and per channel for chat.postMessage."""

    clock: Clock
    enabled: bool = False
    overrides: dict[str, tuple[float, int]] = field(default_factory=dict)
    _buckets: dict[tuple[str, ...], _Bucket] = field(default_factory=dict)

    def set(self, method: str, per_second: float, burst: int = 1) -> None:
        """Limit one method whether or not the others are limited."""
        self.overrides[method] = (per_second, burst)

    def wait_for(self, method: str, tier: str, owner: str, channel: str | None) -> float:
        """Seconds until the call is allowed; zero takes one from the bucket."""
        rule = self._rule(method, tier)
        if rule is None:
            return 0.0
        per_second, burst = rule
        key = (method, owner, channel or "") if method == "chat.postMessage" else (method, owner)
        now = self.clock.now()
        bucket = self._buckets.setdefault(key, _Bucket(burst, now))
        bucket.tokens = min(burst, bucket.tokens + (now - bucket.at) * per_second)
        bucket.at = now
        if bucket.tokens < 1 - _ROUNDING:
            return (1 - bucket.tokens) / per_second
        bucket.tokens -= 1
        return 0.0

    def _rule(self, method: str, tier: str) -> tuple[float, int] | None:
        if method in self.overrides:
            return self.overrides[method]
        if not self.enabled:
            return None
        if method == "chat.postMessage":
            return POST_PER_SECOND, POST_BURST
        per_minute = PER_MINUTE[tier]
        return per_minute / 60, max(int(per_minute), 1)
