"""Subcommands, snoozes, what is set for a channel, and App Home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.localslack import ManualClock
from tests.scenarios.conftest import FOUNDING, set_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from pathlib import Path

    from bot.localslack import Channel, Message, User, View
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"


async def ask(stage: Stage, person: User, text: str) -> str:
    """What one person alone is told by `/nccl text`."""
    before = len(stage.slack.ephemerals(person))
    await stage.slack.command(person, stage.channel, "/nccl", text)
    told = await stage.slack.wait_for(
        lambda: (m := stage.slack.ephemerals(person)) and len(m) > before and m
    )
    return str(told[-1].text)


def add_admin(stage: Stage) -> User:
    root = stage.slack.add_user("root", admin=True)
    stage.channel.members.append(root.id)
    return root


async def set_channel(stage: Stage, person: User, values: dict[str, Any]) -> View:
    """Fill in the form for the channel; the form."""
    await stage.slack.command(person, stage.channel, "/nccl", "settings")
    form = await stage.slack.wait_for(lambda: stage.slack.modal(person))
    typed = {name: {name: value} for name, value in values.items()}
    await stage.slack.submit(person, form, typed)
    await stage.quiet()
    return form


def said_by_bot(stage: Stage, channel: Channel) -> list[Message]:
    messages = stage.slack.messages(channel)
    own = [m for m in messages if m.user == stage.app.bot_user_id]
    return [m for m in own if m.visible_to is None and m.subtype is None]


async def test_search_show_stats_and_help_answer_one_person_alone(stage: Stage) -> None:
    async with stage.running():
        assert f"`{FOUNDING_ENTRY}`" in await ask(stage, stage.alice, "search allreduce timed out")
        shown = await ask(stage, stage.alice, f"show {FOUNDING_ENTRY}")
        assert "stated 85 %" in shown
        assert "Do not bother with:" in shown
        near = await ask(stage, stage.alice, "show pytorch/nccl-timeout-during-allredcue")
        assert f"Did you mean `{FOUNDING_ENTRY}`?" in near
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.answered(post)
        stats = await ask(stage, stage.alice, "stats")
        assert "1 incident, 1 answered, votes in 0" in stats
        assert "AllReduce timed out" in stats
        assert "/nccl snooze ENTRY 2h" in await ask(stage, stage.alice, "snooze")

        assert len(stage.roots()) == 1


async def test_an_error_that_begins_with_a_subcommand_is_diagnosed(stage: Stage) -> None:
    async with stage.running():
        assert "stated 85 %" in await ask(stage, stage.alice, f"show stats: {FOUNDING}")
        assert "stated 85 %" in await ask(stage, stage.alice, f"help\n{FOUNDING}")


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("snooze 5m", "/nccl snooze all 3d"),
        ("snooze banana", "/nccl snooze all 3d"),
        ("snooze all", "/nccl snooze all 3d"),
        ("show nccl-timeout", f"Did you mean `{FOUNDING_ENTRY}`?"),
        ("rates nccl-timeout", f"Did you mean `{FOUNDING_ENTRY}`?"),
        ("search (what?)", "/nccl search allreduce timeout"),
        ("stats for today", "`/nccl stats` takes nothing after it."),
    ],
)
async def test_what_is_half_a_subcommand_and_no_known_error_gets_its_usage(
    socket_stage: Stage, line: str, usage: str
) -> None:
    async with socket_stage.running():
        told = await ask(socket_stage, socket_stage.alice, line)

    assert told.startswith("I read this as an error, and do not know it.")
    assert usage in told


async def test_no_such_entry_names_the_nearest(socket_stage: Stage) -> None:
    wrong = "pytorch/nccl-timeout"
    async with socket_stage.running():
        for line in (f"show {wrong}", f"rates {wrong}", f"snooze {wrong} 2h"):
            told = await ask(socket_stage, socket_stage.alice, line)
            assert told == f"There is no entry `{wrong}`. Did you mean `{FOUNDING_ENTRY}`?"


def snooze_buttons(stage: Stage) -> list[str]:
    """What can be pressed below the notices of the channel."""
    return [each["action_id"] for root in stage.roots() for each in stage.slack.elements(root)]


async def test_the_button_of_a_snooze_goes_with_it(tmp_path: Path, kb: KnowledgeBase) -> None:
    clock = ManualClock()
    async with set_stage("socket", tmp_path, kb, clock=clock) as stage, stage.running() as bot:

        async def snooze(time: str) -> None:
            text = f"snooze {FOUNDING_ENTRY} {time}"
            await stage.slack.command(stage.alice, stage.channel, "/nccl", text)
            await stage.quiet()

        await snooze("2h")
        assert snooze_buttons(stage) == ["wake"]
        [first] = stage.roots()
        # A newer one takes the place of the older.
        await snooze("3h")
        assert snooze_buttons(stage) == ["wake"]
        assert "is over" in first.text
        await snooze("off")
        assert snooze_buttons(stage) == []
        assert "is not snoozed" in await ask(stage, stage.alice, f"snooze {FOUNDING_ENTRY} off")
        await snooze("1h")
        assert snooze_buttons(stage) == ["wake"]
        clock.advance(3700)
        await bot.chores.do_due()
        await stage.quiet()
        assert snooze_buttons(stage) == []
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.answered(post)


async def test_a_snooze_beyond_the_longest_says_what_it_is_cut_to(socket_stage: Stage) -> None:
    root = add_admin(socket_stage)
    async with socket_stage.running():
        for time in ("400d", "30d"):
            await socket_stage.slack.command(
                root, socket_stage.channel, "/nccl", f"snooze all {time}"
            )
            await socket_stage.quiet()
        cut = "30 days being the longest there is"
        said = [m.text for m in socket_stage.roots()]

        assert cut not in said[-1]
        await socket_stage.slack.command(root, socket_stage.channel, "/nccl", "snooze all 31d")
        await socket_stage.quiet()
        assert cut in socket_stage.roots()[-1].text


async def test_a_snooze_is_announced_honoured_and_ended_by_a_click(stage: Stage) -> None:
    async with stage.running():
        await stage.slack.command(
            stage.alice, stage.channel, "/nccl", f"snooze {FOUNDING_ENTRY} 2h"
        )
        await stage.quiet()
        [notice] = stage.roots()
        assert notice.text.startswith(f"alice snoozed `{FOUNDING_ENTRY}` here until <!date^")
        quiet = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        other = await stage.slack.post(stage.bob, stage.channel, OOM)
        asked = f"<@{stage.app.bot_user_id}> {FOUNDING}"
        mention = await stage.slack.post(stage.carol, stage.channel, asked)
        await stage.answered(other)
        await stage.answered(mention)
        await stage.quiet()
        assert not stage.bot_replies(quiet)
        await stage.slack.click(stage.bob, notice, "wake")
        await stage.quiet()
        again = await stage.slack.post(stage.alice, stage.channel, FOUNDING)

        assert len(await stage.answered(again)) == 2


async def test_only_owners_and_maintainers_snooze_everything(stage: Stage) -> None:
    root = add_admin(stage)
    async with stage.running():
        told = await ask(stage, stage.alice, "snooze all 1d")
        assert "Only this channel's owners and maintainers" in told
        await stage.slack.command(root, stage.channel, "/nccl", "snooze all 1d")
        await stage.quiet()
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        await stage.quiet()

        assert not stage.bot_replies(post)


async def test_settings_are_changed_by_those_allowed_and_honoured(stage: Stage) -> None:
    root = add_admin(stage)
    group = stage.slack.add_group("gpu-owners", [stage.carol])
    robot = stage.slack.add_bot("alerts")
    stage.channel.members.append(robot.id)
    async with stage.running():
        assert "Only this channel's owners" in await ask(stage, stage.alice, "settings")
        await set_channel(
            stage, root, {"mode": "asked", "owners": group.id, "bots": str(robot.bot_id)}
        )
        post = await stage.slack.post(stage.bob, stage.channel, FOUNDING)
        asked = f"<@{stage.app.bot_user_id}> {FOUNDING}"
        mention = await stage.slack.post(stage.alice, stage.channel, asked)
        await stage.answered(mention)
        await stage.quiet()
        assert not stage.bot_replies(post)
        form = await set_channel(stage, stage.carol, {"mode": "on", "threshold": "0.2"})
        assert [b.get("block_id") for b in form.body["blocks"] if b["type"] == "input"] == [
            "mode", "threshold",
        ]  # fmt: skip
        alert = await stage.slack.post_bot(robot, stage.channel, OOM)

        assert len(await stage.answered(alert)) == 2


async def test_off_is_off(stage: Stage) -> None:
    root = add_admin(stage)
    async with stage.running():
        await set_channel(stage, root, {"mode": "off"})
        asked = f"<@{stage.app.bot_user_id}> {FOUNDING}"
        posts = [
            await stage.slack.post(stage.alice, stage.channel, text) for text in (FOUNDING, asked)
        ]
        await stage.quiet()

        assert not any(stage.bot_replies(post) for post in posts)


async def test_shadow_tells_the_maintainers_channel_alone_once_an_incident(stage: Stage) -> None:
    root = add_admin(stage)
    backstage = stage.slack.add_channel("backstage", [root, stage.app])
    async with stage.running(maintainer_channel=backstage.id):
        await set_channel(stage, root, {"mode": "shadow"})
        posts = [await stage.slack.post(stage.alice, stage.channel, FOUNDING) for _ in range(2)]
        asked = f"<@{stage.app.bot_user_id}> my lunch is cold"
        posts.append(await stage.slack.post(stage.bob, stage.channel, asked))
        await stage.quiet()
        [told] = said_by_bot(stage, backstage)

        assert not any(stage.bot_replies(post) for post in posts)
        assert f"Shadow mode in <#{stage.channel.id}>" in told.text
        assert "stated 85 %" in told.text
        assert not stage.slack.elements(told)


async def test_shadow_is_offered_only_where_somebody_would_see_it(stage: Stage) -> None:
    root = add_admin(stage)
    async with stage.running():
        await stage.slack.command(root, stage.channel, "/nccl", "settings")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(root))
        with pytest.raises(LookupError):
            await stage.slack.submit(root, form, {"mode": {"mode": "shadow"}})

        assert "NCCL_BOT_MAINTAINER_CHANNEL" in str(form.body["blocks"])


async def test_failed_jobs_go_to_the_channel_that_asked_for_them(stage: Stage) -> None:
    root = add_admin(stage)
    jobs = stage.slack.add_channel("jobs", [stage.app])
    async with stage.running(webhook_channel=jobs.id, webhook_token="t0ken"):
        await set_channel(stage, root, {"jobs": "yes"})
        body = {"id": "job-42", "log": FOUNDING}
        headers = {"Authorization": "Bearer t0ken"}
        status, _ = await stage.post("/hooks/generic", json=body, headers=headers)
        await stage.quiet()

        assert status == 202
        assert not said_by_bot(stage, jobs)
        assert any("job-42" in m.text for m in stage.roots())


async def test_the_bot_says_hello_once_where_it_is_invited(stage: Stage) -> None:
    async with stage.running():
        channel = stage.slack.add_channel("new", [stage.alice])
        stage.slack.invite(stage.app, channel)
        await stage.quiet()
        stage.slack.remove(stage.app, channel)
        stage.slack.invite(stage.app, channel)
        stage.slack.invite(stage.bob, channel)
        await stage.quiet()
        hellos = [m for m in said_by_bot(stage, channel) if m.text.startswith("Hello.")]

        assert len(hellos) == 1


async def test_home_shows_the_week_and_settings_to_those_allowed(stage: Stage) -> None:
    root = add_admin(stage)
    async with stage.running():
        post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
        _, step = await stage.answered(post)
        await stage.slack.react(stage.bob, step, "+1")
        for number, person in enumerate((stage.bob, stage.carol)):
            await stage.slack.click(person, step, "solved_otherwise")
            form = await stage.slack.wait_for(lambda p=person: stage.slack.modal(p))
            await stage.slack.submit(person, form, {"fix": {"fix": f"cable {number}"}})
        await stage.quiet()
        for person in (root, stage.bob):
            await stage.slack.open_home(person)
            await stage.slack.wait_for(lambda p=person: stage.slack.home(p))
        mine, theirs = (str(stage.slack.home(p).body) for p in (root, stage.bob))  # type: ignore[union-attr]

        assert "1 incident, 1 answered, votes in 1" in theirs
        assert "Steps that gained" in theirs
        assert "Check connectivity between all nodes" in theirs
        assert "check-connectivity" not in theirs
        assert "settings_for" not in theirs
        assert "cable 0" not in theirs
        assert "cable 0 (bob)" in mine
        home = stage.slack.home(root)
        assert home is not None
        await stage.slack.click(root, home, "settings_for", stage.channel.id)
        form = await stage.slack.wait_for(lambda: stage.slack.modal(root))

        assert f"<#{stage.channel.id}>" in str(form.body)


async def test_home_links_to_unsolved_threads_of_public_channels_alone(stage: Stage) -> None:
    secret = stage.slack.add_channel("secret", [stage.alice, stage.app], private=True)
    async with stage.running():
        for channel in (stage.channel, secret):
            post = await stage.slack.post(stage.alice, channel, FOUNDING)
            replies = await stage.answered(post)
            for count in (2, 3, 4):
                await stage.slack.react(stage.alice, replies[count - 1], "-1")
                replies = await stage.answered(post, count + 1)
            await stage.slack.click(stage.alice, replies[-1], "save_unsolved")
            await stage.quiet()
        await stage.slack.open_home(stage.bob)
        home = await stage.slack.wait_for(lambda: stage.slack.home(stage.bob))

        assert "2 saved as unsolved" in str(home.body)
        assert stage.channel.id in str(home.body)
        assert secret.id not in str(home.body)


async def test_the_global_shortcut_opens_the_form_and_answers_in_a_direct_message(
    stage: Stage,
) -> None:
    async with stage.running():
        await stage.slack.shortcut(stage.alice, "diagnose_log")
        form = await stage.slack.wait_for(lambda: stage.slack.modal(stage.alice))
        await stage.slack.submit(stage.alice, form, {"text": {"text": FOUNDING}})
        await stage.quiet()
        direct = stage.slack.dm(stage.alice, stage.app)

        assert any("stated 85 %" in m.text for m in said_by_bot(stage, direct))
