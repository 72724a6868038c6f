"""SIGKILL at any moment: acknowledged votes are kept, acknowledged posts answered once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import sqlalchemy as sa

from bot.localslack import Timing
from bot.store import inbox, outbox
from bot.store.database import Database
from bot.store.tables import events
from tests.scenarios.conftest import FOUNDING, poll, set_stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

ROUNDS = 3


@asynccontextmanager
async def process(stage: Stage) -> AsyncIterator[asyncio.subprocess.Process]:
    """The bot in a process of its own, connected; killed at the end if it still runs."""
    environment = {
        **os.environ,
        "SLACK_BOT_TOKEN": stage.app.bot_token,
        "SLACK_APP_TOKEN": stage.app.app_token,
        "NCCL_BOT_SLACK_API_URL": stage.slack.base_url,
        "NCCL_BOT_DATA_DIR": str(stage.folder),
        "NCCL_BOT_PORT": "0",
    }
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.scenarios.bot_process", env=environment
    )
    try:
        await stage.slack.connected(stage.app, timeout=60)
        yield running
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGKILL)
        await running.wait()
        await poll_gone(stage)


async def poll_gone(stage: Stage) -> None:
    async def is_gone() -> bool:
        return not stage.slack.socket.links[stage.app.id]

    await poll(is_gone)


async def drain(stage: Stage) -> None:
    """Until the database of the running process holds no work."""
    database = Database(f"sqlite+aiosqlite:///{stage.folder / 'nccl-bot.db'}")

    async def is_idle() -> bool:
        async with database.read() as connection:
            waiting = await inbox.count_waiting(connection)
            return not waiting and not await outbox.count_pending(connection)

    await stage.slack.settled(timeout=60)
    await poll(is_idle)
    await database.close()


async def voters(stage: Stage) -> set[str]:
    database = Database(f"sqlite+aiosqlite:///{stage.folder / 'nccl-bot.db'}")
    async with database.read() as connection:
        rows = await connection.execute(sa.select(events.c.voter).where(events.c.type == "vote"))
        found = {row.voter for row in rows}
    await database.close()
    return found


async def test_nothing_acknowledged_is_lost_or_said_twice(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    timing = Timing(retries=(0.0, 0.5, 2.0))
    async with set_stage("socket", tmp_path, kb, timing) as stage:
        await kill_and_check(stage, random.Random(7))


async def kill_and_check(stage: Stage, chance: random.Random) -> None:
    posts: list[Message] = []
    for number in range(ROUNDS):
        async with process(stage):
            for step in [m for m in stage.slack.messages(stage.channel) if "*Step 1" in m.text]:
                voter = stage.slack.add_user(f"voter{number}-{step.ts}")
                stage.channel.members.append(voter.id)
                await stage.slack.react(voter, step, "+1")
            for place in range(3):
                poster = stage.slack.add_user(f"poster{number}-{place}")
                stage.channel.members.append(poster.id)
                posts.append(await stage.slack.post(poster, stage.channel, FOUNDING))
            # Somewhere between the first acknowledgement and the last edit of a head.
            await asyncio.sleep(chance.uniform(0.0, 0.6))
    async with process(stage) as running:
        await drain(stage)
        acknowledged = [d.event for d in stage.slack.deliveries if d.acknowledged]
        running.send_signal(signal.SIGTERM)
        assert await running.wait() == 0
    answered = {e["ts"] for e in acknowledged if e.get("type") == "message"}
    voted = {e["user"] for e in acknowledged if e.get("type") == "reaction_added"}

    assert answered
    for post in posts:
        replies = stage.bot_replies(post)
        assert len(replies) == (2 if post.ts in answered else len(replies)), post.ts
        assert len(replies) <= 2
    assert voted <= await voters(stage)
