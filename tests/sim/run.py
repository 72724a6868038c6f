"""Live through many incidents over the wire: posts, answers, thumbs, and a clock moved by hand."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.store import answers as store
from rules.load import KnowledgeBase
from rules.rank import GIVE_UP
from tests.scenarios.conftest import wait_worked
from tests.scenarios.evidence import set_late_stage
from tests.sim.world import draw_failures

if TYPE_CHECKING:
    from pathlib import Path

    from bot.localslack import Message, User
    from bot.store.answers import Answer
    from tests.scenarios.conftest import Stage
    from tests.sim.world import Failure

VOTE_RATE = 0.15
"""Chance that somebody votes on a step they tried."""
COMMON = 0.8
"""Part of the incidents that a fifth of the entries makes up: few causes, most failures."""
HOURS_APART = 8.0
"""Three incidents a day, so that the caps a day and a person do not bind by themselves."""
PEOPLE = 150
START = 1_796_083_200.0


@dataclass
class Told:
    """What one run came to, incident by incident."""

    learning: list[float] = field(default_factory=list)
    """Minutes lost against the oracle's order."""
    stated: list[float] = field(default_factory=list)
    """Minutes lost by who never learns, on the same incidents."""
    agrees: list[bool] = field(default_factory=list)
    """Whether the first step is the oracle's, or as good within a tenth."""
    votes: int = 0
    tries: int = 0

    @property
    def ratio(self) -> float:
        """Regret of learning by that of never learning."""
        return sum(self.learning) / sum(self.stated)

    def ratio_late(self, part: float = 0.25) -> float:
        """Do the same for the last part."""
        cut = int(len(self.learning) * (1.0 - part))
        return sum(self.learning[cut:]) / sum(self.stated[cut:])


async def live(
    folder: Path,
    *,
    seed: int,
    incidents: int,
    entries: int,
    vote_rate: float = VOTE_RATE,
) -> Told:
    """Live through `incidents`, four fifths of which are of a fifth of the entries."""
    rng = random.Random(f"sim-{seed}")
    failures = draw_failures(rng, entries)
    common = max(1, entries // 5)
    shares = (COMMON / common, (1.0 - COMMON) / (entries - common))
    weights = [shares[place >= common] for place in range(entries)]
    kb = KnowledgeBase({failure.entry.id: failure.entry for failure in failures}, "simulated0")
    told = Told()
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
    rng, vote_rate = chance
    pass_time(stage, HOURS_APART * 3600.0)
    post = await stage.slack.post(person, stage.channel, failure.text)
    await settle(stage)
    head = stage.bot_replies(post)[0]
    answer = await find_answer(stage, post)
    order = [step for step in answer.steps if step in failure.true]
    best = failure.expect(failure.best_order)
    told.learning.append(failure.expect(order) - best)
    told.stated.append(failure.expect(failure.stated_order) - best)
    told.agrees.append(told.learning[-1] <= 0.1 * best)
    fixes = {step.id for step in failure.fixes}
    for step in order:
        if step not in fixes:
            continue
        worked = rng.random() < failure.true[step]
        told.tries += 1
        if rng.random() < vote_rate:
            told.votes += 1
            await vote(stage, person, head, answer, step, worked=worked)
        if worked or rng.random() < GIVE_UP:
            return


async def vote(
    stage: Stage, person: User, head: Message, answer: Answer, step: str, *, worked: bool
) -> None:
    """Thumb on the step's own message, or where that was not brought, among all steps."""
    action, value = ("worked" if worked else "failed"), f"{answer.id}|{step}"
    thread = [m for m in stage.slack.messages(stage.channel) if m.thread_ts == head.thread_ts]
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
