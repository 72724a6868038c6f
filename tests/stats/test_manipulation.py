import numpy as np
import pytest

from rules.learn import replay
from rules.policy import Policy
from rules.watch import list_unusual
from tests.stats.world import NOW, make_entry, vote

ENTRY = make_entry()
CROWD = [f"~crowd{i}" for i in range(10)]


def rate_of(events):
    return replay(events, [ENTRY], NOW).of(ENTRY, "s0")


def mean_of(events):
    return rate_of(events).mean


def honest(incidents, rate, seed):
    """One report an incident, each by another poster, one a day."""
    rng = np.random.default_rng((seed, incidents))
    return [
        vote(f"i{i}", f"~poster{i}", up=rng.random() < rate, days=i + 1, is_poster=True)
        for i in range(incidents)
    ]


@pytest.mark.parametrize("incidents", [12, 20, 60])
@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("truth", [0.3, 0.5, 0.8])
def test_ten_votes_in_one_thread_move_a_rate_of_twelve_incidents_by_at_most_six_points(
    incidents, up, truth
):
    for seed in range(10):
        before = honest(incidents, truth, seed)
        brigade = [vote("raid", voter, up=up) for voter in CROWD]
        rate = rate_of(before)
        shift = abs(rate_of(before + brigade).mean - rate.mean)

        assert shift <= max(rate.mean, 1.0 - rate.mean) / (rate.n + rate.strength + 1.0) + 1e-12
        # Beyond 90 % one honest failure in 12 incidents is worth up to 6.7 points by itself.
        assert shift <= 0.06 or not 0.1 <= rate.mean <= 0.9


@pytest.mark.parametrize("incidents", [0, 1, 3, 11])
def test_ten_votes_in_one_thread_move_any_rate_exactly_as_one_does(incidents):
    before = honest(incidents, 0.5, 71)
    one = [vote("raid", CROWD[0])]
    ten = [vote("raid", voter) for voter in CROWD]

    assert mean_of(before + ten) == mean_of(before + one)


def test_one_person_in_ten_threads_counts_in_three():
    before = honest(12, 0.3, 72)
    alone = [vote(f"raid{i}", "~one", days=10 + 2 * i) for i in range(10)]

    assert mean_of(before + alone) == mean_of(before + alone[-3:])


def test_one_person_in_ten_threads_of_a_day_counts_in_three():
    before = honest(12, 0.3, 73)
    several = [vote(f"raid{i}", voter, days=30.2) for i, voter in enumerate(CROWD)]
    evidence = replay(before + several, [ENTRY], NOW).evidence(ENTRY, "s0")

    raided = [report for report in evidence.reports if report.incident.startswith("raid")]

    assert len(raided) == 3
    assert len(evidence.left_out) == 7


def test_colluders_are_listed_with_how_unlikely_they_are():
    before = [
        vote(f"i{i}", f"~poster{i}", up=i % 10 < 2, days=i + 1, is_poster=True) for i in range(40)
    ]
    ring = [
        vote(f"raid{i}-{voter}", voter, days=60 + 2 * i + j / 10)
        for j, voter in enumerate(CROWD[:3])
        for i in range(6)
    ]

    unusual = list_unusual(replay(before + ring, [ENTRY], NOW))

    assert {item.voter for item in unusual} == set(CROWD[:3])
    assert all(item.against == 6 == item.votes and item.chance < 0.01 for item in unusual)


def many_entries(rates, seed, contrarian=None):
    """Two hundred incidents over five entries; twenty honest voters and perhaps one contrarian."""
    rng = np.random.default_rng(seed)
    entries = [make_entry(rates, name=f"pytorch/e{e}") for e in range(5)]
    events = []
    for i in range(400):
        entry, target = entries[i % 5].id, int(rng.integers(len(rates)))
        day = {"days": float(rng.uniform(0, 300)), "entry": entry}
        worked = rng.random() < rates[target]
        voter = f"~v{rng.integers(20)}"
        events.append(vote(i, voter, f"s{target}", up=worked, **day))
        if contrarian and i % 20 == 0:
            usual = rates[target] > 0.5
            events.append(vote(i, contrarian, f"s{target}", up=not usual, **day))
    return replay(events, entries, NOW)


def test_a_voter_who_always_disagrees_is_listed():
    rates = many_entries((0.85, 0.2, 0.8), 74, contrarian="~no")

    assert "~no" in {item.voter for item in list_unusual(rates)}


def test_few_honest_voters_are_listed():
    listed = sum(len(list_unusual(many_entries((0.85, 0.2, 0.8), 75 + seed))) for seed in range(5))

    assert listed <= 3  # of a hundred


def test_guests_bots_and_authors_do_not_vote():
    events = [vote("a", "~guest", up=False), vote("b", "~author", up=False), vote("c", "~ann")]
    other = make_entry(name="pytorch/other")
    elsewhere = vote("d", "~author", up=False, entry=other.id)

    policy = Policy(barred=frozenset({"~guest"}), authors={ENTRY.id: frozenset({"~author"})})
    rates = replay([*events, elsewhere], [ENTRY, other], NOW, policy)

    assert rates.of(ENTRY, "s0").mean == mean_of(events[2:])
    assert rates.of(other, "s0").reports == 1
