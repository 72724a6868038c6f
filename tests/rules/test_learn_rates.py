"""From evidence to rates: priors, decay, contexts, flags."""

import datetime as dt

import pytest

from rules.entry import Verification
from rules.learn import replay, state_rates
from rules.policy import Policy, fade
from rules.posterior import Flag, raise_flags, update
from rules.votes import Context
from tests.stats.world import EPOCH, NOW, make_entry, rate_fix, reports, vote

ENTRY = make_entry()


def rate_of(events, target="s0", entry=ENTRY, now=NOW, **how):
    return replay(events, [entry], now).of(entry, target, **how)


def several(n, target="s0", *, up=True, start=0, **fields):
    return [
        vote(f"{target}{up}{i}", f"~v{i}", target, up=up, days=start + i, **fields)
        for i in range(n)
    ]


@pytest.mark.parametrize(
    ("verification", "strength"),
    [("ai_generated", 2.0), ("cited", 4.0), ("confirmed", 8.0), ("reproduced", 8.0)],
)
def test_a_stated_rate_is_worth_what_its_verification_says(verification, strength):
    rate = rate_of([], entry=make_entry(verification=verification))

    assert rate.strength == pytest.approx(strength, rel=0.01)
    assert rate.mean == rate.prior_mean == pytest.approx(0.85)
    assert rate.stated


def test_the_strength_of_a_prior_halves_in_a_year_but_never_below_one():
    cited = {"verification": "cited"}
    year = make_entry(verified_on=NOW.date() - dt.timedelta(days=365), **cited)
    ages = make_entry(verified_on=dt.date(1990, 1, 1), **cited)
    ahead = make_entry(verified_on=dt.date(2040, 1, 1), **cited)

    assert rate_of([], entry=year).strength == pytest.approx(2.0, rel=0.01)
    assert rate_of([], entry=ages).strength == 1.0
    assert rate_of([], entry=ahead).strength == 4.0


def test_a_stated_certainty_can_still_be_moved():
    rate = rate_of(several(3, up=False), entry=make_entry((1.0,)))

    assert rate.stated_rate == 1.0
    assert rate.prior_mean == 0.95
    assert rate.mean < 0.5


def test_the_mean_is_that_of_the_formula():
    events = [vote("a", days=0), vote("b", "~bob", days=180), vote("c", "~cy", up=False, days=360)]
    rate = rate_of(events)

    n0, won, lost = rate.strength, 1.5, 0.25
    assert rate.n == pytest.approx(1.75)
    assert rate.mean == pytest.approx((n0 * 0.85 + won) / (n0 + won + lost))
    assert rate.low < rate.mean < rate.high
    assert (rate.successes, rate.reports, rate.last) == (2, 3, NOW)


def test_decay_pulls_toward_the_prior():
    events = several(10, up=False)
    fresh, later = rate_of(events), rate_of(events, now=NOW + dt.timedelta(days=2000))

    assert fresh.mean < 0.2
    assert later.mean > 0.8
    assert later.reports == 0
    assert later.stated


def test_weights_halve_in_180_days_and_never_exceed_one():
    day = 86_400.0

    assert fade(0.0, 180 * day) == 0.5
    assert fade(10.0, 0.0) == 1.0
    assert fade(-6e10, 2.5e11) == 0.0


def test_three_incidents_make_a_rate_earned():
    assert rate_of(several(2)).stated
    assert not rate_of(several(3)).stated


def test_a_dead_end_s_rate_is_of_its_success():
    rate = rate_of(several(3, "d0"), "d0")

    assert rate.stated_rate == pytest.approx(0.3)
    assert rate.mean > 0.6


def test_usually_works_needs_a_high_lower_bound():
    assert rate_of(several(9)).usually_works
    assert not rate_of([]).usually_works
    assert not rate_of([*several(4), *several(4, up=False)]).usually_works


def test_a_context_is_worked_out_from_itself_with_the_rest_as_its_prior():
    h100, a100 = Context(gpu="H100"), Context(gpu="A100")
    events = [*several(3, up=False, context=h100), *several(20, context=a100, start=0)]
    overall, here = rate_of(events), rate_of(events, context=h100)

    assert here.context == h100
    assert here.reports == 3
    assert here.mean < overall.mean
    everything = replay(events, [ENTRY], NOW).evidence(ENTRY, "s0").reports
    won = sum(fade(r.at, EPOCH) * r.worked for r in everything)
    a, b = overall.strength * 0.85 + won, overall.strength * 0.15
    k, lost_here = 8.0, here.n
    assert here.mean == pytest.approx(k * a / (a + b) / (k + lost_here))


