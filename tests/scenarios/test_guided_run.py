"""One step at a time, the head in step with it, and what is offered when no step is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from bot.localslack import Channel, Message, User
    from tests.scenarios.conftest import Stage

TRIED = f"{FOUNDING}\nI increased the timeout to 2 h, no luck."
FABRIC = "NET/IB: Got completion with error 12, opcode 0, len 4096, vendor err 129"
FIX = "Pinned <!channel> the driver to 570.86; see https://wiki.example/driver"


def styled(message: Message, kind: str) -> str:
    """The texts of a message that carry a style, joined."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if isinstance(style := value.get("style"), dict) and style.get(kind):
                found.append(str(value.get("text")))
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(message.blocks)
    return " ".join(found)


def labels(stage: Stage, message: Message) -> list[str]:
    return [str(element["action_id"]) for element in stage.slack.elements(message)]


async def fail_all(stage: Stage, voter: User, post: Message) -> list[Message]:
    """Thumbs down on each step until none is left; all that the bot said."""
    replies = await stage.answered(post, 2)
    for count in (2, 3, 4):
        await stage.slack.react(voter, replies[count - 1], "-1")
        replies = await stage.answered(post, count + 1)
    return replies


async def set_owners(stage: Stage, admin: User, channel: Channel, group: str) -> None:
    await stage.slack.command(admin, channel, "/nccl", "settings")
    form = await stage.slack.wait_for(lambda: stage.slack.modal(admin))
    await stage.slack.submit(admin, form, {"owners": {"owners": group}})
    await stage.quiet()


async def test_the_head_strikes_what_failed_and_names_who_confirmed(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, first = await stage.answered(post)
        await stage.slack.react(stage.bob, first, "-1")
        _, _, second = await stage.answered(post, 3)
        await stage.slack.click(stage.carol, second, "worked")
        await stage.quiet()

        assert "Check connectivity" in styled(head, "strike")
        assert "Step 2 worked, says carol." in head.text
        assert "white_check_mark" in str(head.blocks)
        assert "<@" not in head.text
        assert "'user'" not in str(head.blocks)
        await stage.slack.react(stage.alice, second, "+1")
        await stage.quiet()

        assert "Step 2 worked, say alice and carol." in head.text


async def test_after_the_last_step_the_thread_is_offered_what_is_left_once(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        *_, step, end = await fail_all(stage, stage.bob, post)
        await stage.slack.react(stage.carol, step, "-1")
        await stage.quiet()

        assert "last step I know" in end.text
        assert labels(stage, end) == ["solved_otherwise", "save_unsolved"]
        assert len(stage.bot_replies(post)) == 5
        for person in (stage.carol, stage.bob):
            await stage.slack.click(person, end, "save_unsolved")
        await stage.quiet()

        assert "Saved as unsolved by carol." in end.text
        assert labels(stage, end) == ["solved_otherwise"]


async def test_the_owners_are_called_on_a_click_alone_and_once(stage: Stage) -> None:
    root = stage.slack.add_user("root", admin=True)
    stage.channel.members.append(root.id)
    group = stage.slack.add_group("gpu-owners", [stage.carol])
    async with stage.running():
        await set_owners(stage, root, stage.channel, group.id)
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        *_, end = await fail_all(stage, stage.bob, post)
        assert not any(group.id in m.text for m in stage.bot_replies(post))
        for person in (stage.alice, stage.bob):
            await stage.slack.click(person, end, "call_owners")
        await stage.quiet()
        calls = [m for m in stage.bot_replies(post) if f"<!subteam^{group.id}>" in m.text]

        assert len(calls) == 1
        assert "call_owners" not in labels(stage, end)


async def test_a_fix_found_otherwise_is_recorded_and_stands_in_the_head(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(stage.bob, step, "solved_otherwise")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.bob))
        await stage.slack.submit(stage.bob, form, {"fix": {"fix": FIX}})
        await stage.quiet()

        assert "Solved another way, says bob: Pinned" in head.text
        assert "570.86" in head.text
        assert not any(token in head.text for token in ("<!channel", "<http"))
        assert "reports" not in head.text
        [told] = stage.slack.ephemerals(stage.bob)
        assert (told.channel, told.thread_ts) == (stage.channel.id, post.ts)


@pytest.mark.parametrize(
    ("button", "said"), [("worked", "Step 1 worked"), ("wrong_diagnosis", "the wrong diagnosis")]
)
async def test_a_fix_found_otherwise_stands_beside_what_was_said_before(
    button: str, said: str, stage: Stage
) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        pressed = step if button == "worked" else head
        await stage.slack.click(stage.alice, pressed, button)
        await stage.slack.click(stage.bob, step, "solved_otherwise")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.bob))
        await stage.slack.submit(stage.bob, form, {"fix": {"fix": FIX}})
        await stage.quiet()

        assert said in head.text
        assert "Solved another way, says bob: Pinned" in head.text
        assert "Solved another way" in str(head.blocks)
        [told] = stage.slack.ephemerals(stage.bob)
        assert "The answer in the thread says so." in told.text


