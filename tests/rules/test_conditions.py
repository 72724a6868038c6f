"""Conditions on numeric captures."""

from __future__ import annotations

import ast

import pytest

from rules.conditions import ConditionError, _value, holds, names_in, parse


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


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("== 7", True), ("<= 2 + 5", True), ("< 9 - 2", False), ("> m / 2", True), ("> 2 * m", False)],
)
def test_sums_are_worked_out(condition, expected):
    assert holds({"n": condition}, {"n": "7", "m": "12"}) is expected


def test_what_was_not_read_as_a_condition_is_never_worked_out():
    node = ast.parse("f(1)", mode="eval").body

    with pytest.raises(ConditionError):
        _value(node, {})


def test_a_condition_knows_the_captures_that_it_is_about():
    assert names_in("n", "> 0.3 * total") == {"n", "total"}
