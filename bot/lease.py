"""Who works what, where several processes share one database."""

from __future__ import annotations

import secrets

LEASE_SECONDS = 15.0
"""How long a row is left alone after its worker last said that it still works it.

So long waits what a process was working on when it was killed.
"""
RENEW_SECONDS = 3.0
"""Seconds between two such words."""


def name_worker() -> str:
    """Return a name for this process that no other has, nor had."""
    return secrets.token_hex(8)
