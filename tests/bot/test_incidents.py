"""Which posts are one incident."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.incidents import Known, Trace, find_same, is_same

BASE = Trace("f1", "job", "alice", None, frozenset(), 1000.0)
DAY = 86400.0


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ({}, {}, True),
        ({}, {"poster": "bob"}, False),
        ({}, {"poster": "bob", "scope": "cluster"}, True),
        ({"job": "7"}, {"poster": "bob", "job": "7"}, True),
        ({"job": "7"}, {"job": "8"}, False),
        ({"hosts": frozenset({"n1"})}, {"poster": "bob", "hosts": frozenset({"n1", "n2"})}, True),
        ({"hosts": frozenset({"n1"})}, {"poster": "bob", "hosts": frozenset({"n2"})}, False),
        ({}, {"fingerprint": "f2"}, False),
        ({}, {"at": 1000.0 + DAY + 1}, False),
        ({}, {"at": 1000.0 + DAY}, True),
    ],
)
def test_two_posts_are_one_incident_when_something_ties_them(
    old: dict[str, object],
    new: dict[str, object],
    same: bool,  # noqa: FBT001
) -> None:
    assert is_same(replace(BASE, **old), replace(BASE, **new), DAY) is same


def test_the_latest_of_several_is_found() -> None:
    known = [Known(str(n), replace(BASE, at=1000.0 + n)) for n in range(3)]

    assert find_same(replace(BASE, at=1010.0), known, DAY) == known[2]
    assert find_same(BASE, [], DAY) is None
