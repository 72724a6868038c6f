"""Jobs that succeed after their failure was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.scenarios.conftest import FOUNDING
from tests.scenarios.evidence import BURST, DAY, advance, mean_of, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

STEP = "check-connectivity-and-interface"
TOKEN = "an-example-token"


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb) as made:
        yield made


def options(stage: Stage, outcomes: str) -> dict[str, Any]:
    return {
        "webhook_channel": stage.channel.id,
        "webhook_token": TOKEN,
        "outcomes": outcomes,
        "ask_poster": False,
    }


async def send(stage: Stage, **body: object) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    status, _ = await stage.post("/hooks/generic", json=body, headers=headers)
    assert status == 202
    await stage.quiet()


async def fail_and_succeed(stage: Stage, jobs: range) -> None:
    """Each job fails, is answered, and succeeds half a day later."""
    for job in jobs:
        await advance(stage, BURST)
        await send(stage, job={"id": f"j{job}", "cluster": "a"}, error=FOUNDING)
        await advance(stage, DAY / 2)
        for _ in range(2):
            await send(stage, job={"id": f"j{job}", "cluster": "a"}, status="succeeded")


async def count_outcomes(stage: Stage) -> int:
    assert stage.bot is not None
    rates = await stage.bot.core.ledger.rates(stage.slack.team.id)
    return sum(type(e).__name__ == "Outcome" for log in rates.logs.values() for e in log)


@pytest.mark.parametrize(("outcomes", "noted"), [("off", 0), ("record", 4), ("count", 4)])
async def test_jobs_that_succeed_are_noted_and_counted_only_where_that_is_wanted(
    late: Stage, outcomes: str, noted: int
) -> None:
    async with late.running(**options(late, outcomes)):
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        await fail_and_succeed(late, range(4))
        after = await mean_of(late, FOUNDING_ENTRY, STEP)

        assert await count_outcomes(late) == noted
        assert (after > before) is (outcomes == "count")


async def test_what_was_noted_counts_once_that_is_switched_on_and_not_after(late: Stage) -> None:
    async with late.running(**options(late, "record")):
        await fail_and_succeed(late, range(4))
        noted = await mean_of(late, FOUNDING_ENTRY, STEP)
    async with late.running(**options(late, "count")):
        assert await mean_of(late, FOUNDING_ENTRY, STEP) > noted
    async with late.running(**options(late, "record")):
        assert await mean_of(late, FOUNDING_ENTRY, STEP) == pytest.approx(noted)


async def test_only_the_job_itself_counts(late: Stage) -> None:
    async with late.running(**options(late, "count")):
        await send(late, job={"id": "7", "cluster": "a"}, error=FOUNDING)
        await advance(late, BURST)
        for body in (
            {"job": {"id": "7", "cluster": "b"}, "status": "succeeded"},
            {"job": {"id": "8", "cluster": "a"}, "status": "succeeded"},
            {"job": {"id": "7", "cluster": "a"}, "status": "running"},
        ):
            await send(late, **body)
        assert await count_outcomes(late) == 0
        await advance(late, 20 * DAY)
        await send(late, job={"id": "7", "cluster": "a"}, status="succeeded")

        assert await count_outcomes(late) == 0
