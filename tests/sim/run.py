"""Live through many incidents over the wire: posts, answers, thumbs, and a clock moved by hand."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.store import answers as store
from rules.load import KnowledgeBase
from tests.scenarios.conftest import wait_worked
from tests.scenarios.evidence import set_late_stage
from tests.sim.told import Told
from tests.sim.world import (
    HOURS_APART,
    PEOPLE,
    START,
    VOTE_RATE,
    draw_failures,
    make_failures,
    weigh_failures,
)

if TYPE_CHECKING:
    from pathlib import Path

    from bot.localslack import Message, User
    from bot.store.answers import Answer
    from tests.scenarios.conftest import Stage
    from tests.sim.world import Failure


async def live(
    folder: Path,
    *,
    seed: int,
    incidents: int,
    entries: int,
    vote_rate: float = VOTE_RATE,
    made_up: bool = False,
) -> Told:
    """Live through `incidents`, four fifths of which are of a fifth of the entries.

    The entries are shipped ones, or `made_up`.
    """
    rng = random.Random(f"sim-{seed}")
    failures = (make_failures if made_up else draw_failures)(rng, entries)
    weights = weigh_failures(failures)
    kb = KnowledgeBase({failure.entry.id: failure.entry for failure in failures}, "simulated0")
    told = Told(seed)
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(set_late_stage(folder, kb, START))
        people = [stage.slack.add_user(f"person{number}") for number in range(PEOPLE)]
        stage.channel.members.extend(person.id for person in people)
        # Samples name the same hosts each time, which would tie one day's failures together.
        running = stage.running(ask_poster=False, incident_hours=1.0)
        await stack.enter_async_context(running)
        for number in range(incidents):
            failure = rng.choices(failures, weights)[0]
            person = people[number % PEOPLE]
            await _live_one(stage, failure, person, told, (rng, vote_rate))
            # What was delivered is looked through at each change.
            stage.slack.deliveries.clear()
    return told


async def _live_one(
    stage: Stage,
    failure: Failure,
    person: User,
    told: Told,
    chance: tuple[random.Random, float],
) -> None:
    """One incident: the steps in the order shown, until one works or the person gives up."""
    pass_time(stage, HOURS_APART * 3600.0)
    post = await stage.slack.post(person, stage.channel, failure.text)
    await settle(stage)
    head = stage.bot_replies(post)[0]
    answer = await find_answer(stage, post)
    order = [step for step in answer.steps if step in failure.true]
    failure.note(order, told)
    for each in failure.try_out(order, *chance, told):
        if each.voted:
            await vote(stage, person, head, answer, each.step, worked=each.worked)


async def vote(
    stage: Stage, person: User, head: Message, answer: Answer, step: str, *, worked: bool
) -> None:
    """Thumb on the step's own message, or where that was not brought, among all steps."""
    action, value = ("worked" if worked else "failed"), f"{answer.id}|{step}"
    said = [m for m in stage.slack.messages(stage.channel) if m.visible_to is None]
    thread = [m for m in said if m.thread_ts == head.thread_ts]
    target = next((m for m in thread if value in str(m.blocks)), None)
    if target is not None:
        await stage.slack.react(person, target, "+1" if worked else "-1")
    else:
        await stage.slack.click(person, head, "show_all")
        await settle(stage)
        whole = stage.slack.ephemerals(person)[-1]
        await stage.slack.click(person, whole, action, value)
    await settle(stage)


async def find_answer(stage: Stage, post: Message) -> Answer:
    assert stage.bot is not None
    async with stage.bot.core.database.read() as connection:
        found = await store.find_in_thread(connection, post.team_id, post.channel, post.ts)
    assert found is not None
    return found


async def settle(stage: Stage) -> None:
    """Until the bot has worked and sent everything, a second a look passing on the clock."""
    assert stage.bot is not None
    await stage.slack.settled()
    await wait_worked(stage.bot)
    begun = time.monotonic()
    while not await stage.bot.core.outbox.is_empty():
        pass_time(stage, 1.0)
        await asyncio.sleep(0.01)
        if time.monotonic() - begun > 120:
            raise TimeoutError("the outbox does not empty")
    await stage.slack.settled()
    await wait_worked(stage.bot)


def pass_time(stage: Stage, seconds: float) -> None:
    assert stage.clock is not None
    assert stage.bot is not None
    stage.clock.advance(seconds)
    stage.bot.core.outbox.wake()
