"""A bounded number of the random conversations; `python -m tests.scenarios.conversations` plays more."""

from __future__ import annotations

from tests.scenarios.conversations import converse


def test_whatever_people_do_the_invariants_hold() -> None:
    converse(30)
