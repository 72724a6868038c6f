"""The bot in other people's conversation: when it speaks, and when it does not."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage

WRAPPER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\ntrain.py FAILED\n"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"
IB = "NET/IB: Got completion with error 12, opcode 0, len 0, vendor err 129"


async def test_what_is_not_known_stays_unanswered_in_a_channel(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, "lunch at noon?")
        await stage.quiet()

        assert not stage.bot_replies(post)


async def test_who_addresses_the_bot_hears_that_it_does_not_know_once(stage: Stage) -> None:
    async with stage.running():
        text = f"<@{stage.app.bot_user_id}> why is my coffee cold?"
        post = await stage.slack.post(stage.alice, stage.channel, text)
        [reply] = await stage.answered(post, 1)
        await stage.quiet()

        assert "I do not know this one" in reply.text
        assert len(stage.bot_replies(post)) == 1


async def test_a_mention_with_an_error_is_answered_once(stage: Stage) -> None:
    async with stage.running():
        text = f"<@{stage.app.bot_user_id}> {FOUNDING}"
        post = await stage.slack.post(stage.alice, stage.channel, text)
        await stage.answered(post)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_a_direct_message_is_answered(stage: Stage) -> None:
    async with stage.running():
        direct = stage.slack.dm(stage.alice, stage.app)
        post = await stage.slack.post(stage.alice, direct, FOUNDING)

        assert len(await stage.answered(post)) == 2


async def test_the_same_persons_same_failure_gets_one_line_with_a_link(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(first)
        again = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        [line] = await stage.answered(again, 1)
        await stage.quiet()

        assert first.ts.replace(".", "") in line.text
        assert "2 reports so far" in line.text
        assert len(stage.bot_replies(again)) == 1


async def test_another_persons_job_gets_its_own_answer(stage: Stage) -> None:
    async with stage.running():
        for person in (stage.alice, stage.bob):
            post = await stage.slack.post(person, stage.channel, FOUNDING)
            assert len(await stage.answered(post)) == 2


async def test_a_cause_that_reaches_the_cluster_is_one_incident_for_all(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, IB)
        await stage.answered(first)
        second = await stage.slack.post(stage.bob, stage.channel, IB)
        [line] = await stage.answered(second, 1)

        assert "Same failure as" in line.text


async def test_a_wrapper_gets_one_line_and_the_missing_log_turns_it_into_the_answer(
    stage: Stage,
) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, WRAPPER)
        [head] = await stage.answered(post, 1)
        assert "not the cause" in head.text
        assert "\n" not in head.text
        await stage.slack.post(stage.bob, stage.channel, OOM, thread=post)
        await stage.answered(post)
        await stage.quiet()

        assert "out of memory" in head.text.lower()
        assert ["Step 1" in each.text for each in stage.bot_replies(post)] == [False, True]


async def test_talk_in_the_thread_of_an_answer_is_left_alone(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(post)
        for text in (FOUNDING, OOM):
            await stage.slack.post(stage.bob, stage.channel, text, thread=post)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_a_log_file_is_read_also_when_packed(stage: Stage) -> None:
    async with stage.running():
        log = ("step 1 ok\n" * 500 + FOUNDING).encode()
        for person, name, content in (
            (stage.alice, "rank0.log", log),
            (stage.bob, "rank0.log.gz", gzip.compress(log)),
        ):
            post = await stage.slack.upload(person, stage.channel, name, content)
            head, _ = await stage.answered(post)
            assert "Line 501" in head.text


async def test_random_bytes_and_empty_files_are_left_alone(stage: Stage) -> None:
    noise = random.Random(5).randbytes(5 << 20)
    async with stage.running():
        for content in (noise, b"", b"\x1f\x8b" + noise[:1000]):
            post = await stage.slack.upload(stage.alice, stage.channel, "core.bin", content)
            await stage.quiet()
            assert not stage.bot_replies(post)


async def test_other_bots_are_answered_only_where_allowed(stage: Stage) -> None:
    robot = stage.slack.add_bot("alerts")
    stage.channel.members.append(robot.id)
    assert robot.bot_id is not None
    attachment = [{"title": "Job failed", "text": FOUNDING, "fallback": "Job failed"}]
    async with stage.running():
        post = await stage.slack.post_bot(robot, stage.channel, "", attachments=attachment)
        await stage.quiet()
        assert not stage.bot_replies(post)
    async with stage.running(bots_allowed=[robot.bot_id]):
        post = await stage.slack.post_bot(robot, stage.channel, "", attachments=attachment)

        assert len(await stage.answered(post)) == 2


async def test_the_poster_dismisses_an_answer_and_others_cannot(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(stage.bob, head, "dismiss")
        await stage.quiet()
        assert "stated 85 %" in head.text
        assert "*Step 1 of 3" in step.text
        await stage.slack.click(stage.alice, head, "dismiss")
        await stage.quiet()
        assert "Dismissed" in head.text
        assert step.text.startswith("_Step 1, dismissed: Check connectivity")
        assert "\n" not in step.text
        assert not stage.slack.elements(step)
        await stage.slack.react(stage.bob, step, "-1")
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_a_dismissed_thread_has_nothing_to_press_and_keeps_its_votes(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        replies = await stage.answered(post)
        for count in (2, 3, 4):
            await stage.slack.react(stage.bob, replies[count - 1], "-1")
            replies = await stage.answered(post, count + 1)
        assert stage.slack.elements(replies[-1])
        await stage.slack.click(stage.alice, replies[0], "dismiss")
        await stage.quiet()

        assert [stage.slack.elements(each) for each in replies] == [[]] * 5
        assert replies[-1].text == "_Dismissed._"
        assert [each.name for each in replies[1].reactions] == ["-1"]


async def test_a_wrong_diagnosis_is_kept_apart_from_the_steps(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.click(stage.alice, head, "wrong_diagnosis")
        await stage.quiet()

        assert "wrong diagnosis" in head.text
        assert "reports" not in head.text


async def test_all_steps_are_shown_to_who_asks_alone(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.click(stage.bob, head, "show_all")
        [shown] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.bob))

        assert "Step 3 of 3" in str(shown.blocks)
        assert len(stage.bot_replies(post)) == 2


async def test_a_message_is_diagnosed_by_its_shortcut(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.post(stage.alice, stage.channel, "hello")
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(post)
        await stage.slack.shortcut(stage.bob, "diagnose_message", post)
        [shown] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.bob))

        assert "stated 85 %" in shown.text
