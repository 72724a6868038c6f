"""Who asks the bot about what stands elsewhere: in the thread, just above, or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.store.channels import ChannelSettings, write_channel
from bot.store.tables import answers
from tests.scenarios.conftest import FOUNDING
from tests.scenarios.test_changed_posts import list_rows
from tests.scenarios.test_conversation import OOM, WRAPPER
from tests.scenarios.test_files import link_to

if TYPE_CHECKING:
    from bot.localslack import Message
    from tests.scenarios.conftest import Stage

UNKNOWN = "FrobnicationError: widget 17 is upside down"


async def set_mode(stage: Stage, mode: str) -> None:
    assert stage.bot is not None
    async with stage.bot.core.database.write() as connection:
        team, channel = stage.app.home.team_id, stage.channel.id
        await write_channel(connection, team, channel, ChannelSettings(mode=mode))


async def answer_only_when_asked(stage: Stage) -> None:
    await set_mode(stage, "asked")


async def ask(stage: Stage, words: str, *, below: Message | None) -> Message:
    text = f"<@{stage.app.bot_user_id}> {words}"
    return await stage.slack.post(stage.bob, stage.channel, text, thread=below)


async def test_a_question_below_an_error_is_about_the_error(stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        post = await stage.slack.post(stage.alice, stage.channel, f"look:\n{FOUNDING}")
        await stage.quiet()
        assert not stage.bot_replies(post)
        await ask(stage, "what is this?", below=post)
        head, step = await stage.answered(post)
        await ask(stage, "thanks!", below=post)
        await stage.quiet()

        assert "Line 2: " in head.text
        assert step.text.startswith("*Step 1 of 3")
        assert len(stage.bot_replies(post)) == 2
        # It is the poster's failure, and theirs to dismiss.
        await stage.slack.click(stage.alice, head, "dismiss")
        await stage.quiet()
        assert "Dismissed" in head.text


async def test_the_whole_thread_is_read_and_the_cause_found(stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        post = await stage.slack.post(stage.alice, stage.channel, f"it ends so: {WRAPPER}")
        await stage.slack.post(stage.alice, stage.channel, f"rank 3 says {OOM}", thread=post)
        await ask(stage, "and now?", below=post)
        head, _ = await stage.answered(post)

        assert "out of memory" in head.text.lower()


@pytest.mark.parametrize("where", ["root", "reply", "below a wrapper", "a link"])
async def test_a_log_file_in_the_thread_is_read(where: str, stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        if where == "root":
            post = await stage.slack.upload(
                stage.alice, stage.channel, "rank0.log", FOUNDING.encode()
            )
        elif where == "a link":
            infra = stage.slack.add_channel("infra", [stage.alice, stage.carol, stage.app])
            log = await stage.slack.upload(stage.alice, infra, "rank0.log", FOUNDING.encode())
            words = f"died: {await link_to(stage, log)}"
            post = await stage.slack.post(stage.carol, stage.channel, words)
        else:
            words = WRAPPER if where == "below a wrapper" else "job 17 died, log below"
            post = await stage.slack.post(stage.alice, stage.channel, words)
            await stage.slack.upload(
                stage.alice, stage.channel, "rank0.log", FOUNDING.encode(), thread=post
            )
        await ask(stage, "any idea?", below=post)

        assert len(await stage.answered(post)) == 2


async def test_a_question_right_after_the_error_is_about_it(stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        question = await ask(stage, "do you know this?", below=None)
        head, _ = await stage.answered(question)

        assert "AllReduce" in head.text


async def test_a_question_right_after_an_answered_error_needs_no_second_answer(
    stage: Stage,
) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.answered(post)
        question = await ask(stage, "do you know this?", below=None)
        await stage.quiet()

        assert not stage.bot_replies(question)
        assert len(stage.bot_replies(post)) == 2


async def test_what_nobody_knows_is_said_below_a_thread_and_below_an_answer(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, UNKNOWN)
        await ask(stage, "help?", below=post)
        [line] = await stage.answered(post, 1)
        assert "I do not know this one" in line.text
        other = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(other)
        await ask(stage, UNKNOWN, below=other)
        *_, line = await stage.answered(other, 3)

        assert "I do not know this one" in line.text


async def test_who_greets_the_bot_or_asks_for_help_is_told_what_it_can_do(stage: Stage) -> None:
    async with stage.running():
        direct = stage.slack.dm(stage.alice, stage.app)
        posts = [
            await ask(stage, "", below=None),
            await ask(stage, "help?", below=None),
            await stage.slack.post(stage.alice, direct, "Hello!"),
        ]
        for post in posts:
            [line] = await stage.answered(post, 1)
            assert "I recognise errors of distributed training" in line.text
        await stage.slack.delete(posts[0])
        await stage.quiet()

        assert not stage.bot_replies(posts[0])


async def test_what_was_asked_about_and_deleted_is_quoted_no_more(stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        post = await stage.slack.post(stage.alice, stage.channel, f"gpu-node-17: {FOUNDING}")
        await ask(stage, "what is this?", below=post)
        head, _ = await stage.answered(post)
        assert "gpu-node-17" in head.text
        await stage.slack.delete(post)
        await stage.quiet()

        shown = "".join(m.text + str(m.blocks) for m in stage.bot_replies(post))
        kept = await list_rows(stage, answers)

        assert "gpu-node-17" not in shown + str([row.facts for row in kept])
        assert "RuntimeError" not in shown


async def test_an_edit_of_what_was_asked_about_changes_the_answer(stage: Stage) -> None:
    async with stage.running():
        await answer_only_when_asked(stage)
        post = await stage.slack.post(stage.alice, stage.channel, f"gpu-node-17: {FOUNDING}")
        question = await ask(stage, "what is this?", below=post)
        head, _ = await stage.answered(post)
        await stage.slack.edit(post, f"{FOUNDING}\nPyTorch version: 2.4.1")
        await stage.slack.wait_for(lambda: "PyTorch 2.4.1" in head.text)
        assert "gpu-node-17" not in head.text
        await stage.slack.edit(post, OOM)
        await stage.slack.wait_for(lambda: "out of memory" in head.text.lower())
        await stage.slack.delete(question)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2
        assert "out of memory" in head.text.lower()


async def test_a_question_in_shadow_mode_adds_nothing_to_the_rehearsal(stage: Stage) -> None:
    maintainers = stage.slack.add_channel("maintainers", [stage.carol, stage.app])
    async with stage.running(maintainer_channel=maintainers.id):
        await set_mode(stage, "shadow")
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await ask(stage, "what is this?", below=post)
        await stage.quiet()
        told = [m for m in stage.slack.messages(maintainers) if "Shadow mode" in m.text]

        assert len(told) == 1
        assert not stage.bot_replies(post)
        await stage.slack.delete(post)
        await stage.quiet()
        told = [m for m in stage.slack.messages(maintainers) if "Shadow mode" in m.text]
        assert not told


async def test_a_question_that_names_an_error_is_answered_where_it_stands(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.answered(post)
        question = await ask(stage, OOM, below=None)
        head, _ = await stage.answered(question)

        assert "out of memory" in head.text.lower()
        assert "out of memory" not in stage.bot_replies(post)[0].text.lower()
