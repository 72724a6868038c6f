"""Slack's request signature over the raw bytes (docs.slack.dev/authentication)."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TOLERANCE_SECONDS = 300


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether the headers sign `body`, not longer ago or further ahead than five minutes.

    Works on bytes alone: headers may hold anything.
    """
    stamp = headers.get("X-Slack-Request-Timestamp", "")
    given = headers.get("X-Slack-Signature", "").encode("utf-8", "replace")
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 16):
        return False
    if abs(now - int(stamp)) > TOLERANCE_SECONDS:
        return False
    base = b"v0:" + stamp.encode() + b":" + body
    wanted = b"v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest().encode()
    return hmac.compare_digest(wanted, given)
