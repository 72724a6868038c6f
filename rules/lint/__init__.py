"""Checks of knowledge base entries: each says what is wrong, where, and how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint import claims, danger, patterns, references, samples, wording
from rules.lint.check import CHECKS, Check, Issue, Library, Severity

if TYPE_CHECKING:
    from collections.abc import Collection

    from rules.load import Reading

__all__ = ["CHECKS", "Check", "Issue", "Library", "Severity", "lint"]

_MODULES = (claims, danger, patterns, references, samples, wording)


def lint(reading: Reading, identities: Collection[str] = ()) -> list[Issue]:
    """Run every check on the entries named, or on all; what could not be read comes first.

    Sorted by path and line.
    """
    library = Library(reading)
    unread = [
        Issue(
            e.path,
            e.line,
            "schema",
            e.message,
            "docs/knowledge-base.md lists the fields",
            Severity.ERROR,
        )
        for e in reading.errors
    ]
    chosen = [e for e in reading.entries.values() if not identities or e.id in identities]
    checks = [check() for check in CHECKS]
    found = [
        issue for entry in chosen for check in checks for issue in check.issues(entry, library)
    ]
    return sorted({*unread, *found})
