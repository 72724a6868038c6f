"""All literals in one automaton."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from rules.index import Index
from rules.pattern import squeeze
from tests.rules.conftest import make_entry

PAIR = make_entry(
    "a/pair",
    "it failed twice",
    {"regex": r"widget (?:lost|gone) in {1,3}rack (?P<n>\d+)", "near": ["factory floor"]},
    unless=["a rehearsal"],
)
OTHER = make_entry("a/other", "it failed twice")


def found(index, text):
    return {(index.literals[h.literal], h.start, h.end) for h in index.scan(squeeze(text))}


def test_each_literal_is_found_with_both_ends():
    index = Index([PAIR])

    assert found(index, "x it failed twice") == {(b"itfailedtwice", 1, 14)}
    assert found(index, "a rehearsal on the factory floor") == {
        (b"arehearsal", 0, 10),
        (b"factoryfloor", 15, 27),
    }


def test_signatures_that_share_a_literal_share_its_number():
    index = Index([PAIR, OTHER])
    number = index.literals.index(b"itfailedtwice")

    assert [rule.entry.id for rule in index.rules_of[number]] == ["a/pair", "a/other"]


def test_an_empty_text_and_an_empty_index_have_no_hits():
    assert Index([PAIR]).scan(b"") == []
    assert Index([]).scan(b"anything") == []


def test_a_rule_is_plausible_where_all_runs_of_one_way_stand():
    index = Index([PAIR])
    text_rule, regex_rule = index.rules

    assert index.plausible(text_rule, b"")
    assert index.plausible(regex_rule, squeeze("widget gone in rack"))
    assert not index.plausible(regex_rule, squeeze("widget broken in rack"))


def test_an_expression_is_compiled_once():
    index = Index([PAIR])
    rule = index.rules[1]

    assert index.expression(rule) is index.expression(rule)
    assert index.expression(rule).search("WIDGET  LOST in   rack 7")["n"] == "7"


def test_gates_are_literals_too():
    index = Index([PAIR])

    assert [index.literals[n] for n in index.gates["a/pair"]] == [b"arehearsal"]
    assert [index.literals[n] for n in index.near[1]] == [b"factoryfloor"]


def test_every_way_through_an_expression_is_a_segment():
    segments = Index(
        [make_entry("a/x", {"regex": r"widget number (?:one|seven) was lost for good"})]
    )

    assert {segment.main for segment in segments.seeds.segments} == {
        b"widgetnumberonewaslostforgood",
        b"widgetnumbersevenwaslostforgood",
    }


@given(
    st.lists(
        st.text("abc ", min_size=4, max_size=9).filter(lambda t: len(squeeze(t)) > 2), max_size=6
    ),
    st.text("abc \n", max_size=60),
)
@settings(max_examples=60, deadline=None)
def test_hits_are_those_that_a_plain_search_finds(literals, text):
    index = Index([make_entry("a/x", *literals)] if literals else [])
    data = squeeze(text)
    expected = {
        (number, at, at + len(literal))
        for number, literal in enumerate(index.literals)
        for at in range(len(data))
        if data.startswith(literal, at)
    }

    assert {(h.literal, h.start, h.end) for h in index.scan(data)} == expected
