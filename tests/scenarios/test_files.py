"""Posted files: read as far as the set size, whatever they are packed in."""

from __future__ import annotations

import gzip
import io
import random
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from bot.slack.files import DAMAGED, NOT_UNPACKED, UNPACKED, Capped
from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.localslack import Message
    from tests.scenarios.conftest import Stage

FILLER = b"step 1: loss 2.31, 412 tokens/s\n" * 50_000
"""More than a MiB."""


@pytest.mark.parametrize(("pack", "most"), [(bytes, 1), (gzip.compress, UNPACKED)])
async def test_a_file_is_read_as_far_as_the_set_size_and_what_is_left_out_is_said(
    pack: Callable[[bytes], bytes], most: int, stage: Stage
) -> None:
    error, filler = FOUNDING.encode() + b"\n", FILLER * most
    unread = f"I read only the first {most} MiB of the file."
    async with stage.running(max_file_mb=1):
        late, asked = [
            await stage.slack.upload(
                stage.alice, stage.channel, "late.log", pack(filler + error), comment=words
            )
            for words in ("", f"<@{stage.app.bot_user_id}> what is this?")
        ]
        early = await stage.slack.upload(
            stage.bob, stage.channel, "early.log", pack(error + filler)
        )
        head, _ = await stage.answered(early)
        [line] = await stage.answered(asked, 1)
        await stage.quiet()

        assert "Line 1" in head.text
        assert unread in head.text
        assert unread in str(head.blocks)
        assert unread in line.text
        assert not stage.bot_replies(late)


async def test_what_is_packed_is_read_to_its_end(stage: Stage) -> None:
    packed = gzip.compress(FILLER + FOUNDING.encode())
    async with stage.running(max_file_mb=1):
        post = await stage.slack.upload(stage.alice, stage.channel, "late.log.gz", packed)
        head, _ = await stage.answered(post)

        assert "AllReduce" in head.text
        assert "I read only" not in head.text


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
async def test_a_packed_file_that_is_cut_is_said_to_be(
    pack: Callable[[bytes], bytes], stage: Stage
) -> None:
    whole = pack(FILLER.replace(b"412", b"error") + FOUNDING.encode())
    noise = pack(random.Random(1).randbytes(400_000) + FOUNDING.encode())
    ask = f"<@{stage.app.bot_user_id}> what is this?"
    async with stage.running():
        # Nothing of it can be unpacked; and what can holds no error.
        for data, said in ((whole[:40], NOT_UNPACKED), (noise[:-99], DAMAGED)):
            post = await stage.slack.upload(
                stage.alice, stage.channel, "cut.log", data, comment=ask
            )
            [line] = await stage.answered(post, 1)

            assert said in line.text


async def test_a_file_asked_about_in_its_thread_is_said_not_to_be_read_whole(stage: Stage) -> None:
    async with stage.running(max_file_mb=1):
        post = await stage.slack.upload(stage.alice, stage.channel, "a.log", FILLER)
        await stage.quiet()
        words = f"<@{stage.app.bot_user_id}> what is this?"
        await stage.slack.post(stage.bob, stage.channel, words, thread=post)
        [line] = await stage.answered(post, 1)
        await stage.slack.shortcut(stage.bob, "diagnose_message", post)
        [told] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.bob))

        assert "I read only the first 1 MiB of the file." in line.text
        assert "I read only the first 1 MiB of the file." in told.text


def test_a_file_is_read_for_so_long() -> None:
    seconds = iter(range(100))
    log = Capped(io.BytesIO(FILLER), 1 << 30, seconds=5.0, clock=lambda: float(next(seconds)))
    while log.read(1000):
        pass

    assert log.is_cut
    assert 0 < log.size < len(FILLER)


def test_a_file_of_just_the_most_is_not_cut() -> None:
    log = Capped(io.BytesIO(b"abc"), 3)
    while log.read(2):
        pass

    assert (log.size, log.is_cut) == (3, False)


