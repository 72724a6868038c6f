"""The question to the poster, a day later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from bot.localslack import ManualClock
from rules.entry import StepKind
from rules.load import KnowledgeBase
from tests.scenarios.conftest import FOUNDING, Stage, set_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Message

DAY = 86_400.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(time.time())


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase, clock: ManualClock) -> AsyncIterator[Stage]:
    """A workspace whose clock is moved by hand."""
    async with set_stage("socket", tmp_path, kb, clock=clock) as made:
        yield made


async def pass_days(stage: Stage, clock: ManualClock, days: float) -> None:
    await stage.quiet()
    clock.advance(days * DAY)
    assert stage.bot is not None
    await stage.bot.chores.do_due()
    await stage.quiet()


def questions(stage: Stage, post: Message) -> list[Message]:
    return [m for m in stage.bot_replies(post) if "sked_worked" in str(m.blocks)]


async def test_the_poster_is_asked_once_and_a_press_is_a_vote(
    late: Stage, clock: ManualClock
) -> None:
    async with late.running():
        post = await late.slack.post(late.alice, late.channel, FOUNDING)
        head, _ = await late.answered(post)
        await pass_days(late, clock, 0.9)
        assert questions(late, post) == []
        await pass_days(late, clock, 0.2)
        [question] = questions(late, post)
        assert question.text.startswith(f"<@{late.alice.id}> did step 1 help?")
    async with late.running():
        await pass_days(late, clock, 0.5)
        await pass_days(late, clock, 5)
        assert len(questions(late, post)) == 1
        await late.slack.click(late.alice, question, "asked_worked")
        await late.quiet()

        assert "1 of 1 reports" in head.text
        assert "answered for step 1" in question.text
        assert questions(late, post) == []


async def test_a_press_of_it_did_not_brings_the_next_step(late: Stage, clock: ManualClock) -> None:
    async with late.running():
        post = await late.slack.post(late.alice, late.channel, FOUNDING)
        await late.answered(post)
        await pass_days(late, clock, 1.1)
        [question] = questions(late, post)
        await late.slack.click(late.alice, question, "asked_failed")
        await late.quiet()

        assert any(m.text.startswith("*Step 2 of 3") for m in late.bot_replies(post))


async def test_nobody_is_asked_where_somebody_voted_or_the_answer_is_gone(
    late: Stage, clock: ManualClock
) -> None:
    async with late.running():
        people = [late.slack.add_user(f"poster{n}") for n in range(4)]
        late.channel.members.extend(user.id for user in people)
        posts = []
        for user in people:
            posts.append(await late.slack.post(user, late.channel, FOUNDING))
            await late.answered(posts[-1])
            clock.advance(10)
        voted, dismissed, deleted, headless = posts
        heads = [late.bot_replies(post)[0] for post in posts]
        await late.slack.react(late.bob, late.bot_replies(voted)[1], "+1")
        await late.slack.click(people[1], heads[1], "dismiss")
        await late.quiet()
        await late.slack.delete(deleted)
        await late.slack.delete(heads[3])
        await pass_days(late, clock, 1.1)

        assert [questions(late, post) for post in (voted, dismissed, headless)] == [[], [], []]
        assert not [m for m in late.slack.messages(late.channel) if "asked_worked" in str(m.blocks)]


async def test_nobody_is_asked_whether_a_check_helped(late: Stage, clock: ManualClock) -> None:
    entry = late.kb.entries[FOUNDING_ENTRY]
    checks = [step.model_copy(update={"kind": StepKind.EVIDENCE}) for step in entry.workarounds]
    for steps, asked in ((checks, None), ([checks[0], *entry.workarounds[1:]], "step 2")):
        changed = entry.model_copy(update={"workarounds": tuple(steps)})
        late.kb = KnowledgeBase({FOUNDING_ENTRY: changed}, "1")
        async with late.running():
            post = await late.slack.post(late.alice, late.channel, FOUNDING)
            await late.answered(post)
            await pass_days(late, clock, 1.1)
            told = [question.text for question in questions(late, post)]
            await pass_days(late, clock, 1.1)

        assert len(told) == (asked is not None)
        assert all(f"did {asked} help?" in text for text in told)


async def test_the_question_can_be_switched_off(late: Stage, clock: ManualClock) -> None:
    async with late.running(ask_poster=False):
        post = await late.slack.post(late.alice, late.channel, FOUNDING)
        await late.answered(post)
        await pass_days(late, clock, 1.1)

        assert questions(late, post) == []


async def test_after_a_long_rest_nobody_is_asked_about_old_answers(
    late: Stage, clock: ManualClock
) -> None:
    async with late.running():
        post = await late.slack.post(late.alice, late.channel, FOUNDING)
        await late.answered(post)
        await pass_days(late, clock, 4)

        assert questions(late, post) == []