async def test_where_the_answer_was_dismissed_nobody_is_sent_to_it(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(stage.bob, step, "solved_otherwise")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.bob))
        await stage.slack.click(stage.alice, head, "dismiss")
        await stage.quiet()
        await stage.slack.submit(stage.bob, form, {"fix": {"fix": FIX}})
        await stage.quiet()
        [told] = stage.slack.ephemerals(stage.bob)

        assert told.text == "Recorded, thank you."


async def test_a_check_asks_for_no_vote_and_a_press_brings_the_next_step(stage: Stage) -> None:
    guest = stage.slack.add_user("guest", guest=True)
    stage.channel.members.append(guest.id)
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FABRIC)
        head, check = await stage.answered(post)
        before = head.text
        assert labels(stage, check) == ["next_step", "solved_otherwise"]
        assert "checks first" in head.text
        await stage.slack.click(guest, check, "next_step")
        await stage.quiet()
        assert len(stage.bot_replies(post)) == 2
        for _ in range(2):
            await stage.slack.click(stage.bob, check, "next_step")
            await stage.quiet()

        *_, second = stage.bot_replies(post)
        assert len(stage.bot_replies(post)) == 3
        assert second.text.startswith("*Step 2 of ")
        [told] = stage.slack.ephemerals(stage.bob)
        assert "below already" in told.text
        assert head.text == before


@pytest.mark.parametrize("thumb", ["+1", "-1"])
async def test_a_thumb_on_a_check_goes_on_and_is_no_report(thumb: str, stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FABRIC)
        head, check = await stage.answered(post)
        before = head.text
        await stage.slack.react(stage.bob, check, thumb)
        await stage.answered(post, 3)
        await stage.slack.react(stage.bob, head, "-1")
        [question] = await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.bob))
        await stage.quiet()

        assert head.text == before
        assert not styled(head, "strike")
        assert "blame_step" not in labels(stage, question)


async def test_what_is_said_to_a_presser_is_said_in_the_thread(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(stage.bob, step, "worked")
        await stage.slack.click(stage.bob, head, "show_all")
        await stage.slack.click(stage.bob, head, "dismiss")
        await stage.quiet()
        [thanks] = [
            each for each in stage.slack.ephemerals(stage.bob) if "undo" in labels(stage, each)
        ]
        await stage.slack.click(stage.bob, thanks, "undo")
        await stage.quiet()
        told = stage.slack.ephemerals(stage.bob)

        assert len(told) >= 4
        assert {message.thread_ts for message in told} == {post.ts}


async def test_a_reply_is_recorded_as_what_solved_it(stage: Stage) -> None:
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        text = "it was the cable of node 7"
        reply = await stage.slack.post(stage.bob, stage.channel, text, thread=post)
        for message in (reply, post):
            await stage.slack.shortcut(stage.carol, "this_solved_it", message)
        await stage.quiet()
        told = {m.text.split(",")[0]: m.thread_ts for m in stage.slack.ephemerals(stage.carol)}

        assert f"Solved another way, says carol: {text}" in head.text
        assert told == {"Recorded": post.ts, "Use it on the reply that says what solved it": None}
        await stage.slack.shortcut(stage.carol, "this_solved_it", step)
        await stage.quiet()

        assert "Step 1 worked, says carol." in head.text


async def test_what_the_poster_tried_is_said_and_the_run_starts_after_it(stage: Stage) -> None:
    async with stage.running():
        text = f"{FOUNDING}\nI already set NCCL_SOCKET_IFNAME to eth0 and it did not help."
        post = await stage.slack.post(stage.alice, stage.channel, text)
        head, step = await stage.answered(post)
        other = await stage.slack.post(stage.bob, stage.channel, TRIED)
        second, _ = await stage.answered(other)

        assert "You say you tried this already, so this starts after it: Check" in head.text
        assert "Check connectivity" not in step.text
        assert "You say you tried this already: " in second.text


async def test_a_guest_can_read_and_not_record(stage: Stage) -> None:
    guest = stage.slack.add_user("guest", guest=True)
    stage.channel.members.append(guest.id)
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        head, step = await stage.answered(post)
        await stage.slack.click(guest, step, "solved_otherwise")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(guest))
        await stage.slack.submit(guest, form, {"fix": {"fix": "magic"}})
        await stage.quiet()

        assert "Solved" not in head.text
