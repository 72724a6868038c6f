"""Faults that a person can mend."""

from __future__ import annotations


class UsageError(Exception):
    """What the caller must mend, in one line; commands exit with 2."""
