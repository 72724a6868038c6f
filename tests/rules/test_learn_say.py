import dataclasses
import datetime as dt

import pytest

from rules.learn import replay
from rules.posterior import Measure
from rules.say import percent, say_age, say_context, say_here, say_move, say_rate
from rules.votes import Context
from tests.stats.world import NOW, make_entry, vote

ENTRY = make_entry()


def say(events, target="s0", entry=ENTRY):
    return say_rate(replay(events, [entry], NOW).of(entry, target), NOW)


def several(ups, downs, target="s0", start=0, **fields):
    return [
        vote(f"{i}", f"~v{i}", target, up=i < ups, days=start + i, **fields)
        for i in range(ups + downs)
    ]


def test_a_stated_rate_says_that_it_is_stated():
    assert say([]) == "stated 85 %"
    assert say([], "d0") == "fails 70 %, stated"


def test_few_reports_stand_beside_the_stated_rate():
    assert say(several(1, 0)) == "stated 85 %, 1 of 1 reports, last today"
    assert say(several(0, 2)) == "stated 85 %, 0 of 2 reports, last today"
    assert say(several(0, 1, "d0", start=3), "d0") == (
        "fails 70 %, stated, failed in 1 of 1 reports, last 3 days ago"
    )


def test_an_earned_rate_gives_reports_estimate_range_and_age():
    line = say(several(7, 2, start=12))

    assert line == "worked in 7 of 9 reports · est. 79 % (63–93 %) · last 12 days ago"


def test_an_earned_dead_end_says_how_often_it_fails():
    line = say(several(1, 8, "d0"), "d0")

    assert line == "failed in 8 of 9 reports · est. fails 85 % (71–97 %) · last today"


def test_old_reports_leave_an_estimate_and_its_age():
    line = say([vote(f"{i}", f"~v{i}", days=400 + i) for i in range(30)])

    assert line == "est. 96 % (89–100 %) · last 400 days ago"


def test_a_step_that_gathers_evidence_has_no_rate():
    step = {"id": "s0", "do": "Look", "success_rate": 0.9, "kind": "evidence"}

    assert say(several(5, 0), entry=make_entry(workarounds=[step])) == "a check, not rated"


def test_a_context_is_named_with_its_counts():
    here = Context(torch="2.10", nccl="2.27", gpu="H100", fabric="EFA")
    rates = replay(several(4, 1, context=here), [ENTRY], NOW)

    assert say_context(rates.of(ENTRY, "s0", Context("2.10", gpu="H100"))) == (
        "on H100, torch 2.10: 4 of 5"
    )
    assert say_context(rates.of(ENTRY, "s0", here)) == "on H100, EFA, torch 2.10, NCCL 2.27: 4 of 5"
    assert say_context(rates.of(ENTRY, "s0")) is None


def test_a_context_in_full_has_estimate_range_and_age():
    here = Context(gpu="H100")
    log = [*several(4, 1, context=here, start=2), *several(1, 4, "d0", context=here)]
    rates = replay(log, [ENTRY], NOW)

    assert say_here(rates.of(ENTRY, "s0", here), NOW) == (
        "on H100: 4 of 5 · est. 82 % (62–97 %) · last 2 days ago"
    )
    assert say_here(rates.of(ENTRY, "d0", here), NOW).startswith(
        "on H100: 4 of 5 · est. fails 77 %"
    )


def test_a_move_tells_from_where_to_where_with_range_reports_and_age():
    before = replay([], [ENTRY], NOW)
    some = replay([*several(0, 1), *several(0, 1, "d0")], [ENTRY], NOW)
    more = replay([*several(0, 3), *several(0, 3, "d0")], [ENTRY], NOW)

    assert say_move(before.of(ENTRY, "s0"), more.of(ENTRY, "s0"), NOW) == (
        "85 % (stated) → 34 % (10–62 %; worked in 0 of 3 reports, last today)"
    )
    assert say_move(some.of(ENTRY, "d0"), more.of(ENTRY, "d0"), NOW).startswith(
        "fails 80 % → 88 % ("
    )


def test_a_dead_end_in_a_context_counts_its_failures():
    rates = replay(several(1, 4, "d0", context=Context(gpu="H100")), [ENTRY], NOW)

    assert say_context(rates.of(ENTRY, "d0", Context(gpu="H100"))) == "on H100: 4 of 5"


def test_the_diagnosis_is_right_or_not():
    events = several(3, 0, "s0")
    match = replay(events, [ENTRY], NOW).match(ENTRY)

    assert say_rate(match, NOW).startswith("right in 3 of 3 reports · est. ")
    few = replay(events[:1], [ENTRY], NOW).match(ENTRY)
    assert say_rate(few, NOW) == "diagnosis right in 1 of 1 reports, last today"
    none = replay([], [ENTRY], NOW).match(ENTRY)
    assert say_rate(none, NOW) == "no reports on the diagnosis"
    assert none.measure is Measure.MATCH


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (dt.timedelta(hours=23), "today"),
        (dt.timedelta(days=-3), "today"),
        (dt.timedelta(days=1, hours=2), "1 day ago"),
        (dt.timedelta(days=12), "12 days ago"),
    ],
)
def test_ages_are_in_whole_days(age, words):
    assert say_age(NOW - age, NOW) == words


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "0 %"), (0.725, "73 %"), (0.285, "29 %"), (1.0, "100 %")]
)
def test_percents_are_whole_and_round_halves_up(share, words):
    assert percent(share) == words


def test_no_age_is_given_where_none_is_known():
    rate = replay(several(5, 0), [ENTRY], NOW).of(ENTRY, "s0")

    assert "last" not in say_rate(dataclasses.replace(rate, last=None), NOW)
