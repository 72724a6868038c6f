"""An outage of the database: said once a minute, and what may be missing told once."""

from __future__ import annotations

import structlog

from bot.outage import SAY_SECONDS, Outage


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_a_failure_is_said_once_a_minute() -> None:
    clock = Clock()
    outage = Outage(clock)
    with structlog.testing.capture_logs() as logs:
        for _ in range(100):
            outage.note(OSError())
            outage.end()
        clock.time += SAY_SECONDS
        outage.note(OSError())

    assert [line["event"] for line in logs].count("database_unavailable") == 2


def test_what_may_be_missing_is_told_once_when_nobody_delivers_it_again() -> None:
    clock = Clock()
    outage = Outage(clock)
    assert outage.take_missed(300.0) is None

    outage.note(OSError(), 7)
    assert (outage.is_on, outage.size) == (True, 7)
    clock.time += 400.0
    assert outage.take_missed(300.0) is None

    outage.end()
    assert not outage.is_on
    outage.note(OSError())
    outage.end()

    assert outage.take_missed(300.0) == 1000.0
    assert outage.take_missed(300.0) is None


def test_a_short_outage_waits_for_the_last_retry() -> None:
    clock = Clock()
    outage = Outage(clock)
    outage.note(OSError())
    outage.end()
    clock.time += 299.0
    assert outage.take_missed(300.0) is None
    clock.time += 2.0

    assert outage.take_missed(300.0) == 1000.0
