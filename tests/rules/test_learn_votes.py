"""What a person's thumbs in one incident come to."""

import dataclasses
import datetime as dt

import pytest

from rules.ballots import settle
from rules.learn import replay
from rules.policy import Policy
from rules.votes import Act, Context, Outcome, Thumb, read_context, to_epoch
from tests.stats.world import NOW, make_entry, shown, vote

ENTRY = make_entry()


def at(minute):
    return {"at": NOW + dt.timedelta(minutes=minute)}


def up(minute, act=Act.CAST, source="+1"):
    return vote("a", act=act, source=source, **at(minute))


def down(minute, act=Act.CAST, source="-1"):
    return vote("a", up=False, act=act, source=source, **at(minute))


def back(event, minute):
    return dataclasses.replace(event, act=Act.RETRACT, **at(minute))


@pytest.mark.parametrize(
    ("events", "verdict"),
    [
        pytest.param([up(1)], True, id="up"),
        pytest.param([up(1), up(1)], True, id="delivered twice"),
        pytest.param([up(1), down(2)], False, id="the last wins"),
        pytest.param([down(2), up(1)], False, id="the last by time, not by arrival"),
        pytest.param([up(1), back(up(1), 2)], None, id="taken back"),
        pytest.param([back(up(1), 2), up(1)], None, id="taken back, swapped on the way"),
        pytest.param([up(3), back(up(1), 2), up(1)], True, id="taken back and given again"),
        pytest.param([up(1), down(2), back(down(2), 3)], True, id="two thumbs, the last removed"),
        pytest.param([up(1), down(2), back(up(1), 3)], False, id="two thumbs, the first removed"),
        pytest.param([up(1), back(down(1), 2)], True, id="a removal of what was not given"),
        pytest.param([back(up(1), 2)], None, id="only a removal"),
        pytest.param(
            [up(1), up(2, source="+1::skin-tone-3"), back(up(1), 3)],
            True,
            id="one of two skin tones removed",
        ),
        pytest.param(
            [up(1, source="button"), down(2, source="button")], False, id="the other button"
        ),
        pytest.param(
            [
                up(1, source="button"),
                down(2, source="button"),
                back(down(2, source="button"), 3),
            ],
            None,
            id="a button pressed, exchanged and released",
        ),
        pytest.param(
            [up(1), down(2, source="button"), back(up(1), 3)],
            False,
            id="a removed reaction leaves the button's vote",
        ),
        pytest.param([up(1), down(1)], True, id="both at the same moment: the same every time"),
        pytest.param([down(1), up(1)], True, id="both at the same moment, swapped"),
    ],
)
def test_the_latest_vote_that_still_stands_counts(events, verdict):
    ballots = [ballot for group in settle(events, Policy()).values() for ballot in group]

    assert [ballot.up for ballot in ballots] == ([] if verdict is None else [verdict])


def test_those_who_may_not_vote_have_no_ballot():
    events = [vote("a", "~guest"), vote("a", "~author"), vote("a", "~ann")]
    policy = Policy(barred=frozenset({"~guest"}), authors={ENTRY.id: frozenset({"~author"})})

    ballots = [ballot for group in settle(events, policy).values() for ballot in group]

    assert [ballot.voter for ballot in ballots] == ["~ann"]


def test_each_person_step_and_incident_has_one_vote():
    events = [
        *(
            vote(incident, voter, target)
            for incident in "ab"
            for voter in ("~ann", "~bob")
            for target in ("s0", "d0")
        ),
        vote("a", team="T2"),
    ]
    rates = replay(events * 2, [ENTRY], NOW)

    assert len(rates.evidence(ENTRY, "s0").ballots) == 5
    assert len(rates.evidence(ENTRY, "s0").reports) == 3
    assert len(rates.evidence(ENTRY, "d0").reports) == 2


def test_the_poster_s_say_counts_three_times():
    events = [vote("a", is_poster=True), vote("a", "~bob", up=False)]
    (report,) = replay(events, [ENTRY], NOW).evidence(ENTRY, "s0").reports

    assert report.worked == 0.75
    assert report.weight == 1.0


