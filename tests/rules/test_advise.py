"""A winner's steps and dead ends as they suit the post."""

from __future__ import annotations

from rules.advise import advise
from rules.clean import clean
from rules.extract import extract
from tests.rules.conftest import make_entry, make_kb

ENTRY = make_entry(
    "a/x",
    "it failed twice",
    workarounds=[
        {"id": "second", "do": "Do B.", "success_rate": 0.4},
        {"id": "first", "do": "Do A.", "success_rate": 0.9, "tried": ["did A already"]},
        {"id": "old", "do": "Do C.", "success_rate": 0.8, "versions": {"pytorch": "<2.0"}},
    ],
    dead_ends=[
        {"id": "wait", "do": "Wait.", "why": "It stays.", "fail_rate": 0.9, "tried": ["waited"]},
    ],
    ask=["the log"],
)


def advice(text):
    cleaned = clean(text)
    return advise(ENTRY, extract(cleaned), cleaned, make_kb(ENTRY).stated_rates)


def test_steps_come_by_their_rate_and_dead_ends_and_questions_are_there():
    given = advice("it failed twice")

    assert [ranked.step.id for ranked in given.steps] == ["first", "old", "second"]
    assert [ranked.dead_end.id for ranked in given.dead_ends] == ["wait"]
    assert given.ask == ("the log",)


def test_a_version_that_the_post_states_drops_a_step():
    assert "old" not in {r.step.id for r in advice("PyTorch version: 2.3.1\nit failed twice").steps}


def test_what_was_tried_is_marked():
    given = advice("I did A already and waited, still it failed twice")

    assert {r.step.id for r in given.steps if r.tried} == {"first"}
    assert [r.tried for r in given.dead_ends] == [True]
