"""A database that takes nothing: said, not acknowledged, and made up for when it takes again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
import structlog

from bot import catchup
from bot.localslack import Timing
from tests.scenarios.conftest import FOUNDING, poll, set_stage
from tests.scenarios.test_health import fetch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

LONG = f"{FOUNDING}\n" + "all is well\n" * 1000
"""A post that no page of the database has room for."""
PAGES = 1 << 30


@contextmanager
def full_disk(stage: Stage) -> Iterator[None]:
    """No page more than the database has by now."""
    assert stage.bot is not None
    engine = stage.bot.core.database.engine.sync_engine
    most = 1

    def limit(connection: Any, *_: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA max_page_count={most}")
        cursor.close()

    sa.event.listen(engine, "checkout", limit)
    yield
    most = PAGES


async def wait_ready(stage: Stage, status: int) -> None:
    async def is_so() -> bool:
        return (await fetch(stage, "/readyz"))[0] == status

    await poll(is_so)


@pytest.mark.parametrize("transport", ["socket", "http"])
async def test_what_could_not_be_stored_comes_again(
    transport: str, tmp_path: Path, kb: KnowledgeBase
) -> None:
    timing = Timing(ack=0.3, retries=(0.1,) * 1000)
    async with set_stage(transport, tmp_path, kb, timing) as stage, stage.running():
        with structlog.testing.capture_logs() as logs, full_disk(stage):
            post = await stage.slack.post(stage.alice, stage.channel, LONG)
            await wait_ready(stage, 503)

            async def came_again() -> bool:
                return any(len(each.failures) > 2 for each in stage.slack.deliveries)

            await poll(came_again)
            assert not stage.bot_replies(post)
        await stage.answered(post)
        await wait_ready(stage, 200)

        said = [line for line in logs if line["event"] == "database_unavailable"]
        assert [line["code"] for line in said] == ["SQLITE_FULL"]
        assert len(stage.bot_replies(post)) == 2


@pytest.mark.parametrize("transport", ["socket", "http"])
async def test_what_slack_gave_up_meanwhile_is_read_from_the_channel(
    transport: str, tmp_path: Path, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catchup, "GAP", 0.5)
    monkeypatch.setattr(catchup, "PERIOD", 0.1)
    timing = Timing(ack=0.3, retries=())
    async with set_stage(transport, tmp_path, kb, timing) as stage, stage.running():
        await stage.slack.post(stage.bob, stage.channel, "hello")
        await stage.quiet()
        with full_disk(stage):
            post = await stage.slack.post(stage.alice, stage.channel, LONG)
            await wait_ready(stage, 503)
        # Nothing comes in meanwhile that would show that the disk has room again.
        await wait_ready(stage, 200)
        await stage.answered(post)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2