def test_an_incident_is_as_old_as_its_first_step_shown():
    events = [vote("a", days=1), shown("a", "s1", 2, days=30), shown("a", "s0", 1, days=31)]
    (report,) = replay(events, [ENTRY], NOW).evidence(ENTRY, "s0").reports

    assert report.at == to_epoch(NOW) - 31 * 86_400
    assert report.last == to_epoch(NOW) - 86_400


def test_votes_that_arrive_before_the_answer_is_stored_count_the_same():
    before = [vote("a"), vote("a", "~bob", "")]
    answer = [shown("a", "s0", 1)]

    first = replay(before, [ENTRY], NOW).apply(answer)

    assert first.of(ENTRY, "s0") == replay(answer + before, [ENTRY], NOW).of(ENTRY, "s0")


def test_an_incident_s_context_is_put_together_from_its_votes():
    events = [
        vote("a", days=2, context=Context(torch="2.9")),
        vote("a", "~bob", days=1, context=Context(torch="2.8", gpu="H100")),
    ]
    (report,) = replay(events, [ENTRY], NOW).evidence(ENTRY, "s0").reports

    assert report.context == Context(torch="2.9", gpu="H100")


def test_the_same_act_has_the_same_key_however_much_was_known_beside_it():
    bare = up(1)
    told = dataclasses.replace(bare, is_poster=True, position=2, context=Context(gpu="H100"))
    elsewhere = dataclasses.replace(bare, at=bare.at.astimezone(dt.timezone(dt.timedelta(hours=9))))

    assert bare.key == told.key == elsewhere.key
    others = [up(2), down(1), back(bare, 1), vote("b", **at(1)), up(1, source="button")]
    assert len({bare.key, *(event.key for event in others)}) == 6
    assert shown("a", "s0", 1).key == shown("a", "s0", 1, days=3).key != shown("a", "s0", 2).key
    outcome = Outcome(team="T1", incident="a", entry=ENTRY.id, at=NOW)
    assert outcome.key == dataclasses.replace(outcome, at=NOW - dt.timedelta(1)).key


@pytest.mark.parametrize(
    "when",
    [
        dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14))),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.timezone(-dt.timedelta(hours=12))),
        dt.datetime(1970, 1, 1, tzinfo=dt.UTC),
    ],
)
def test_times_far_off_count_at_most_once_and_break_nothing(when):
    rate = replay([vote("a", at=when)], [ENTRY], NOW).of(ENTRY, "s0")

    assert 0.0 <= rate.n <= 1.0
    assert rate.last is not None


def test_a_time_without_a_zone_is_read_as_utc():
    naive = NOW.replace(tzinfo=None)

    assert to_epoch(naive) == to_epoch(NOW)
    assert replay([vote("a", at=naive)], [ENTRY], naive).of(ENTRY, "s0").n == 1.0


def test_a_vote_from_the_future_is_new():
    rate = replay([vote("a", days=-400)], [ENTRY], NOW).of(ENTRY, "s0")

    assert rate.n == 1.0


def test_an_id_that_the_entry_no_longer_has_counts_nowhere():
    rates = replay([vote("a", target="s9"), vote("b", entry="gone/away")], [ENTRY], NOW)

    assert rates.of(ENTRY, "s0").reports == 0
    with pytest.raises(KeyError, match="s9"):
        rates.of(ENTRY, "s9")
    with pytest.raises(KeyError):
        rates.of("gone/away", "s0")


def test_versions_are_cut_to_major_and_minor_for_a_context():
    found = read_context({"pytorch": "v2.10.0+cu128", "nccl": "2.27", "cuda": "12.8"}, gpu="H100")

    assert found == Context(torch="2.10", nccl="2.27", gpu="H100")
    assert read_context({}) == Context()


def test_thumbs_are_written_in_plain_words():
    assert [str(thumb) for thumb in Thumb] == ["up", "down"]
