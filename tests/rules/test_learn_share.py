import dataclasses
import json

import pytest

from rules.learn import replay
from rules.share import (
    MOST_NAMED,
    ImportLinesError,
    decode,
    disguise,
    encode,
    erase,
    export_lines,
    import_lines,
    merge,
    pseudonym,
)
from rules.votes import Context, Outcome
from tests.stats.world import NOW, make_entry, shown, vote

KEY = b"a key made up for tests"
EVENTS = [
    vote("C1:1", "U0ANN", context=Context(gpu="H100")),
    vote("C1:1", "U0BOB", up=False),
    shown("C1:1", "s0", 1),
    Outcome(team="T1", incident="C1:1", entry="pytorch/timeout", at=NOW),
]


def line(**fields):
    return json.dumps(json.loads(encode(disguise(EVENTS[0], KEY))) | fields)


def test_a_line_is_plain_json_without_what_is_unknown():
    assert json.loads(encode(EVENTS[0])) == {
        "event": "vote",
        "team": "T1",
        "incident": "C1:1",
        "entry": "pytorch/timeout",
        "kind": "step",
        "target": "s0",
        "voter": "U0ANN",
        "value": "up",
        "act": "cast",
        "source": "+1",
        "at": "2026-12-01T12:00:00+00:00",
        "is_poster": False,
        "position": None,
        "context": {"gpu": "H100"},
    }


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_are_read_as_they_were_written(event):
    assert decode(encode(event)) == event


def test_a_time_without_a_zone_is_written_as_utc():
    naive = dataclasses.replace(EVENTS[0], at=NOW.replace(tzinfo=None))

    assert decode(encode(naive)) == EVENTS[0]


def test_pseudonyms_hang_on_the_key_and_stay():
    once = pseudonym(KEY, "U0ANN")

    assert once == pseudonym(KEY, "U0ANN") == pseudonym(b"another", once)
    assert once != pseudonym(b"another", "U0ANN")
    assert once.startswith("~")
    assert "U0ANN" not in once


def test_an_export_names_no_person_team_or_incident():
    text = "\n".join(export_lines(EVENTS * 2, KEY))

    assert len(text.splitlines()) == len(EVENTS)
    assert not [name for name in ("U0ANN", "U0BOB", '"T1"', "C1:1") if name in text]


def test_what_comes_back_to_its_origin_is_left_out():
    lines = list(export_lines(EVENTS, KEY))

    assert import_lines(lines, KEY, {"T1"}) == []
    received = import_lines(lines, b"their key", {"T2"})
    detour = list(export_lines(received, b"their key"))
    assert detour == lines
    assert import_lines(detour, KEY, {"T1"}) == []


def test_importing_twice_changes_nothing():
    lines = list(export_lines(EVENTS, KEY))
    received = import_lines([*lines, "", *lines], b"their key", {"T2"})

    assert merge(received, received) == received
    assert len(received) == len(EVENTS)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{", "line 2: line: Invalid JSON"),
        ('{"event": "like"}', "line 2: line: Input tag 'like'"),
        (line(voter="U0ANN"), "line 2: team, incident and voter must be pseudonyms"),
        (line(team="T1"), "line 2: team, incident and voter must be pseudonyms"),
        (line(value="sideways"), "line 2: value: Input should be 'up' or 'down'"),
        (line(at="yesterday"), "line 2: at: "),
        (line(at="2026-12-01T12:00:00"), "line 2: at: Input should have timezone info"),
        (line(mood="good"), "line 2: mood: Extra inputs are not permitted"),
        (line(context={"gpu": "x" * 99}), "line 2: context.gpu: String should have at most 60"),
        (line(context={"gpu": "a\0b"}), "line 2: context.gpu: String should match pattern"),
        (line(voter="~<!channel>"), "line 2: voter: String should match pattern"),
        (line(incident="~" + "a" * 64), "line 2: incident: String should have at most 64"),
        (line(entry="../../x"), "line 2: entry: String should match pattern"),
        (line(target="x" * 81), "line 2: target: String should have at most 80"),
        (line(at="2026-12-03T12:00:00Z"), "line 2: at: lies in the future"),
        (line(at="9999-12-31T23:59:59-12:00"), "line 2: at: lies in the future"),
        (line(mood="x" * 5000), "line 2: line: more than 4000 characters"),
        ("[" * 3000, "line 2: line: "),
        (b"\xff\xfe" + line().encode(), "line 2: line: Invalid JSON"),
        (line(position=0), "line 2: position: Input should be greater than or equal to 1"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(bad, says):
    with pytest.raises(ImportLinesError) as caught:
        import_lines([line(), bad], b"their key", {"T2"}, NOW)

    assert str(caught.value).startswith(says)


def test_every_line_that_cannot_be_used_is_named_and_none_is_taken():
    bad = [line(position=0), "{", line(voter="U0ANN")]
    lines = [line(), bad[0], "", bad[1], bad[2], *["?"] * (MOST_NAMED + 4)]
    with pytest.raises(ImportLinesError) as caught:
        import_lines(lines, b"their key", {"T2"})

    assert [problem.split(":")[0] for problem in caught.value.problems[:3]] == [
        "line 2",
        "line 4",
        "line 5",
    ]
    told = str(caught.value).splitlines()
    assert len(told) == MOST_NAMED + 1
    assert told[-1] == f"and {len(caught.value.problems) - MOST_NAMED} more"


def test_a_clock_that_is_a_few_hours_ahead_is_no_reason_to_refuse():
    ahead = line(at="2026-12-02T11:00:00Z")

    assert len(import_lines([ahead], b"their key", {"T2"}, NOW)) == 1


def test_an_erased_person_s_votes_are_gone_and_the_rates_follow():
    entry = make_entry()
    left = erase(EVENTS, "T1", "U0BOB")

    assert left == [EVENTS[0], *EVENTS[2:]]
    assert erase(EVENTS, "T2", "U0BOB") == EVENTS
    assert replay(EVENTS, [entry], NOW).of(entry, "s0").successes == 0
    assert replay(left, [entry], NOW).of(entry, "s0").successes == 1


def test_of_two_records_of_one_act_the_union_keeps_the_same_whatever_comes_first():
    bare, told = EVENTS[1], dataclasses.replace(EVENTS[1], is_poster=True)

    assert merge([bare], [told]) == merge([told], [bare])
    assert len(merge([bare], [told])) == 1
