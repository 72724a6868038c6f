"""What a reaction means. Pure decisions."""

from __future__ import annotations

from rules.votes import Thumb

_TONE = "::skin-tone-"
_MEANINGS = {
    "+1": Thumb.UP,
    "thumbsup": Thumb.UP,
    "-1": Thumb.DOWN,
    "thumbsdown": Thumb.DOWN,
}
_CANONICAL = {"thumbsup": "+1", "thumbsdown": "-1"}


def read_thumb(reaction: str) -> Thumb | None:
    """Which way a reaction points, whatever its alias or skin tone; none for any other."""
    return _MEANINGS.get(reaction.partition(_TONE)[0])


def name_source(reaction: str, ts: str) -> str:
    """Name of the register that a reaction is: each skin tone and each message has its own."""
    name, tone, shade = reaction.partition(_TONE)
    return f"{_CANONICAL.get(name, name)}{tone}{shade}@{ts}"