def test_a_context_with_two_incidents_is_not_told_apart():
    h100 = Context(gpu="H100")
    events = [*several(2, up=False, context=h100), *several(5)]

    assert rate_of(events, context=h100) == rate_of(events)


def test_the_narrowest_context_that_three_incidents_bear_on_is_used():
    here = Context(torch="2.9", gpu="H100")
    mixed = [
        *several(3, context=Context(torch="2.8", gpu="H100")),
        *several(2, up=False, context=here),
    ]

    assert rate_of(mixed, context=here).context == Context(gpu="H100")
    more = [*mixed, vote("x", "~x", up=False, context=here)]
    assert rate_of(more, context=here).context == here
    assert rate_of(more, context=Context(torch="1.0")).context is None
    assert rate_of(more, context=Context()).context is None


def test_a_dead_end_that_works_for_most_is_disputed():
    assert rate_of(several(12, "d0"), "d0").flags == {Flag.DISPUTED, Flag.PRIOR_ALARM}
    assert Flag.DISPUTED not in rate_of(several(4, "d0"), "d0").flags
    assert rate_of(several(12, "d0", up=False), "d0").flags == set()


def test_a_fix_that_hardly_works_is_failing():
    assert Flag.FAILING in rate_of(several(12, up=False)).flags
    assert Flag.FAILING not in rate_of(several(6, up=False)).flags
    assert Flag.FAILING not in rate_of(several(12)).flags


def test_a_flag_is_cleared_only_past_a_margin():
    edge = update(rate_fix(0.5, 2.0), reports([True] * 1 + [False] * 8), EPOCH)
    assert 0.3 < edge.high < 0.35

    assert raise_flags(edge) == frozenset()
    assert raise_flags(edge, frozenset({Flag.FAILING})) == {Flag.FAILING}
    over = update(rate_fix(0.5, 2.0), reports([True] * 3 + [False] * 10), EPOCH)
    assert raise_flags(over, frozenset({Flag.FAILING})) == frozenset()


def test_reports_that_the_stated_rate_makes_unlikely_raise_the_alarm():
    confirmed = make_entry((0.9, 0.5), verification="confirmed")

    assert rate_of(several(4, up=False), entry=confirmed).flags == {Flag.PRIOR_ALARM}
    assert rate_of(several(2, up=False), entry=confirmed).flags == set()
    assert rate_of(several(4), entry=confirmed).flags == set()


def test_the_diagnosis_has_a_rate_of_its_own():
    wrong = [vote(f"w{i}", f"~v{i}", "e", up=False, days=i) for i in range(4)]
    right = [vote("r", "~ann", "s0"), vote("q", "~bob", "")]
    silent = [vote("z", "~cy", "s0", up=False)]
    rates = replay([*wrong, *right, *silent], [ENTRY], NOW)

    assert (rates.match(ENTRY).successes, rates.match(ENTRY).reports) == (2, 6)
    assert rates.match(ENTRY).mean < 0.7
    assert state_rates([ENTRY], NOW).match(ENTRY).mean == 0.9


def test_wrong_diagnosis_never_counts_against_a_step():
    rates = replay([vote("a", target="e", up=False)], [ENTRY], NOW)

    assert all(rates.of(ENTRY, step.id).reports == 0 for step in ENTRY.workarounds)


def test_what_a_person_said_of_the_diagnosis_outweighs_what_a_step_implies():
    events = [vote("a", target="s0"), vote("a", target="e", up=False)]

    assert replay(events, [ENTRY], NOW).match(ENTRY).successes == 0


def test_a_snapshot_stays_as_it_is():
    first = replay([vote("a")], [ENTRY], NOW)
    before = first.of(ENTRY, "s0")

    first.apply([vote("b", "~bob", up=False)])

    assert first.of(ENTRY, "s0") is before


def test_the_same_log_can_be_seen_from_another_moment():
    later = NOW + dt.timedelta(days=180)

    moved = replay(several(4), [ENTRY], NOW).at(later)

    assert moved.of(ENTRY, "s0") == rate_of(several(4), now=later)


def test_strengths_can_be_set():
    policy = Policy(bases={**Policy().bases, Verification.AI_GENERATED: 7.0})

    assert state_rates([ENTRY], NOW, policy).of(ENTRY, "s0").strength == pytest.approx(7, rel=0.01)


def test_entries_and_their_ids_name_the_same_rate():
    rates = replay(several(3), [ENTRY], NOW)

    assert rates.of(ENTRY.id, "s0") is rates.of(ENTRY, "s0")
    assert rates.match(ENTRY.id) is rates.match(ENTRY)
