"""What the scenarios about rates share: a clock moved by hand, many posters, and the commands."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.cli import evidence
from bot.localslack import ManualClock, Timing
from tests.scenarios.conftest import FOUNDING, Stage, poll, set_stage, wait_worked

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import AsyncIterator
    from pathlib import Path
    from types import ModuleType
    from typing import Any

    import pytest

    from bot.localslack import Message, User
    from rules.load import KnowledgeBase

DAY = 86_400.0
BURST = 10.0
"""Seconds after which the outbox may post as much again."""


@asynccontextmanager
async def set_late_stage(
    folder: Path, kb: KnowledgeBase, at: float | None = None
) -> AsyncIterator[Stage]:
    """A workspace whose clock is moved by hand."""
    clock = ManualClock(time.time() if at is None else at)
    # Over HTTP no connection ages, and time let pass is no missing acknowledgement.
    timing = Timing(ack=1e9)
    async with set_stage("http", folder, kb, timing, clock) as made:
        yield made


async def advance(stage: Stage, seconds: float) -> None:
    """Move time on once everything is quiet, and have what is due done."""
    await calm(stage)
    assert stage.clock is not None
    assert stage.bot is not None
    stage.clock.advance(seconds)
    await stage.bot.chores.do_due()
    await calm(stage)


async def calm(stage: Stage) -> None:
    """Until nothing is on its way, while time goes by: messages to one channel are paced."""

    async def is_calm() -> bool:
        assert stage.clock is not None
        assert stage.bot is not None
        await wait_worked(stage.bot)
        if await stage.bot.core.outbox.is_empty():
            return True
        stage.clock.advance(1)
        stage.bot.core.outbox.wake()
        return False

    await stage.slack.settled()
    await poll(is_calm)
    await stage.quiet()


async def fail_anew(stage: Stage, user: User | None = None, text: str = FOUNDING) -> list[Message]:
    """A failure of its own: another person's job, well after the last one. Head and first step."""
    if user is None:
        user = stage.slack.add_user(f"poster{stage.slack.world.count('poster')}")
    if user.id not in stage.channel.members:
        stage.channel.members.append(user.id)
    await advance(stage, BURST)
    post = await stage.slack.post(user, stage.channel, text)
    return (await stage.answered(post))[:2]


async def run_command(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, module: ModuleType, *words: str
) -> int:
    """Run a command of the terminal on the stage's database, beside a bot that may be running."""
    import argparse

    parser: ArgumentParser = argparse.ArgumentParser()
    module.register(parser.add_subparsers(dest="command"))
    name = module.__name__.rpartition(".")[2]
    chosen = parser.parse_args([name, *words])
    monkeypatch.setenv("NCCL_BOT_DATA_DIR", str(stage.folder))
    monkeypatch.setattr(evidence, "load_kb", lambda arguments: stage.kb)
    return await asyncio.to_thread(chosen.handle, chosen)


async def mean_of(stage: Stage, entry: str, step: str, **options: Any) -> float:
    assert stage.bot is not None
    rates = await stage.bot.core.ledger.rates(stage.slack.team.id)
    return rates.of(entry, step).mean
