"""How fast messages may go: a bucket a channel, and pauses that Slack asked for."""

from __future__ import annotations

BURST = 4.0
"""Messages at once; an answer is two."""
PER_SECOND = 1.0


class Pace:
    """Says how long to wait before a message; knows the clock only as `now`."""

    def __init__(self, burst: float = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = burst
        self._per_second = per_second
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}
        self._pauses: dict[tuple[str, str, str], float] = {}

    def wait(self, team: str, channel: str, method: str, now: float) -> float:
        """Seconds until the next message of `method` may go to the channel; 0 for now."""
        paused = self._pauses.get((team, channel, method), 0.0) - now
        if method in {"update", "delete", "respond"}:
            return max(0.0, paused)
        short = 1.0 - self._tokens(team, channel, now)
        return max(0.0, paused, short / self._per_second)

    def take(self, team: str, channel: str, method: str, now: float) -> None:
        """Count a message that goes."""
        if method not in {"update", "delete", "respond"}:
            self._buckets[team, channel] = (self._tokens(team, channel, now) - 1.0, now)

    def pause(self, team: str, channel: str, method: str, until: float) -> None:
        """Send no message of `method` to the channel before `until`."""
        self._pauses[team, channel, method] = until

    def _tokens(self, team: str, channel: str, now: float) -> float:
        tokens, at = self._buckets.get((team, channel), (self._burst, now))
        return min(self._burst, tokens + max(0.0, now - at) * self._per_second)
