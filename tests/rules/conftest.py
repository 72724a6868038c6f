"""Small knowledge bases for tests of the engine."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from rules.entry import Entry
from rules.load import KnowledgeBase


def make_entry(identity: str, *signatures: str | dict[str, Any], **fields: Any) -> Entry:
    """An entry with the given signatures (a string is a text) and plain other fields."""
    return Entry.model_validate(
        {
            "id": identity,
            "title": identity,
            "category": "code_bug",
            "verification": "cited",
            "verified_on": dt.date(2026, 11, 30),
            "fix_rate": 0.5,
            "root_cause": "It broke.",
            "signatures": [s if isinstance(s, dict) else {"text": s} for s in signatures],
            "workarounds": [{"id": "mend-it", "do": "Mend it.", "success_rate": 0.5}],
            **fields,
        }
    )


def make_kb(*entries: Entry) -> KnowledgeBase:
    """A knowledge base of `entries`."""
    return KnowledgeBase({entry.id: entry for entry in entries}, "test")


@pytest.fixture(scope="session")
def shipped_kb() -> KnowledgeBase:
    """The entries that come with the bot."""
    from rules.load import load, shipped

    return load([shipped()])
