"""What must hold for any log, however it arrived."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random

import pytest
from hypothesis import given, settings, strategies as st

from rules.learn import replay
from rules.policy import Policy
from rules.rank import rank
from rules.share import decode, disguise, encode, erase, export_lines, import_lines, merge
from rules.votes import Act, Context, Outcome, Shown, Target, Thumb, Vote
from tests.stats.world import NOW, Learner, draw_fixes, make_entry, vote

PLAIN = settings(max_examples=40, deadline=None, derandomize=True)
ENTRIES = [make_entry(), make_entry(name="pytorch/other", verification="cited")]
KEY = b"a key made up for tests"
UTC_TIMES = st.datetimes(timezones=st.just(dt.UTC))
ANY_TIMES = st.one_of(
    st.integers(-400, 3).map(lambda days: NOW + dt.timedelta(days=days)),
    UTC_TIMES,
    UTC_TIMES.map(lambda at: at.replace(tzinfo=dt.timezone(dt.timedelta(hours=14)))),
    UTC_TIMES.map(lambda at: at.replace(tzinfo=dt.timezone(dt.timedelta(hours=-12)))),
)
PLACES = {
    "team": st.sampled_from(["T1", "T2"]),
    "incident": st.sampled_from(["a", "b", "c", "d", "e"]),
    "entry": st.sampled_from([entry.id for entry in ENTRIES] + ["gone/away"]),
}
TARGETS = st.sampled_from(
    [
        (Target.STEP, "s0"),
        (Target.STEP, "s1"),
        (Target.DEAD_END, "d0"),
        (Target.ENTRY, ""),
        (Target.HEAD, ""),
    ]
)
CONTEXTS = st.builds(Context, torch=st.sampled_from([None, "2.9"]), gpu=st.sampled_from(["H100"]))


@st.composite
def votes(draw, times=ANY_TIMES):
    kind, target = draw(TARGETS)
    return Vote(
        **{name: draw(values) for name, values in PLACES.items()},
        kind=kind,
        target=target,
        voter=draw(st.sampled_from(["~ann", "~bob", "~cy"])),
        value=draw(st.sampled_from(Thumb)),
        act=draw(st.sampled_from(Act)),
        source=draw(st.sampled_from(["+1", "-1", "button"])),
        at=draw(times),
        is_poster=draw(st.booleans()),
        position=draw(st.sampled_from([None, 1, 2])),
        context=draw(CONTEXTS),
    )


SHOWINGS = st.builds(
    Shown,
    **PLACES,
    kind=st.just(Target.STEP),
    target=st.sampled_from(["s0", "s1"]),
    position=st.sampled_from([1, 2]),
    at=ANY_TIMES,
)
OUTCOMES = st.builds(Outcome, **PLACES, at=ANY_TIMES, context=CONTEXTS)
LOGS = st.lists(st.one_of(votes(), votes(), SHOWINGS, OUTCOMES), max_size=25)
POLICY = Policy(outcomes=True)


def all_rates(rates):
    here = Context(torch="2.9", gpu="H100")
    return [
        rate
        for entry in ENTRIES
        for rate in (
            rates.match(entry),
            *(rates.of(entry, target) for target in ("s0", "s1", "d0")),
            rates.of(entry, "s0", here),
        )
    ]


def rates_of(events):
    return all_rates(replay(events, ENTRIES, NOW, POLICY))


@given(LOGS, st.randoms(use_true_random=False))
@PLAIN
def test_any_order_and_any_repetition_of_the_log_give_the_same_rates(events, shuffler):
    arrived = events + shuffler.sample(events, k=len(events) // 2)
    shuffler.shuffle(arrived)

    assert rates_of(arrived) == rates_of(events)


@given(LOGS, st.integers(0, 25), st.randoms(use_true_random=False))
@PLAIN
def test_applying_a_log_in_pieces_gives_its_replay(events, cut, shuffler):
    arrived = shuffler.sample(events, k=len(events))
    first = replay(arrived[:cut], ENTRIES, NOW - dt.timedelta(days=9), POLICY)
    all_rates(first)

    assert all_rates(first.apply(arrived[cut:], NOW)) == rates_of(events)


@given(LOGS, votes(), st.integers(1, 100))
@PLAIN
def test_a_vote_given_and_taken_back_leaves_no_trace(events, given_vote, seconds):
    cast = dataclasses.replace(given_vote, act=Act.CAST, source="eyes", at=NOW)
    later = NOW + dt.timedelta(seconds=seconds)
    back = dataclasses.replace(cast, act=Act.RETRACT, at=later)

    assert rates_of([*events, back, cast]) == rates_of(events)


@given(LOGS, votes(times=st.just(NOW)))
@PLAIN
def test_a_new_up_never_lowers_and_a_new_down_never_raises_a_mean(events, cast):
    past = [event for event in events if event.at < NOW]
    # A head's thumb is shared out, so an up on one step can take a share from another.
    past = [event for event in past if not isinstance(event, Vote) or event.kind != Target.HEAD]
    cast = dataclasses.replace(
        cast, kind=Target.STEP, target="s0", act=Act.CAST, entry=ENTRIES[0].id, source="new"
    )
    before = replay(past, ENTRIES, NOW).of(ENTRIES[0], "s0").mean

    after = replay([*past, cast], ENTRIES, NOW).of(ENTRIES[0], "s0").mean

    up = cast.value is Thumb.UP
    assert after >= before - 1e-12 if up else after <= before + 1e-12


@given(LOGS)
@PLAIN
def test_every_rate_lies_inside_its_range_and_no_incident_weighs_more_than_one(events):
    rates = replay(events, ENTRIES, NOW, POLICY)
    for rate in all_rates(rates):
        assert 0.0 < rate.mean < 1.0
        assert 0.0 <= rate.low <= rate.high <= 1.0
        assert 0 <= rate.successes <= rate.reports
        assert rate.n <= len({(event.team, event.incident) for event in events})


@given(LOGS)
@PLAIN
def test_the_order_holds_every_step_once(events):
    order = rank(ENTRIES[0], replay(events, ENTRIES, NOW, POLICY))

    assert sorted(ranked.step.id for ranked in order) == ["s0", "s1", "s2"]


@given(LOGS, LOGS, LOGS)
@PLAIN
def test_the_union_of_logs_is_commutative_associative_and_idempotent(first, second, third):
    assert merge(first, second) == merge(second, first)
    assert merge(merge(first, second), third) == merge(first, merge(second, third))
    assert merge(first, first) == merge(first)
    assert rates_of(merge(first)) == rates_of(first)


@given(LOGS)
@PLAIN
def test_events_survive_being_written_and_read(events):
    for event in events:
        again = decode(encode(event))

        assert again == event
        assert again.key == event.key


@given(LOGS)
@PLAIN
def test_an_export_gives_another_installation_the_same_rates(events):
    lines = list(export_lines(events, KEY))

    received = import_lines(lines, b"their own key", {"T9"})

    assert rates_of(received) == rates_of(disguise(event, KEY) for event in events)
    assert import_lines(lines, KEY, {"T1", "T2"}) == []
    assert not [line for line in lines if '"T1"' in line or '"T2"' in line]


@given(LOGS)
@PLAIN
def test_pseudonyms_of_pseudonyms_are_the_same(events):
    once = [disguise(event, KEY) for event in events]

    assert [disguise(event, b"another") for event in once] == once


@given(LOGS)
@PLAIN
def test_an_erased_person_leaves_the_rates_of_the_others(events):
    left = erase(events, "T1", "~ann")
    without = [e for e in events if getattr(e, "voter", "") != "~ann" or e.team != "T1"]

    assert rates_of(left) == rates_of(without)
    assert not [e for e in left if getattr(e, "voter", "") == "~ann" and e.team == "T1"]


@pytest.mark.parametrize("seed", range(5))
def test_the_simulations_order_steps_as_the_log_does(seed):
    rng = random.Random(seed)
    fixes = draw_fixes(rng, junk=0.2)
    steps = [
        {"id": f"s{i}", "do": "Do", "success_rate": p, "minutes": int(c)}
        for i, (p, c) in enumerate(zip(fixes.stated, fixes.minutes, strict=True))
    ]
    entry = make_entry(workarounds=steps)
    learner, events = Learner(fixes, 2.0), []
    for day in range(60):
        before = learner.won[:], learner.n[:]
        learner.live(rng, learner.order(), 0.5)
        for i, (won, n) in enumerate(zip(learner.won, learner.n, strict=True)):
            if n > before[1][i]:
                worked = won > before[0][i] * learner.decay + 0.5
                events.append(vote(f"{day}", f"~v{day}", f"s{i}", up=worked, days=59 - day))

    order = [ranked.step.id for ranked in rank(entry, replay(events, [entry], NOW))]

    assert order == [f"s{i}" for i in learner.order()]
