"""Seed and extend: what a damaged text resembles."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from rules.pattern import squeeze
from rules.seeds import Seeds, Segment

LONG = b"watchdogcaughtcollectiveoperationtimeout"


def one(text, *runs, gaps=None, rule=0):
    segment = Segment(rule, runs, gaps or (0,) * len(runs))
    return Seeds([segment]).resembling(squeeze(text))


def test_an_unharmed_run_is_found_where_it_stands():
    found = one("xxxx Watchdog caught collective operation timeout yyy", LONG)

    assert [(r.rule, r.start, r.end, r.score) for r in found] == [(0, 4, 4 + len(LONG), 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        "Watchdog caugth collective operation timeout",
        "Watchdg caught colective operation timeout",
        "Watchdog caught collectivve operation timeoutt and more",
        "Wtchdog caught collective operation timeout",
    ],
)
def test_slips_are_forgiven(text):
    (found,) = one(text, LONG)

    assert 0.9 < found.score < 1


@pytest.mark.parametrize(
    "text",
    [
        "Watchdog caught collective reduction timeout",
        "nothing of the kind",
        "",
        "Watch",
    ],
)
def test_another_word_is_another_error(text):
    assert one(text, LONG) == []


def test_digits_are_never_slips():
    run = b"taskfailedwithexitstatuscode139here"

    assert one("task failed with exit status code 139 hre", run)
    assert not one("task failed with exit status code 138 here", run)


def test_a_short_segment_takes_no_part():
    assert one("abcdefgh", b"abcdefgh") == []
    assert one("abcdef ghijkl mnopqr", b"abcdef", b"ghijkl", b"mnopqr", gaps=(0, 9, 9)) == []


def test_lesser_runs_must_stand_on_their_side_within_the_gap():
    runs, gaps = (b"opened", LONG, b"exit(9)"), (0, 10, 10)

    def at(text):
        return one(text, *runs, gaps=gaps)

    assert at("opened 123 Watchdog caugth collective operation timeout 45 exit(9)")
    assert not at("opened 123 Watchdog caught collective operation timeout 45")
    assert not at("Watchdog caught collective operation timeout 45 exit(9)")
    assert not at("Watchdog caught collective operation timeout" + "z" * 40 + "exit(9) opened")


def test_a_long_lesser_run_may_be_damaged_too():
    runs, gaps = (LONG, b"beforetimingoutaltogether"), (0, 10)

    (found,) = one(
        "Watchdog caught collective operation timeout 77 before timming out altogether",
        *runs,
        gaps=gaps,
    )

    assert found.score < 1


def test_the_best_comes_first_and_each_rule_once():
    segments = [
        Segment(0, (LONG,), (0,)),
        Segment(0, (LONG + b"now",), (0,)),
        Segment(1, (LONG[:-7] + b"failure",), (0,)),
    ]

    found = Seeds(segments).resembling(squeeze("watchdog caught collective operation timeout now"))

    assert [r.rule for r in found][:1] == [0]
    assert len({r.rule for r in found}) == len(found)


def test_pieces_that_everything_shares_are_no_seeds():
    segments = [Segment(n, (LONG + str(n).encode(),), (0,)) for n in range(40)]

    assert Seeds(segments).resembling(squeeze("watchdog caught collective operation")) == []


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken(text):
    for found in one(text, LONG):
        assert 0 <= found.start < found.end
