"""Posts that change, go away or come in pieces: what they got follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from bot.localslack import Timing
from bot.store.channels import ChannelSettings, write_channel
from bot.store.tables import answers, incidents, misses
from tests.scenarios.conftest import FOUNDING, set_stage
from tests.scenarios.test_conversation import IB, OOM, WRAPPER

if TYPE_CHECKING:
    from pathlib import Path

    from bot.localslack import Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

ELSEWHERE = "IB port went down on gpu-node-17"


def read_facts(stage: Stage) -> str:
    """All that the database keeps of posts, in one text."""
    return "\n".join(path.read_bytes().decode("latin1") for path in stage.folder.glob("*.db*"))


async def list_rows(stage: Stage, table: sa.Table) -> list[sa.Row[tuple[object, ...]]]:
    assert stage.bot is not None
    async with stage.bot.core.database.read() as connection:
        return list(await connection.execute(sa.select(table)))


async def test_an_edit_changes_the_answer_in_its_place(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.edit(post, OOM)
        await stage.slack.wait_for(lambda: "out of memory" in head.text.lower())
        await stage.quiet()

        assert "AllReduce" not in head.text
        assert ["Step 1" in each.text for each in stage.bot_replies(post)] == [False, True]


async def test_votes_go_to_the_answer_that_stands_now(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, OOM)
        await stage.answered(post)
        await stage.slack.edit(post, FOUNDING)
        await stage.quiet()
        head, step = stage.bot_replies(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.slack.wait_for(lambda: "Step 1 worked" in head.text)

        assert "AllReduce" in head.text


async def test_a_step_that_somebody_voted_on_stays_when_the_answer_changes(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()
        await stage.slack.edit(post, OOM)
        await stage.quiet()

        assert step in stage.bot_replies(post)
        assert len(stage.bot_replies(post)) == 3
        assert "out of memory" in head.text.lower()


async def test_an_edit_that_states_more_shows_it(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.edit(post, f"{FOUNDING}\nPyTorch version: 2.4.1")
        await stage.slack.wait_for(lambda: "PyTorch 2.4.1" in head.text)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_an_edit_that_brings_the_error_is_answered(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, "it fails again")
        await stage.quiet()
        await stage.slack.edit(post, FOUNDING)

        assert len(await stage.answered(post)) == 2


async def test_an_edit_that_takes_the_error_out_takes_the_answer_back(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(post)
        await stage.slack.edit(post, "never mind")
        await stage.slack.wait_for(lambda: not stage.bot_replies(post))
        await stage.quiet()
        await stage.slack.edit(post, f"it is back: {FOUNDING}")

        assert len(await stage.answered(post)) == 2


async def test_an_unfurl_changes_nothing(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(post)
        calls = len(stage.slack.calls)
        await stage.slack.unfurl(post, [{"title": "a page", "text": OOM, "fallback": "a page"}])
        await stage.quiet()

        assert len(stage.slack.calls) == calls


async def test_edits_that_come_in_the_wrong_order_leave_the_newest(stage: Stage) -> None:
    async with stage.running():
        stage.slack.hold()
        post = await stage.slack.post(stage.alice, stage.channel, "hello")
        await stage.slack.edit(post, FOUNDING)
        await stage.slack.edit(post, OOM)
        stage.slack.release(lambda held: held[::-1])
        head, _ = await stage.answered(post)
        await stage.quiet()

        assert "out of memory" in head.text.lower()
        assert len(stage.bot_replies(post)) == 2


async def test_a_deleted_post_takes_quotes_and_stored_lines_with_it(stage: Stage) -> None:
    secretive = "[rank7]: AllReduce timed out in rank 7 on planted-host-4711"
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, secretive)
        await stage.answered(post)
        await stage.slack.delete(post)
        await stage.slack.wait_for(lambda: not stage.bot_replies(post))
        await stage.quiet()
        [answer] = await list_rows(stage, answers)
        [incident] = await list_rows(stage, incidents)

    assert answer.facts["quote"] == ""
    assert answer.facts["stated"] == []
    assert incident.hosts == []
    assert "planted-host-4711" not in read_facts(stage)


async def test_what_others_said_of_the_steps_of_a_deleted_post_stays(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, f"{FOUNDING} on planted-host")
        head, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        await stage.quiet()
        await stage.slack.delete(post)
        await stage.slack.wait_for(lambda: "was deleted" in head.text)
        await stage.quiet()

        assert "in rank 0" not in head.text + str(head.blocks)
        assert step in stage.bot_replies(post)


async def test_a_line_goes_with_its_post_and_the_answer_stays(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(first)
        again = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(again, 1)
        await stage.slack.delete(again)
        await stage.slack.wait_for(lambda: not stage.bot_replies(again))
        await stage.quiet()

        assert len(stage.bot_replies(first)) == 2


async def test_an_unknown_error_is_forgotten_with_its_post(stage: Stage) -> None:
    async with stage.running():
        text = "FrobnicationError: the planted widget is upside down"
        post = await stage.slack.post(stage.alice, stage.channel, text)
        await stage.quiet()
        assert len(await list_rows(stage, misses)) == 1
        await stage.slack.delete(post)
        await stage.quiet()

        assert not await list_rows(stage, misses)


async def test_a_deletion_that_overtakes_its_post_leaves_it_unanswered(stage: Stage) -> None:
    async with stage.running():
        stage.slack.hold()
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.slack.delete(post)
        stage.slack.release(lambda held: held[::-1])
        await stage.quiet()

        assert not stage.slack.calls_of("chat.postMessage")


async def test_posts_in_a_row_that_are_one_paste_are_one_post(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, f"rank 3 says:\n{FOUNDING}")
        await stage.answered(first)
        rest = [
            await stage.slack.post(stage.alice, stage.channel, text)
            for text in (f"and above it:\n{OOM}", f"and at the end:\n{WRAPPER}")
        ]
        await stage.quiet()
        head, _ = stage.bot_replies(first)

        assert "out of memory" in head.text.lower()
        assert not any(stage.bot_replies(post) for post in rest)


async def test_pieces_that_arrive_at_once_get_one_answer(stage: Stage) -> None:
    async with stage.running():
        stage.slack.hold()
        posts = [
            await stage.slack.post(stage.alice, stage.channel, text)
            for text in (f"rank 0: {FOUNDING}", f"rank 3: {OOM}", f"in the end {WRAPPER}")
        ]
        stage.slack.release()
        await stage.quiet()
        threads = [stage.bot_replies(post) for post in posts]

        assert sorted(map(len, threads)) == [0, 0, 2]
        [head] = [thread[0] for thread in threads if thread]
        assert "out of memory" in head.text.lower()


async def test_a_reply_that_overtakes_its_post_leaves_one_answer(stage: Stage) -> None:
    async with stage.running():
        stage.slack.hold()
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.slack.post(stage.alice, stage.channel, f"again: {FOUNDING}", thread=post)
        late, _ = stage.slack.deliveries[-2:]
        stage.slack.release(lambda held: held[1:])
        await stage.answered(post)
        stage.slack.redeliver(late)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_two_failures_of_one_person_in_a_row_get_an_answer_each(stage: Stage) -> None:
    async with stage.running():
        for text in (f"on the one cluster: {OOM}", f"on the other: {IB}"):
            post = await stage.slack.post(stage.alice, stage.channel, text)
            assert len(await stage.answered(post)) == 2


async def test_somebody_elses_word_ends_a_paste(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(first)
        await stage.slack.post(stage.bob, stage.channel, "same here")
        second = await stage.slack.post(stage.alice, stage.channel, f"{FOUNDING}\nand so on")
        [line] = await stage.answered(second, 1)

        assert "Same failure as" in line.text


async def test_the_poster_brings_the_cause_below_the_answer_and_it_changes(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.post(stage.alice, stage.channel, OOM, thread=post)
        await stage.slack.wait_for(lambda: "out of memory" in head.text.lower())
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_a_picture_is_asked_for_as_text_where_the_bot_was_addressed(stage: Stage) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(40)
    async with stage.running():
        quiet = await stage.slack.upload(stage.alice, stage.channel, "screen.png", png)
        direct = stage.slack.dm(stage.alice, stage.app)
        asked = await stage.slack.upload(stage.alice, direct, "screen.png", png)
        [line] = await stage.answered(asked, 1)
        await stage.quiet()

        assert "paste the text" in line.text
        assert not stage.bot_replies(quiet)


async def test_thanks_in_a_direct_thread_are_left_alone(stage: Stage) -> None:
    async with stage.running():
        direct = stage.slack.dm(stage.alice, stage.app)
        post = await stage.slack.post(stage.alice, direct, FOUNDING)
        await stage.answered(post)
        await stage.slack.post(stage.alice, direct, "thanks!", thread=post)
        await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_who_asks_below_an_answer_about_the_same_is_pointed_to_it(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        text = f"<@{stage.app.bot_user_id}> {FOUNDING}"
        await stage.slack.post(stage.bob, stage.channel, text, thread=post)
        *_, line = await stage.answered(post, 3)

        assert head.ts.replace(".", "") in line.text


async def test_a_dismissed_answer_leaves_the_thread_and_its_poster_in_peace(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        await stage.slack.click(stage.alice, head, "dismiss")
        await stage.quiet()
        await stage.slack.post(stage.alice, stage.channel, OOM, thread=post)
        await stage.slack.edit(post, IB)
        again = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.quiet()

        assert "Dismissed" in head.text
        assert len(stage.bot_replies(post)) == 2
        assert not stage.bot_replies(again)


async def test_a_dismissed_answer_lets_go_of_what_it_quoted(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, f"gpu-node-17: {FOUNDING}")
        head, _ = await stage.answered(post)
        await stage.slack.click(stage.alice, head, "dismiss")
        await stage.slack.edit(post, FOUNDING)
        await stage.quiet()
        [kept] = await list_rows(stage, answers)

        assert "gpu-node-17" not in str(kept.facts)


async def test_an_edit_after_a_wrong_diagnosis_is_looked_at_again(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, f"gpu-node-17: {FOUNDING}")
        head, _ = await stage.answered(post)
        await stage.slack.click(stage.alice, head, "wrong_diagnosis")
        await stage.slack.edit(post, FOUNDING)
        await stage.quiet()
        assert "Marked as the wrong diagnosis" in head.text
        assert "gpu-node-17" not in head.text
        await stage.slack.edit(post, f"{FOUNDING}\nand above it: {OOM}")
        await stage.slack.wait_for(lambda: "out of memory" in head.text.lower())
        await stage.quiet()

        assert "wrong diagnosis" not in head.text


async def solve(stage: Stage, post: Message) -> None:
    _, step = await stage.answered(post)
    await stage.slack.react(stage.carol, step, "+1")
    await stage.quiet()


async def test_across_channels_an_answer_links_to_where_it_was_solved(stage: Stage) -> None:
    people = (stage.alice, stage.bob, stage.carol, stage.app)
    other = stage.slack.add_channel("infra", people)
    secret = stage.slack.add_channel("secret", people, private=True)
    stranger = stage.slack.add_team("vendor")
    shared = stage.slack.add_channel("with-vendor", people, shared_with=[stranger])
    async with stage.running():
        hidden = await stage.slack.post(stage.bob, secret, FOUNDING)
        await solve(stage, hidden)
        first = await stage.slack.post(stage.alice, other, FOUNDING)
        head, _ = await stage.answered(first)
        assert "solved before" not in head.text
        await solve(stage, first)
        second = await stage.slack.post(stage.carol, stage.channel, FOUNDING)
        head, _ = await stage.answered(second)
        assert f"{other.id}/p{first.ts.replace('.', '')}" in head.text
        assert "solved before" in str(head.blocks)
        third = await stage.slack.post(stage.carol, shared, f"here too {FOUNDING}")
        head, _ = await stage.answered(third)

        assert "solved before" not in head.text


async def test_a_bot_that_repeats_what_it_reads_is_not_argued_with(stage: Stage) -> None:
    robot = stage.slack.add_bot("alerts")
    stage.channel.members.append(robot.id)
    assert robot.bot_id is not None
    mention = f"<@{stage.app.bot_user_id}> "
    async with stage.running(bots_allowed=[robot.bot_id]):
        post = await stage.slack.post_bot(robot, stage.channel, FOUNDING)
        head, _ = await stage.answered(post)
        for text in (FOUNDING, mention + "what?", mention + FOUNDING, head.text):
            await stage.slack.post_bot(robot, stage.channel, text, thread=post)
            await stage.quiet()

        assert len(stage.bot_replies(post)) == 2


async def test_two_instances_and_an_alert_bot_exchange_nothing(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    async with set_stage("socket", tmp_path / "one", kb, Timing()) as one:
        twin = one.slack.add_app(
            "nccl-bot-2", scopes=one.app.scopes, events=one.app.events, commands=()
        )
        one.slack.install(twin)
        one.channel.members.append(twin.bot_user_id)
        robot = one.slack.add_bot("alerts")
        one.channel.members.append(robot.id)
        other = type(one)(
            one.slack, twin, one.alice, one.bob, one.carol, one.channel, "socket",
            tmp_path / "two", kb,
        )  # fmt: skip
        allowed = [one.app.bot_id, twin.bot_id, robot.bot_id]
        async with one.running(bots_allowed=allowed), other.running(bots_allowed=allowed):
            post = await one.slack.post_bot(robot, one.channel, FOUNDING)
            await one.answered(post)
            await other.answered(post)
            for stage in (one, other, one):
                await stage.quiet()

            assert len(one.bot_replies(post)) == len(other.bot_replies(post)) == 2
            assert len(one.slack.messages(one.channel)) == 5


async def test_a_rehearsal_goes_with_the_post_that_it_quotes(stage: Stage) -> None:
    crew = stage.slack.add_channel("crew", [stage.carol, stage.app])
    async with stage.running(maintainer_channel=crew.id) as bot:
        async with bot.core.database.write() as connection:
            settings = ChannelSettings(mode="shadow")
            await write_channel(connection, stage.slack.team.id, stage.channel.id, settings)
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.slack.wait_for(lambda: stage.slack.messages(crew))
        await stage.slack.delete(post)
        await stage.slack.wait_for(lambda: not stage.slack.messages(crew))
        await stage.quiet()

        assert not stage.slack.messages(crew)


async def test_an_answer_that_others_were_sent_to_keeps_what_it_says(stage: Stage) -> None:
    async with stage.running():
        first = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, _ = await stage.answered(first)
        again = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        await stage.answered(again, 1)
        await stage.slack.edit(first, OOM)
        *_, new, step = await stage.answered(first, 4)
        await stage.quiet()

        assert "AllReduce timed out" in head.text
        assert "in rank 0" not in head.text
        assert "out of memory" in new.text.lower()
        assert "Step 1" in step.text
