"""Conditions on numeric captures."""

from __future__ import annotations

import pytest

from rules.conditions import ConditionError, holds, parse


@pytest.mark.parametrize(
    ("when", "captures", "expected"),
    [
        ({"reserved": "> 0.3 * total"}, {"reserved": "9.5", "total": "24"}, True),
        ({"reserved": "> 0.3 * total"}, {"reserved": "1.5", "total": "24"}, False),
        ({"reserved": "- allocated > 2"}, {"reserved": "9", "allocated": "6"}, True),
        ({"n": "!= 0"}, {"n": "1,024"}, True),
        ({"n": ">= 1", "m": "< 3"}, {"n": "1", "m": "3"}, False),
        ({"n": "> 1"}, {}, False),
        ({"n": "> 1"}, {"n": "many"}, False),
        ({"n": "> 1 / m"}, {"n": "3", "m": "0"}, False),
    ],
)
def test_a_condition_compares_captures(when, captures, expected):
    assert holds(when, captures) is expected


@pytest.mark.parametrize(
    "condition", ["", "> ", "> 1 > 2", "is None", "> f(1)", "> 'a'", "> 2 ** 9"]
)
def test_anything_but_one_comparison_of_numbers_is_refused(condition):
    with pytest.raises(ConditionError):
        parse("n", condition)
