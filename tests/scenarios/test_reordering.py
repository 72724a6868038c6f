"""Duplicates and reordering of deliveries change nothing."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from hypothesis import given, settings, strategies as st

from bot.delivery import Kind, read_delivery
from bot.view import standing_vote
from tests.scenarios.conftest import FOUNDING, set_stage, wait_worked
from tests.scenarios.small_kb import FOUNDING_ENTRY, build_kb

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from bot.localslack import Message
    from tests.scenarios.conftest import Stage

STEP = "check-connectivity-and-interface"
NAMES = ("+1", "thumbsup::skin-tone-3", "-1", "thumbsdown::skin-tone-5", "eyes")
PEOPLE = ("bob", "carol")
Act = tuple[str, str, bool]
acts = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(NAMES), st.booleans()), max_size=8
)


def make_event(stage: Stage, step: Message, act: Act, place: int) -> dict[str, object]:
    person, name, put = act
    return {
        "type": "event_callback",
        "team_id": step.team_id,
        "event_id": f"Ev{step.ts}-{place}",
        "event": {
            "type": "reaction_added" if put else "reaction_removed",
            "user": getattr(stage, person).id,
            "reaction": name,
            "item": {"type": "message", "channel": step.channel, "ts": step.ts},
            "event_ts": f"{float(step.ts) + place:.6f}",
        },
    }


def expect(history: list[Act], person: str) -> bool | None:
    """What the thumbs that stand at the end come to, told in the order in which they were given."""
    standing: dict[str, None] = {}
    for who, name, put in history:
        if who == person and name != "eyes":
            standing.pop(name, None)
            if put:
                standing[name] = None
    last = next(reversed(standing), None)
    return None if last is None else last.startswith(("+1", "thumbsup"))


async def check(folder: Path, history: list[Act], seed: int) -> None:
    async with set_stage("socket", folder, build_kb()) as stage, stage.running() as bot:
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        bodies = [make_event(stage, step, act, place) for place, act in enumerate(history)]
        deliveries = [read_delivery(Kind.EVENT, body) for body in (*bodies, *bodies)]
        random.Random(seed).shuffle(deliveries)
        for delivery in deliveries:
            await bot.inbox.accept(delivery)
        await wait_worked(bot)
        rates = await bot.core.ledger.rates(step.team_id)
        [incident] = {event.incident for event in rates.logs[FOUNDING_ENTRY]}
        for person in PEOPLE:
            voter = bot.core.ledger.mask(getattr(stage, person).id)
            vote = standing_vote(rates, incident, FOUNDING_ENTRY, STEP, voter)
            assert vote is expect(history, person)


def test_shuffled_and_doubled_reactions_come_to_the_same_votes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    @settings(max_examples=10, deadline=None, database=None)
    @given(history=acts, seed=st.integers(0, 2**16))
    def run(history: list[Act], seed: int) -> None:
        asyncio.run(check(tmp_path_factory.mktemp("bot"), history, seed))

    run()


def test_shuffled_and_doubled_posts_are_answered_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async def deliver(folder: Path, order: list[int]) -> None:
        async with set_stage("http", folder, build_kb()) as stage, stage.running():
            people = [stage.alice, stage.bob, stage.carol]
            stage.slack.hold()
            posts = [await stage.slack.post(p, stage.channel, FOUNDING) for p in people]
            stage.slack.release(lambda held: [held[place] for place in order])
            await stage.quiet()
            for post in posts:
                assert len(stage.bot_replies(post)) == 2

    @settings(max_examples=6, deadline=None, database=None)
    @given(st.permutations([0, 1, 2]), st.lists(st.integers(0, 2), max_size=4))
    def run(once: list[int], again: list[int]) -> None:
        asyncio.run(deliver(tmp_path_factory.mktemp("bot"), [*once, *again]))

    run()
