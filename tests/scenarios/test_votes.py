"""Thumbs and buttons on steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from bot.localslack import Message
    from tests.scenarios.conftest import Stage

GLOO = "Switch to the Gloo backend"
CONNECTIVITY = "Check connectivity"


def first_step(text: str) -> str:
    """The line of the step that the head puts first."""
    return next(line for line in text.splitlines() if line.startswith("1. "))


async def post_error(stage: Stage, number: int) -> list[Message]:
    """A failure of its own: another person's job."""
    user = stage.slack.add_user(f"poster{number}")
    stage.channel.members.append(user.id)
    post = await stage.slack.post(user, stage.channel, FOUNDING)
    return await stage.answered(post)


async def test_a_thumb_down_brings_the_next_step_once(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "-1")
        replies = await stage.answered(post, 3)
        await stage.slack.react(stage.carol, step, "thumbsdown")
        await stage.quiet()

        assert GLOO in replies[2].text
        assert len(stage.bot_replies(post)) == 3


async def test_a_thumb_up_is_shown_in_the_head_and_taken_back_with_it(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        before = head.text
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()
        assert "Step 1 worked, says bob." in head.text
        assert "stated 85 %, 1 of 1 reports" in head.text
        await stage.slack.unreact(stage.bob, step, "+1")
        await stage.quiet()

        assert head.text == before


async def test_one_incident_does_not_reorder_and_three_do_until_taken_back(stage: Stage) -> None:
    async with stage.running():
        steps = []
        for number in range(4):
            head, step = await post_error(stage, number)
            assert CONNECTIVITY in first_step(head.text), f"after {number} incidents"
            for voter in (stage.bob, stage.carol):
                await stage.slack.react(voter, step, "-1")
            steps.append(step)
            await stage.quiet()
            if number == 2:
                break
        head, _ = await post_error(stage, 10)
        assert GLOO in first_step(head.text)
        for voter in (stage.bob, stage.carol):
            await stage.slack.unreact(voter, steps[0], "-1")
        await stage.quiet()
        head, _ = await post_error(stage, 11)

        assert CONNECTIVITY in first_step(head.text)


async def test_buttons_vote_and_can_be_taken_back(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(stage.bob, step, "worked")
        await stage.quiet()
        assert "1 of 1 reports" in head.text
        [thanks] = stage.slack.ephemerals(stage.bob)
        await stage.slack.click(stage.bob, thanks, "undo")
        await stage.quiet()

        assert "reports" not in head.text


async def test_a_thumb_down_on_the_head_asks_back_and_is_no_vote_on_a_step(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.react(stage.bob, head, "-1")
        question = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.bob))
        await stage.quiet()
        assert "wrong diagnosis, or did the step fail" in question[0].text
        assert "reports" not in head.text
        await stage.slack.click(stage.bob, question[0], "blame_step")
        await stage.answered(post, 3)
        await stage.quiet()

        assert "stated 85 %, 0 of 1 reports" in head.text


async def test_guests_and_bots_do_not_vote(stage: Stage) -> None:
    async with stage.running():
        guest = stage.slack.add_user("guest", guest=True)
        robot = stage.slack.add_bot("robot")
        stage.channel.members.extend([guest.id, robot.id])
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        for voter in (guest, robot):
            await stage.slack.react(voter, step, "+1")
        await stage.quiet()

        assert "reports" not in head.text


async def test_votes_survive_a_restart(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()
    async with stage.running():
        head, _ = await post_error(stage, 1)

        assert "stated 85 %, 1 of 1 reports" in head.text


async def test_a_person_has_one_vote_with_any_number_of_thumbs(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        for name in ("+1", "+1::skin-tone-4"):
            await stage.slack.react(stage.bob, step, name)
        await stage.slack.click(stage.bob, step, "worked")
        await stage.quiet()
        assert "1 of 1 reports" in head.text
        assert "says bob" in head.text
        await stage.slack.unreact(stage.bob, step, "+1")
        await stage.quiet()

        assert "1 of 1 reports" in head.text
