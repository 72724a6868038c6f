"""How fast messages may go: a bucket a channel, and pauses that Slack asked for.

The bucket is kept as the one moment at which it is full again, which processes can share: as the
generic cell rate algorithm keeps it (ITU-T I.371, theoretical arrival time).
"""

from __future__ import annotations

BURST = 4.0
"""Messages at once; an answer is two."""
PER_SECOND = 1.0
LONGEST = 900.0
"""Seconds beyond which no wait is believed: the clock was set back."""
_SLACK = (BURST - 1.0) / PER_SECOND
_SAYING = frozenset({"post", "ephemeral"})


def name_bucket(method: str) -> str:
    """Return the bucket of a method: new messages of a channel share one, edits have their own."""
    return "post" if method in _SAYING else method


def wait(method: str, free_at: float, now: float) -> float:
    """Seconds until a message of `method` may go, where its bucket is full at `free_at`."""
    ahead = free_at - now
    if method in _SAYING:
        ahead -= _SLACK
    return ahead if 0.0 < ahead <= LONGEST else 0.0


def take(method: str, free_at: float, now: float) -> float:
    """Count a message that goes; when its bucket is full then."""
    if method not in _SAYING:
        return free_at
    start = free_at if 0.0 < free_at - now <= LONGEST else now
    return start + 1.0 / PER_SECOND


def pause(method: str, seconds: float, now: float) -> float:
    """When the bucket is full, that nothing may go for so many seconds and then one message."""
    return now + min(seconds, LONGEST - _SLACK) + (_SLACK if method in _SAYING else 0.0)
