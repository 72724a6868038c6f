"""A form opens within three seconds or not at all: who pressed hears which it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


async def test_a_form_that_came_too_late_is_said_where_it_was_asked_for(stage: Stage) -> None:
    root = stage.slack.add_user("root", admin=True)
    stage.channel.members.append(root.id)
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        await stage.slack.command(root, stage.channel, "/nccl", "")
        [shown] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(root))
        stage.slack.fail("views.open", "error", code="expired_trigger_id", times=3)
        await stage.slack.click(root, shown, "open_form")
        await stage.slack.click(root, step, "solved_otherwise")
        await stage.slack.command(root, stage.channel, "/nccl", "settings")
        await stage.quiet()
        told = [m for m in stage.slack.ephemerals(root) if "did not open" in m.text]

        assert [m.thread_ts for m in told if m.thread_ts] == [post.ts]
        assert len(told) == 3
        await stage.slack.click(root, step, "solved_otherwise")
        await stage.quiet()
        assert stage.slack.modal(root) is not None
