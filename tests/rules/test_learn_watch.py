import random

import pytest

from rules.entry import Verification
from rules.learn import replay, state_rates
from rules.policy import Policy
from rules.posterior import Flag
from rules.votes import Outcome
from rules.watch import list_doubted, list_flags, list_moves, list_unusual, refit
from tests.stats.world import NOW, make_entry, shown, vote

ENTRY = make_entry()


def downs(n, target="s0", start=0):
    return [
        vote(f"{target}{i}", f"~v{i}", target, up=False, days=i) for i in range(start, start + n)
    ]


def test_flagged_rates_are_listed_and_stay_until_past_the_margin():
    rates = replay([*downs(12), vote("a", target="s1")], [ENTRY], NOW)

    (flagged,) = list_flags(rates)

    assert (flagged.entry, flagged.target) == (ENTRY.id, "s0")
    assert flagged.flags == {Flag.FAILING, Flag.PRIOR_ALARM}
    assert flagged.rate == rates.of(ENTRY, "s0")
    calm = replay([*downs(8), vote("b")], [make_entry((0.5,))], NOW)
    earlier = {(ENTRY.id, "s0"): frozenset({Flag.FAILING})}
    assert list_flags(calm) == ()
    assert [item.flags for item in list_flags(calm, earlier)] == [{Flag.FAILING}]


def test_a_diagnosis_is_doubted_once_three_incidents_leave_no_doubt():
    wrong = [vote(f"w{i}", f"~v{i}", "e", up=False, days=i) for i in range(3)]
    right = [vote(f"r{i}", f"~p{i}", days=i) for i in range(9)]

    assert list_doubted(replay(wrong[:2], [ENTRY], NOW)) == ()
    ((entry, rate),) = list_doubted(replay(wrong, [ENTRY], NOW))
    assert (entry, rate.reports, rate.successes) == (ENTRY.id, 3, 0)
    assert list_doubted(replay([*wrong, *right], [ENTRY], NOW)) == ()


def test_moves_are_listed_by_size_and_only_where_reports_came():
    before = state_rates([ENTRY], NOW)
    after = before.apply([*downs(3), vote("a", target="s1")])

    moves = list_moves(before, after)

    assert [move.target for move in moves] == ["s0", "s1"]
    assert moves[0].gain < 0 < moves[1].gain
    assert list_moves(after, after) == ()


def test_a_new_entry_is_no_move():
    other = make_entry(name="pytorch/new")
    after = replay([vote("a", entry=other.id)], [ENTRY, other], NOW)

    assert list_moves(state_rates([ENTRY], NOW), after) == ()


def test_two_votes_against_the_rest_are_not_unusual():
    rest = [vote(f"i{i}", f"~p{i}", days=i) for i in range(40)]
    lone = [vote(f"x{i}", "~no", up=False, days=50 + 2 * i) for i in range(2)]
    third = vote("x9", "~no", up=False, days=70)

    assert list_unusual(replay(rest + lone, [ENTRY], NOW)) == ()
    (found,) = list_unusual(replay([*rest, *lone, third], [ENTRY], NOW))
    assert (found.voter, found.against, found.votes) == ("~no", 3, 3)
    assert found.chance < 0.001


def test_votes_on_what_few_others_judged_are_not_compared():
    events = [vote(f"x{i}", "~no", up=False, days=2 * i) for i in range(9)]

    assert list_unusual(replay([*events, vote("a")], [ENTRY], NOW)) == ()


def test_votes_beyond_the_caps_are_compared_too():
    rest = [vote(f"i{i}", f"~p{i}", days=i) for i in range(40)]
    many = [vote(f"x{i}", "~no", up=False, days=50 + 2 * i) for i in range(9)]

    (found,) = list_unusual(replay(rest + many, [ENTRY], NOW))

    assert found.votes == 9


def populate(strength, targets, bias=0.0, seed=1, incidents=8):
    """Rates whose truths scatter about the stated ones as `strength` incidents leave open."""
    rng = random.Random(seed)
    entries, events = [], []
    for e in range(targets):
        stated = rng.uniform(0.4, 0.8)
        entries.append(make_entry((stated,), name=f"pytorch/e{e}", verification="cited"))
        mean = stated - bias
        truth = rng.betavariate(strength * mean, strength * (1 - mean))
        events += [
            vote(f"{e}-{i}", f"~v{i}", up=rng.random() < truth, days=2 * i, entry=entries[-1].id)
            for i in range(incidents)
        ]
    return replay(events, entries, NOW)


def test_strengths_are_fitted_to_how_far_reports_fell_from_what_was_stated():
    fits = [refit(populate(4.0, 40, seed=seed))[Verification.CITED] for seed in range(9)]

    assert 3.0 <= sorted(fits)[4] <= 6.0


def test_stated_rates_that_run_high_lose_trust():
    fits = [refit(populate(8.0, 40, bias=0.2, seed=seed))[Verification.CITED] for seed in range(9)]

    assert sorted(fits)[4] < 5.0


def test_rates_that_fit_too_well_are_trusted_up_to_a_bound():
    assert refit(populate(5000.0, 60, seed=3))[Verification.CITED] == pytest.approx(16.0)


def test_too_few_fixes_leave_the_strength_as_it_is():
    few, thin = populate(1.0, 29), populate(1.0, 60, incidents=4)

    assert refit(few) == few.policy.bases
    assert refit(thin) == thin.policy.bases


def test_reports_exactly_as_stated_earn_the_most_trust():
    entries = [make_entry((0.5,), name=f"pytorch/e{e}", verification="cited") for e in range(30)]
    events = [
        vote(f"{entry.id}-{i}", f"~v{i}", up=i % 2 == 0, days=2 * i, entry=entry.id)
        for entry in entries
        for i in range(8)
    ]

    assert refit(replay(events, entries, NOW))[Verification.CITED] == 16.0


def test_shared_thumbs_and_jobs_are_nobody_s_disagreement():
    rest = [vote(f"i{i}", f"~p{i}", up=False, days=i) for i in range(40)]
    heads = [vote(f"x{i}", "~up", "", days=50 + 2 * i) for i in range(9)]
    both = [shown(f"x{i}", f"s{k}", k + 1, days=90) for i in range(9) for k in range(2)]
    jobs = [Outcome(team="T1", incident=f"y{i}", entry=ENTRY.id, at=NOW) for i in range(3)]
    first = [shown(f"y{i}", "s0", 1, days=5) for i in range(3)]
    events = [*rest, *heads, *both, *jobs, *first]

    assert list_unusual(replay(events, [ENTRY], NOW, Policy(outcomes=True))) == ()
