"""What is told from a signature's expression without running it."""

from __future__ import annotations

import pytest
import re2
from hypothesis import given, strategies as st

from rules.pattern import PatternError, anchor_runs, loosen, runs, squeeze


def texts(regex):
    return [[run.text for run in way] for way in runs(regex)]


def test_squeezing_drops_white_space_and_case():
    assert squeeze(" CUDA out\tof\n Memory ") == b"cudaoutofmemory"


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        (r"Got completion.{0,80}status=12\b", [["Got completion", "status=12"]]),
        (r"(?:alpha|beta) gamma", [["alpha gamma"], ["beta gamma"]]),
        (r"one\s+two", [["one two"]]),
        (r"exit ?code", [["exit code"]]),
        (r"Xid\(PCI:[0-9a-f:]{7,16}\): 79", [["Xid(PCI:", "): 79"]]),
        (r"(?P<op>ALL\w*)REDUCE", [["ALL", "REDUCE"]]),
        (r"(?:abc){2,3}def", [["abc", "def"]]),
        (r"colou?r", [["colo", "r"]]),
        (r"one[\s]two\sthree", [["one two three"]]),
    ],
)
def test_runs_are_the_literal_pieces_of_each_way(regex, expected):
    assert texts(regex) == expected


def test_a_gap_knows_how_wide_it_may_be():
    first, second = runs(r"begin.{0,30}\d{1,5}end")[0]

    assert (first.gap, second.gap) == (0, 35)


def test_too_many_alternatives_leave_what_they_share():
    regex = "start " + "(?:one|two|six)" * 5 + " finish"
    ways = texts(regex)

    assert len(ways) == 9
    assert {way[-1] for way in ways} == {" finish"}
    assert ways[0][0] == "start oneone"


def test_an_anchor_is_rare_among_signatures_rather_than_long():
    regex = r"Watchdog caught collective operation timeout.{0,80}OpType=BROADCAST"

    assert anchor_runs(regex) == ("Watchdog caught collective operation timeout",)
    sharing = {"Watchdog caught collective operation timeout": 8, "OpType=BROADCAST": 1}
    assert anchor_runs(regex, sharing) == ("OpType=BROADCAST",)


@pytest.mark.parametrize("regex", [r"\d+", r"(?:abcdef|\w{3})", r"a.{0,9}b"])
def test_each_way_needs_a_literal(regex):
    with pytest.raises(PatternError, match="literal run"):
        anchor_runs(regex)


@pytest.mark.parametrize("regex", ["(", "a{2,1}", "[z-a]"])
def test_an_expression_that_does_not_parse_is_refused(regex):
    with pytest.raises(PatternError, match="does not parse"):
        runs(regex)


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("CUDA out of memory", "CUDA out  of\tmemory"),
        ("CUDA out of memory", "CUDA outof memory"),
        (r"exit\s+code", "exitcode"),
        (r"[ x]y", " y"),
        (r"a\ b", "a b"),
        (r"a {1,3}b", "a \t b"),
        (r"a +b *c ?d", "a b\ncd"),
        (r"a +?b[ +]c", "ab+c"),
        (r"^\d+ ?(?:bytes)?$", "12 bytes"),
    ],
)
def test_a_space_stands_for_any_white_space_or_none(regex, text):
    assert re2.search(loosen(regex), text)


@given(st.lists(st.text("abcdefXYZ=:-", min_size=3, max_size=8), min_size=1, max_size=4))
def test_whatever_an_expression_matches_holds_one_of_its_anchors(words):
    regex = r".{0,9}".join(words)
    text = "::".join(words)

    assert re2.search(loosen(regex), text)
    assert any(squeeze(anchor) in squeeze(text) for anchor in anchor_runs(regex))
