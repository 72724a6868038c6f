"""Scores of labelled cases."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rules.score import Case, Outcome, auroc, calibration_error, score


def outcome(expect, answer, candidates=(), sure=0.9, **case):
    labelled = Case("x", "text", tuple(expect), **case)
    return Outcome(labelled, answer, tuple(candidates), sure, "text", 1.0)


def test_right_answers_wrong_ones_misses_and_false_replies_are_told_apart():
    scores = score(
        [
            outcome(["a/a"], "a/a", ["a/a"]),
            outcome(["a/a"], "a/b", ["a/b", "a/a"]),
            outcome(["a/a"], None),
            outcome(["a/a"], None, silence_ok=True),
            outcome([], None),
            outcome([], "a/a", ["a/a"]),
            outcome([], "a/b", ["a/b"], also_ok=("a/b",)),
        ]
    )

    assert scores.top1 == pytest.approx(2 / 4)
    assert scores.top3 == pytest.approx(3 / 4)
    assert scores.mrr == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert (scores.false_replies, scores.silent_cases, scores.missed) == (1, 3, 1)
    assert scores.matched_by == {"text": 4}


def test_a_candidate_below_the_threshold_counts_for_confidence_but_not_as_an_answer():
    silent = outcome(["a/a"], None, ["a/a"], sure=0.4)

    assert silent.deserved
    assert silent.ranked == ()


def test_calibration_error_is_the_mean_gap():
    assert calibration_error([(0.95, True)] * 19 + [(0.95, False)]) == pytest.approx(0.0)
    assert calibration_error([(0.95, False)] * 10) == pytest.approx(0.95)
    assert calibration_error([]) == 0


def test_auroc_of_known_orders():
    assert auroc([(0.1, False), (0.9, True)]) == 1
    assert auroc([(0.9, False), (0.1, True)]) == 0
    assert auroc([(0.5, False), (0.5, True)]) == 0.5
    assert auroc([(0.5, True)]) == 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_auroc_agrees_with_counting_pairs(pairs):
    wins = [
        1.0 if p > n else 0.5 if p == n else 0.0
        for p, truth in pairs
        if truth
        for n, other in pairs
        if not other
    ]

    assert auroc(pairs) == pytest.approx(sum(wins) / len(wins) if wins else 0.5)
