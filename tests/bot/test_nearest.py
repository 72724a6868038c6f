"""Who names an entry that there is not is told those that they may have meant, and no others."""

from __future__ import annotations

import pytest

from bot.slack.nearest import name_nearest, say_no_entry
from rules.load import load, shipped


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("xid-79", ["gpu/xid-79-fallen-off-the-bus"]),
        ("gpu/xid-79", ["gpu/xid-79-fallen-off-the-bus"]),
        ("pytorch/nccl-timeout-during-allredcue", ["pytorch/nccl-timeout-during-allreduce"]),
        ("banana", []),
        ("foo bar", []),
        ("", []),
    ],
)
def test_the_nearest_are_named(query: str, named: list[str]) -> None:
    kb = load([shipped()])
    said = name_nearest(kb, query)
    first = said.removeprefix("Did you mean ").rstrip("?").split(", ")[0].strip("`")

    assert [first] * bool(said) == named
    assert "xid-109" not in said
    assert say_no_entry(kb, query, "USAGE").endswith(said or "USAGE")
