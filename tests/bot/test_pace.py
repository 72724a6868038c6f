"""How fast messages may go."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from bot.pace import BURST, LONGEST, PER_SECOND, name_bucket, pause, take, wait


def test_a_burst_goes_at_once_and_then_one_a_second() -> None:
    full = 0.0
    for _ in range(int(BURST)):
        assert wait("post", full, 10.0) == 0
        full = take("post", full, 10.0)

    assert wait("post", full, 10.0) == 1.0
    assert wait("post", full, 10.25) == 0.75
    assert wait("post", full, 11.0) == 0


@settings(max_examples=100)
@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=30))
def test_no_stretch_of_time_holds_more_than_a_burst_and_one_a_second(gaps: list[float]) -> None:
    now, full = 1000.0, 0.0
    sent = []
    for gap in gaps:
        now += gap
        now += wait("post", full, now)
        full = take("post", full, now)
        sent.append(now)

    for first in range(len(sent)):
        for last in range(first, len(sent)):
            span = sent[last] - sent[first]
            assert last - first + 1 <= BURST + span * PER_SECOND + 1e-6


def test_private_messages_share_the_bucket_of_posts_and_edits_do_not() -> None:
    assert name_bucket("ephemeral") == name_bucket("post")
    assert name_bucket("update") != name_bucket("post")
    assert take("update", 0.0, 10.0) == 0.0


def test_after_a_pause_one_message_may_go() -> None:
    for method in ("post", "update"):
        full = pause(method, 30.0, 100.0)
        assert wait(method, full, 100.0) == 30.0
        assert wait(method, full, 130.0) == 0

    full = take("post", pause("post", 30.0, 100.0), 130.0)
    assert wait("post", full, 130.0) == 1.0


def test_a_clock_that_was_set_back_stops_nothing() -> None:
    full = take("post", pause("post", 10 * LONGEST, 1e6), 1e6)

    assert wait("post", full, 0.0) == 0
    assert take("post", full, 0.0) == 1.0