async def test_a_snippet_with_a_comment_is_read(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.upload(
            stage.alice, stage.channel, "error.txt", FOUNDING.encode(), comment="what is this?"
        )

        assert len(await stage.answered(post)) == 2


async def test_the_missing_log_may_come_as_a_file_below(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(
            stage.alice, stage.channel, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
        )  # fmt: skip
        [head] = await stage.answered(post, 1)
        await stage.slack.upload(
            stage.alice, stage.channel, "rank3.log", FOUNDING.encode(), thread=post
        )
        await stage.answered(post)
        await stage.quiet()

        assert "AllReduce" in head.text


async def test_the_text_of_an_allowed_bot_is_read_wherever_it_stands(stage: Stage) -> None:
    robot = stage.slack.add_bot("alerts")
    stage.channel.members.append(robot.id)
    section = {"type": "section", "text": {"type": "mrkdwn", "text": FOUNDING}}
    shapes: list[dict[str, Any]] = [
        {"text": "Job 17 failed", "blocks": [section]},
        {"attachments": [{"fallback": "Job failed", "blocks": [section]}]},
        {"attachments": [{"fields": [{"title": "error", "value": FOUNDING, "short": False}]}]},
        {"attachments": [{"fallback": FOUNDING}]},
    ]
    async with stage.running(bots_allowed=[robot.bot_id]):
        for place, shape in enumerate(shapes):
            other = stage.slack.add_channel(f"alerts-{place}", [robot, stage.app])
            post = await stage.slack.post_bot(robot, other, webhook=bool(place % 2), **shape)

            assert len(await stage.answered(post)) == 2


async def link_to(stage: Stage, file: Message) -> str:
    """The address of a posted file, as one copies it."""
    [identity] = file.files
    shown = stage.slack.world.files[identity]
    return f"{stage.slack.origin}/files/{shown.user}/{identity}/{shown.name}"


async def test_a_link_to_a_file_is_followed_where_its_readers_may_open_it(stage: Stage) -> None:
    people = [stage.alice, stage.bob, stage.app]
    secret = stage.slack.add_channel("secret", people, private=True)
    infra = stage.slack.add_channel("infra", people)
    async with stage.running():
        log = b"step 1\n" + FOUNDING.encode()
        hidden = await stage.slack.upload(stage.alice, secret, "hidden.log", log)
        shown = await stage.slack.upload(stage.alice, infra, "shown.log", log)
        await stage.answered(hidden)
        await stage.answered(shown)
        posts = [
            await stage.slack.post(stage.bob, stage.channel, f"see {await link_to(stage, file)}")
            for file in (hidden, shown)
        ]
        inside = await stage.slack.post(stage.bob, secret, f"see {await link_to(stage, hidden)}")
        await stage.quiet()
        answers = [stage.bot_replies(post) for post in (*posts, inside)]

        assert [len(found) for found in answers] == [0, 2, 2]
        assert "Line 2: " in answers[1][0].text


async def test_a_file_that_slack_does_not_give_is_passed_over(stage: Stage) -> None:
    async with stage.running():
        file = await stage.slack.upload(stage.alice, stage.channel, "a.txt", b"nothing to see")
        address = await link_to(stage, file)
        await stage.slack.delete(file)
        gone = f"{stage.slack.origin}/files/U00000001/F0MISSING/b.log"
        for words in (address, gone, f"{gone} {FOUNDING}"):
            post = await stage.slack.post(stage.bob, stage.channel, f"see {words}")
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_a_message_with_a_file_is_diagnosed_by_its_shortcut(stage: Stage) -> None:
    async with stage.running(max_file_mb=1):
        log = await stage.slack.upload(stage.alice, stage.channel, "a.log", FOUNDING.encode())
        await stage.answered(log)
        picture = await stage.slack.upload(stage.alice, stage.channel, "a.png", b"\x89PNG" * 9)
        for post in (log, picture):
            await stage.slack.shortcut(stage.bob, "diagnose_message", post)
            await stage.quiet()
        told = [message.text for message in stage.slack.ephemerals(stage.bob)]

        assert "stated 85 %" in told[0]
        assert "paste the text" in told[1]


async def test_a_picture_is_asked_for_as_text_where_a_mention_brings_it(stage: Stage) -> None:
    async with stage.running():
        words = f"<@{stage.app.bot_user_id}> what is this?"
        post = await stage.slack.upload(
            stage.alice, stage.channel, "a.png", b"\x89PNG" * 9, comment=words
        )
        [line] = await stage.answered(post, 1)
        await stage.quiet()

        assert "paste the text" in line.text
        assert len(stage.bot_replies(post)) == 1


async def test_the_form_takes_a_log_as_a_file(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(stage.alice, stage.channel, "/nccl", "")
        [shown] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.slack.click(stage.alice, shown, "open_form")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.alice))
        assert form is not None
        log = stage.slack.workshop.make_file(
            stage.alice.team_id, stage.alice.id, "a.log", b"noise\n" + FOUNDING.encode()
        )
        await stage.slack.submit(stage.alice, form, {"file": {"file": [log.id]}})
        answers = await stage.slack.wait_for(
            lambda: [m for m in stage.slack.ephemerals(stage.alice) if "stated 85 %" in m.text]
        )

        assert "Line 2: " in answers[0].text
