import pytest

from rules.account import explain_rate
from rules.learn import replay
from rules.posterior import Measure
from rules.tally import MATCH, Reason
from rules.votes import Context, Outcome
from tests.stats.world import NOW, make_entry, shown, vote

ENTRY = make_entry()
H100 = Context(torch="2.9", gpu="H100")


def explain(events, target="s0"):
    return explain_rate(replay(events, [ENTRY], NOW), ENTRY.id, target)


def test_an_account_without_votes_is_the_prior_s():
    account = explain([])

    assert account.prior.stated == account.rate.mean == 0.85
    assert account.lines == account.contexts == account.movers == account.positions == ()
    assert account.outcomes == 0


def test_every_incident_is_told_newest_first_with_its_weight_now():
    events = [vote("old", days=180), vote("new", "~bob", up=False), vote("new", "~cy")]

    account = explain(events)

    told = [(line.report.incident, line.weight, line.report.worked) for line in account.lines]
    assert told == [("new", 1.0, 0.5), ("old", 0.5, 1.0)]
    assert [ballot.voter for ballot in account.lines[0].report.ballots] == ["~bob", "~cy"]


def test_what_was_left_out_is_told_with_the_reason():
    alone = [vote(f"i{i}", "~one", days=2 * i) for i in range(4)]
    crowded = [vote(f"j{i}", f"~v{i}", "s1", days=0.1) for i in range(4)]

    assert [reason for _, reason in explain(alone).left_out] == [Reason.PERSON_CAP]
    assert [reason for _, reason in explain(crowded, "s1").left_out] == [Reason.DAY_CAP]


def test_movers_are_told_by_how_far_they_moved_the_mean():
    events = [
        *(vote(f"a{i}", "~ann", up=False, days=2 * i) for i in range(3)),
        vote("b", "~bob", days=1),
        vote("b", "~cy", days=1),
    ]

    account = explain(events)

    assert [(mover.voter, mover.incidents) for mover in account.movers] == [
        ("~ann", 3),
        ("~bob", 1),
        ("~cy", 1),
    ]
    without = explain(events[3:]).rate.mean
    assert account.movers[0].shift == pytest.approx(account.rate.mean - without)
    assert account.movers[1].shift == 0.0


def test_contexts_with_three_incidents_are_told_apart():
    events = [
        *(vote(f"a{i}", f"~v{i}", up=False, days=i, context=H100) for i in range(3)),
        *(vote(f"b{i}", f"~v{i}", days=5 + i, context=Context(gpu="H100")) for i in range(3)),
        vote("c", context=Context(gpu="A100")),
    ]

    contexts = explain(events).contexts

    # The incidents on torch 2.9 are those of the narrower context, which says all of it.
    assert [rate.context for rate in contexts] == [Context(gpu="H100"), H100]
    assert [rate.reports for rate in contexts] == [6, 3]


def test_votes_are_counted_by_the_place_they_were_earned_at():
    events = [vote("a", position=1), vote("b", position=2, up=False), vote("c", position=2)]

    places = [(place.position, place.ups, place.votes) for place in explain(events).positions]

    assert places == [(1, 1, 1), (2, 1, 2)]


def test_the_diagnosis_has_an_account_of_its_own():
    events = [
        vote("a", "~ann", "e", up=False, days=3),
        vote("b", "~bob", "s0"),
        *(vote(f"c{i}", "~cy", "e", up=False, days=9 + i, context=H100) for i in range(4)),
    ]

    account = explain(events, MATCH)

    assert (account.prior.stated, account.rate.measure) == (0.9, Measure.MATCH)
    assert [line.report.worked for line in account.lines] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert [mover.voter for mover in account.movers] == ["~cy", "~bob", "~ann"]
    assert [reason for _, reason in account.left_out] == [Reason.PERSON_CAP]
    assert account.contexts == ()


def test_outcomes_are_counted_but_move_nothing_while_switched_off():
    outcome = Outcome(team="T1", incident="a", entry=ENTRY.id, at=NOW)

    account = explain([outcome, outcome, shown("a", "s0", 1)])

    assert account.outcomes == 1
    assert account.lines == ()


def test_an_outcome_that_counts_is_nobody_s_move():
    from rules.policy import Policy

    outcome = Outcome(team="T1", incident="a", entry=ENTRY.id, at=NOW)
    events = [outcome, shown("a", "s0", 1)]
    account = explain_rate(replay(events, [ENTRY], NOW, Policy(outcomes=True)), ENTRY.id, "s0")

    assert len(account.lines) == 1
    assert account.movers == ()
