"""Posted files: read as far as the set size, whatever they are packed in."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scenarios.conftest import Stage

FILLER = b"step 1: loss 2.31, 412 tokens/s\n" * 50_000
"""More than a MiB."""


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
async def test_a_file_is_read_as_far_as_the_set_size(
    pack: Callable[[bytes], bytes], stage: Stage
) -> None:
    error = FOUNDING.encode() + b"\n"
    async with stage.running(max_file_mb=1):
        late = await stage.slack.upload(
            stage.alice, stage.channel, "late.log", pack(FILLER + error)
        )
        early = await stage.slack.upload(
            stage.bob, stage.channel, "early.log", pack(error + FILLER)
        )
        head, _ = await stage.answered(early)
        await stage.quiet()

        assert "Line 1" in head.text
        assert not stage.bot_replies(late)


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
