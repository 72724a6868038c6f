"""How fast messages may go."""

from __future__ import annotations

from bot.pace import Pace


def test_a_burst_goes_at_once_and_then_one_a_second() -> None:
    pace = Pace(burst=2)
    for _ in range(2):
        assert pace.wait("T", "C", "post", 0.0) == 0
        pace.take("T", "C", "post", 0.0)

    assert pace.wait("T", "C", "post", 0.0) == 1.0
    assert pace.wait("T", "C", "post", 0.25) == 0.75
    assert pace.wait("T", "C", "post", 1.0) == 0


def test_channels_and_edits_do_not_wait_for_each_other() -> None:
    pace = Pace(burst=1)
    pace.take("T", "C", "post", 0.0)

    assert pace.wait("T", "D", "post", 0.0) == 0
    assert pace.wait("T", "C", "update", 0.0) == 0
    assert pace.wait("U", "C", "post", 0.0) == 0


def test_a_pause_holds_one_method_of_one_channel() -> None:
    pace = Pace()
    pace.pause("T", "C", "update", 30.0)

    assert pace.wait("T", "C", "update", 10.0) == 20.0
    assert pace.wait("T", "C", "post", 10.0) == 0
    assert pace.wait("T", "D", "update", 10.0) == 0


def test_a_clock_set_back_neither_pays_nor_stops() -> None:
    pace = Pace(burst=1)
    pace.take("T", "C", "post", 100.0)

    assert pace.wait("T", "C", "post", 50.0) == 1.0
