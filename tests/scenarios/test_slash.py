"""The slash command, its form and sharing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


async def test_an_error_is_answered_to_the_person_alone(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", FOUNDING)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))

        assert "stated 85 %" in answer.text
        assert not stage.roots()


async def test_a_text_with_the_word_payload_arrives_whole(stage: Stage) -> None:
    async with stage.running():
        text = f"payload=1 & payload corrupt\n{FOUNDING}\n<@U1> payload"
        await stage.slack.command(stage.alice, stage.channel, "/nccl", text)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))

        assert "stated 85 %" in answer.text


async def test_help_says_what_the_bot_can_do_and_opens_the_form(stage: Stage) -> None:
    async with stage.running():
        for text in ("", "help"):
            await stage.slack.command(stage.alice, stage.channel, "/nccl", text)
        shown = await stage.slack.wait_for(
            lambda: (m := stage.slack.ephemerals(stage.alice)) and len(m) == 2 and m
        )
        assert "Post an error in a channel" in shown[0].text
        await stage.slack.click(stage.alice, shown[0], "open_form")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.alice))
        await stage.slack.submit(stage.alice, form, {"text": {"text": FOUNDING}})
        answers = await stage.slack.wait_for(
            lambda: [m for m in stage.slack.ephemerals(stage.alice) if "stated 85 %" in m.text]
        )

        assert len(answers) == 1


async def test_an_empty_form_is_refused_in_the_form_itself(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", "")
        [shown] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.slack.click(stage.alice, shown, "open_form")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.alice))
        await stage.slack.submit(stage.alice, form, {})

        assert form.errors == {"text": "Paste an error or add a file."}


async def test_what_is_not_known_is_said_with_what_would_help(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", "my lunch is cold")
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))

        assert "I do not know this one" in answer.text
        assert "first" in answer.text


async def test_a_shared_answer_is_the_bots_own_message_with_its_step_below(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", FOUNDING)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.slack.click(stage.alice, answer, "share")
        await stage.quiet()
        [head] = stage.roots()
        [step] = stage.bot_replies(head)
        assert head.user == stage.app.bot_user_id
        assert step.text.startswith("*Step 1 of 3")
        await stage.slack.react(stage.bob, step, "-1")
        await stage.quiet()

        assert len(stage.bot_replies(head)) == 2
        assert "0 of 1 reports" in head.text


async def test_sharing_where_the_bot_is_not_says_how_to_invite_it(stage: Stage) -> None:
    async with stage.running():
        elsewhere = stage.slack.add_channel("elsewhere", [stage.alice])
        await stage.slack.command(stage.alice, elsewhere, "/nccl", FOUNDING)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.slack.click(stage.alice, answer, "share")
        told = await stage.slack.wait_for(
            lambda: [m for m in stage.slack.ephemerals(stage.alice) if "/invite" in m.text]
        )

        assert len(told) == 1
        stage.slack.invite(stage.app, elsewhere)
        for _ in range(2):
            await stage.slack.click(stage.alice, answer, "share")
            await stage.quiet()
        said = stage.slack.messages(elsewhere)
        own = [m for m in said if m.user == stage.app.bot_user_id and m.subtype is None]
        heads = [m for m in own if not m.text.startswith("Hello.")]

        assert [m.in_channel for m in heads if not m.visible_to] == [True, False]


async def test_buttons_of_a_private_answer_vote_and_bring_the_next_step(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", FOUNDING)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.slack.click(stage.alice, answer, "failed")
        await stage.quiet()
        [answer, thanks] = stage.slack.ephemerals(stage.alice)

        assert "0 of 1 reports" in answer.text
        assert "Step 2 of 3" in str(answer.blocks)
        assert "did not help" in thanks.text


async def test_a_private_answer_ends_with_what_is_left_to_do(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", FOUNDING)
        [answer] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        for place in range(3):
            assert "last step" not in answer.text
            votes = [e for e in stage.slack.elements(answer) if e["action_id"] == "failed"]
            await stage.slack.click(stage.alice, answer, "failed", str(votes[place]["value"]))
            await stage.quiet()
        assert "last step I know" in answer.text
        assert "last step I know" in str(answer.blocks)
        await stage.slack.click(stage.alice, answer, "solved_otherwise")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.alice))
        await stage.slack.submit(stage.alice, form, {"fix": {"fix": "a new cable"}})
        await stage.quiet()
        *_, told = stage.slack.ephemerals(stage.alice)

        assert told.text == "Recorded, thank you."
