import pytest
from hypothesis import given, settings, strategies as st

from rules.credit import Answer, credit_up, resolve_down, share_out
from rules.learn import replay
from rules.policy import WEAK, Policy
from rules.votes import Outcome, Target
from tests.stats.world import NOW, make_entry, shown, vote

ENTRY = make_entry()
BOTH = [shown("a", "s0", 1, days=2), shown("a", "s1", 2, days=1)]


def reports(events, target, **policy):
    return replay(events, [ENTRY], NOW, Policy(**policy)).evidence(ENTRY, target).reports


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_shares_add_up_to_one_vote(rates):
    assert sum(share_out(rates)) == pytest.approx(1.0)


def test_a_share_is_the_chance_to_be_the_first_that_worked():
    assert share_out([0.5, 0.5]) == pytest.approx([2 / 3, 1 / 3])
    assert share_out([0.0, 0.0]) == [0.0, 0.0]
    assert share_out([]) == []


def test_a_step_said_to_have_failed_gets_nothing_of_the_head():
    rates = {"a": 0.5, "b": 0.5, "c": 0.5}

    assert credit_up(["a", "b"], rates, {"a": False}) == {"b": 1.0}
    assert credit_up(["a", "b"], rates, {"b": True}) == {}
    assert credit_up(["a", "b"], rates, {"a": False, "b": False}) == {}
    assert credit_up(["unknown", "c"], rates, {}) == {"c": 1.0}


def test_a_thumb_down_on_the_head_counts_against_what_the_person_names():
    assert resolve_down(Answer.WRONG_DIAGNOSIS, ["a", "b"], {}) == (Target.ENTRY, "")
    assert resolve_down(Answer.STEP_FAILED, ["a", "b"], {}) == (Target.STEP, "a")
    assert resolve_down(Answer.STEP_FAILED, ["a", "b"], {"a": False}) == (Target.STEP, "b")
    assert resolve_down(Answer.STEP_FAILED, ["a"], {"a": False}) is None


def test_a_thumb_up_on_the_head_goes_to_the_only_step_shown():
    (report,) = reports([vote("a", target=""), BOTH[0]], "s0")

    assert (report.worked, report.weight) == (1.0, 1.0)


def test_a_thumb_up_on_the_head_is_shared_over_the_steps_shown_by_then():
    first = reports([vote("a", target="", days=0), *BOTH], "s0")
    second = reports([vote("a", target="", days=0), *BOTH], "s1")
    early = reports([vote("a", target="", days=1.5), *BOTH], "s1")

    weights = first[0].weight, second[0].weight
    assert weights == pytest.approx(share_out([0.85, 0.75]))
    assert early == ()


def test_a_thumb_older_by_its_clock_than_all_steps_is_on_the_first():
    (report,) = reports([vote("a", target="", days=9), *BOTH], "s0")

    assert report.weight == 1.0
    assert reports([vote("a", target="", days=9), *BOTH], "s1") == ()


def test_a_thumb_up_on_the_head_where_nothing_is_known_to_be_shown_waits():
    assert reports([vote("a", target="")], "s0") == ()


def test_a_thumb_down_on_the_head_is_only_a_question():
    events = [vote("a", target="", up=False), *BOTH]
    rates = replay(events, [ENTRY], NOW)

    assert not any(rates.evidence(ENTRY, target).reports for target in ("s0", "s1", "s2"))
    assert rates.match(ENTRY).reports == 0


def test_sharing_goes_by_votes_on_the_steps_not_by_other_heads():
    failures = [vote(f"f{i}", f"~v{i}", "s0", up=False, days=i + 3) for i in range(8)]
    crowd = [vote("a", f"~h{i}", "") for i in range(30)]

    (shared,) = reports([*failures, *BOTH, *crowd], "s1")

    assert shared.weight > 0.75


def test_evidence_steps_get_nothing_of_the_head():
    steps = [
        {"id": "s0", "do": "Look", "success_rate": 0.9, "kind": "evidence"},
        {"id": "s1", "do": "Mend", "success_rate": 0.5},
    ]
    entry = make_entry(workarounds=steps)
    rates = replay([vote("a", target=""), *BOTH], [entry], NOW)

    assert rates.evidence(entry, "s0").reports == ()
    assert rates.evidence(entry, "s1").reports[0].weight == 1.0


OUTCOME = Outcome(team="T1", incident="a", entry=ENTRY.id, at=NOW)


def test_a_job_that_succeeded_counts_only_where_it_is_switched_on():
    assert reports([OUTCOME, BOTH[0]], "s0") == ()
    (report,) = reports([OUTCOME, BOTH[0]], "s0", outcomes=True)
    assert (report.worked, report.weight) == (1.0, WEAK)


def test_a_job_that_succeeded_adds_nothing_where_somebody_voted():
    events = [OUTCOME, BOTH[0], vote("a", up=False)]

    (report,) = reports(events, "s0", outcomes=True)

    assert (report.worked, report.weight) == (0.0, 1.0)


def test_jobs_are_not_capped_as_a_person_is():
    events = []
    for i in range(6):
        events.append(Outcome(team="T1", incident=str(i), entry=ENTRY.id, at=NOW))
        events.append(shown(i, "s0", 1, days=1))

    assert len(reports(events, "s0", outcomes=True)) == 3  # the cap of a day
