import pytest

from rules.learn import replay, state_rates
from rules.rank import _count_incidents, rank, rank_dead_ends, settle_order, worth
from rules.votes import Context
from tests.stats.world import NOW, make_entry, shown, vote

ENTRY = make_entry()


def order(events=(), entry=ENTRY, **how):
    return [item.step.id for item in rank(entry, replay(events, [entry], NOW), **how)]


def dead_ends(events=(), **how):
    placed = rank_dead_ends(ENTRY, replay(events, [ENTRY], NOW), **how)
    return [item.dead_end.id for item in placed]


def downs(n, target="s0", **fields):
    return [vote(f"{target}-{i}", f"~v{i}", target, up=False, days=i, **fields) for i in range(n)]


def ups(n, target, **fields):
    return [vote(f"{target}+{i}", f"~v{i}", target, days=i, **fields) for i in range(n)]


def step(name, rate, **fields):
    return {"id": name, "do": f"Do {name}", "success_rate": rate} | fields


def test_the_founding_steps_stand_at_85_80_75():
    assert order() == ["s0", "s2", "s1"]


def test_the_order_of_a_file_decides_between_equals():
    entry = make_entry((0.5, 0.5, 0.5))

    assert order(entry=entry) == ["s0", "s1", "s2"]


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_incidents_do_not_reorder(n):
    assert order(downs(n)) == order()


def test_three_incidents_reorder_and_taking_them_back_restores():
    events = downs(3)

    assert order(events) == ["s2", "s1", "s0"]
    assert order(events[:2]) == order()


def test_ten_votes_in_one_incident_do_not_reorder():
    crowd = [vote("a", f"~v{i}", up=False) for i in range(10)]

    assert order(crowd) == order()


def test_three_incidents_on_the_lower_step_are_enough_too():
    entry = make_entry((0.6, 0.5))

    assert order(ups(3, "s1"), entry) == ["s1", "s0"]


def test_incidents_on_either_of_two_neighbours_are_enough_together():
    entry = make_entry((0.6, 0.5))
    apart = [*downs(1), *ups(2, "s1")]

    assert order(apart[:2], entry) == ["s0", "s1"]
    assert order(apart, entry) == ["s1", "s0"]


def test_an_incident_that_judged_both_neighbours_is_one():
    entry = make_entry((0.6, 0.5))
    both = [
        vote(incident, f"~v{incident}", target, up=target == "s1", days=incident)
        for incident in range(3)
        for target in ("s0", "s1")
    ]

    assert order(both[:4], entry) == ["s0", "s1"]
    assert order(both, entry) == ["s1", "s0"]


def test_a_thumb_shared_over_two_steps_is_one_incident_on_the_two():
    entry = make_entry((0.6, 0.5))
    heads = [vote(incident, f"~v{incident}", "", days=incident) for incident in range(3)]
    both = [shown(i, f"s{k}", k + 1, days=i) for i in range(3) for k in range(2)]
    rates = replay([*heads, *both], [entry], NOW)

    assert _count_incidents(entry, rates, ["s0", "s1"]) == pytest.approx(3.0, abs=0.05)


def test_a_lead_below_a_tenth_moves_nothing():
    entry = make_entry((0.80, 0.79))

    assert order([*ups(4, "s1"), *ups(3, "s0")], entry) == ["s0", "s1"]


def test_votes_never_move_a_step_across_a_risk_class():
    steps = [step("s0", 0.2), step("s1", 0.9, risk="data-loss"), step("s2", 0.9, risk="restart")]
    entry = make_entry(workarounds=steps)
    events = [*downs(12), *ups(12, "s1"), *ups(12, "s2")]

    assert order(entry=entry) == order(events, entry) == ["s0", "s2", "s1"]


def test_steps_that_gather_evidence_come_first_as_listed():
    steps = [step("s0", 0.9), step("s1", 0.1, kind="evidence"), step("s2", 0.5, kind="evidence")]
    entry = make_entry(workarounds=steps)

    assert order(entry=entry) == order(downs(9, "s1"), entry) == ["s1", "s2", "s0"]


def test_a_step_whose_gate_fails_is_gone():
    steps = [step("s0", 0.9, versions={"nccl": "<2.27.3"}), step("s1", 0.5)]
    entry = make_entry(workarounds=steps)

    assert order(entry=entry) == order(entry=entry, versions={"nccl": "2.26.2"}) == ["s0", "s1"]
    assert order(entry=entry, versions={"nccl": "2.28.1"}) == ["s1"]


def test_steps_already_tried_go_last_and_are_marked():
    steps = rank(ENTRY, state_rates([ENTRY], NOW), tried={"s0"})

    assert [(item.step.id, item.tried) for item in steps] == [
        ("s2", False),
        ("s1", False),
        ("s0", True),
    ]


def test_minutes_count():
    entry = make_entry(workarounds=[step("s0", 0.8, minutes=240), step("s1", 0.6, minutes=5)])

    assert order(entry=entry) == ["s1", "s0"]


def test_the_poster_s_context_decides_where_three_incidents_bear_on_it():
    h100 = Context(gpu="H100")
    events = [*downs(5, context=h100), *ups(20, "s0", context=Context(gpu="A100"))]
    rates = replay(events, [ENTRY], NOW)

    assert order(events) == ["s0", "s2", "s1"]
    steps = rank(ENTRY, rates, context=h100)
    assert [item.step.id for item in steps] == ["s2", "s1", "s0"]
    assert steps[2].here.context == h100
    assert steps[2].here.mean < steps[2].rate.mean
    assert steps[0].here is None


def test_dead_ends_stand_as_listed_until_reports_tell_which_are_tried_most():
    assert dead_ends() == ["d0", "d1", "d2"]
    assert dead_ends(downs(2, "d2")) == ["d0", "d1", "d2"]
    assert dead_ends([*downs(3, "d2"), *downs(5, "d1")]) == ["d1", "d2", "d0"]


def test_a_dead_end_that_the_poster_tried_comes_first():
    assert dead_ends(downs(3, "d2"), tried={"d1"}) == ["d1", "d2", "d0"]


def test_a_disputed_dead_end_goes_last():
    assert dead_ends(ups(12, "d0")) == ["d1", "d2", "d0"]


def test_neighbours_swap_until_nothing_moves():
    assert settle_order([3.0, 2.0, 1.0], [1.0, 2.0, 4.0], lambda i, j: 3.0) == [2, 1, 0]
    assert settle_order([3.0, 2.0, 1.0], [1.0, 2.0, 4.0], lambda i, j: 0.0) == [0, 1, 2]
    assert settle_order([3.0, 2.0, 1.0], [1.0, 1.08, 1.16], lambda i, j: 9.0) == [0, 1, 2]


def test_only_the_pair_that_three_incidents_bear_on_swaps() -> None:
    def bear(first: int, second: int) -> float:
        return 3.0 if {first, second} == {1, 2} else 2.0

    assert settle_order([3.0, 2.0, 1.0], [1.0, 2.0, 4.0], bear) == [0, 2, 1]


def test_the_index_without_giving_up_is_the_rate_a_minute():
    assert worth(0.6, 15.0, give_up=0.0) == pytest.approx(0.6 / 15.0)


def test_an_entry_that_the_snapshot_lacks_is_an_error():
    with pytest.raises(KeyError):
        rank(make_entry(name="pytorch/new"), state_rates([ENTRY], NOW))
