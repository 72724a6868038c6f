"""Dead ends are recalibrated too: people say that one worked after all, or failed here too."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.conftest import FOUNDING
from tests.scenarios.evidence import DAY, advance, calm, fail_anew, mean_of, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Message, User
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

END = "raise-the-timeout"
THURSDAY = dt.datetime(2026, 12, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb, THURSDAY.timestamp()) as made:
        yield made


async def say_of_end(stage: Stage, head: Message, person: User, action: str) -> Message:
    """Ask for the whole answer, then for its dead ends, and press; the confirmation."""
    await stage.slack.click(person, head, "show_all")
    await calm(stage)
    await stage.slack.click(person, stage.slack.ephemerals(person)[-1], "dead_ends")
    await calm(stage)
    asked = stage.slack.ephemerals(person)[-1]
    [value] = values_of(asked, END)
    await stage.slack.click(person, asked, action, value)
    await calm(stage)
    return stage.slack.ephemerals(person)[-1]


def values_of(message: Message, target: str) -> set[str]:
    """The values of the buttons about one target."""
    return {
        element["value"]
        for block in message.blocks
        for element in block.get("elements", ())
        if str(element.get("value", "")).endswith(f"|{target}")
    }


def line_of_end(head: Message) -> str:
    return next(line for line in head.text.splitlines() if line.startswith("• Raise the timeout"))


async def test_a_dead_end_that_worked_is_a_vote_that_can_be_taken_back(late: Stage) -> None:
    async with late.running(ask_poster=False):
        head, _ = await fail_anew(late)
        before = line_of_end(head)
        thanks = await say_of_end(late, head, late.bob, "dead_end_worked")
        assert "failed in 0 of 1 reports, last today · worked here, says 1 person" in line_of_end(
            head
        )
        assert "stated" in line_of_end(head)
        await late.slack.click(late.bob, thanks, "undo")
        await calm(late)
        assert line_of_end(head) == before
        await say_of_end(late, head, late.bob, "dead_end_failed")

        assert "failed in 1 of 1 reports, last today)" in line_of_end(head)


async def test_who_asked_alone_can_say_so_too(late: Stage) -> None:
    async with late.running():
        before = await mean_of(late, FOUNDING_ENTRY, END)
        await late.slack.command(late.alice, late.channel, "/nccl", FOUNDING)
        await calm(late)
        [answer] = late.slack.ephemerals(late.alice)
        await late.slack.click(late.alice, answer, "dead_ends")
        await calm(late)
        asked = late.slack.ephemerals(late.alice)[-1]
        [value] = values_of(asked, END)
        await late.slack.click(late.alice, asked, "dead_end_worked", value)
        await calm(late)

        assert await mean_of(late, FOUNDING_ENTRY, END) > before
        assert "it did work for you" in late.slack.ephemerals(late.alice)[-1].text


async def test_a_guest_says_nothing_of_a_dead_end(late: Stage) -> None:
    async with late.running(ask_poster=False):
        guest = late.slack.add_user("guest", guest=True)
        late.channel.members.append(guest.id)
        head, _ = await fail_anew(late)
        before = await mean_of(late, FOUNDING_ENTRY, END)
        told = await say_of_end(late, head, guest, "dead_end_worked")

        assert "Only members" in told.text
        assert await mean_of(late, FOUNDING_ENTRY, END) == pytest.approx(before)


async def test_a_dead_end_that_worked_for_most_goes_last_and_into_the_digest(late: Stage) -> None:
    upkeep = late.slack.add_channel("upkeep", [late.carol, late.app])
    async with late.running(
        ask_poster=False, maintainer_channel=upkeep.id, maintainers=(late.carol.id,)
    ):
        for number in range(5):
            person = late.slack.add_user(f"voter{number}")
            head, _ = await fail_anew(late, person)
            await say_of_end(late, head, person, "dead_end_worked")
            await advance(late, DAY / 2)
        head, _ = await fail_anew(late)
        ends = [line for line in head.text.splitlines() if line.startswith("• ")]
        await advance(late, 3 * DAY)
        told = [m.text for m in late.slack.messages(upkeep) if m.user == late.app.bot_user_id]

        await late.slack.command(late.carol, late.channel, "/nccl", f"rates {FOUNDING_ENTRY}")
        await calm(late)
        account = late.slack.ephemerals(late.carol)[-1].text

    # Each said that it worked, which lowers how often it fails.
    assert len(re.findall(r"U\w+ moved it by -\d", account)) == 5
    assert ends[-1] == line_of_end(head)
    assert "failed in 0 of 5 reports · est. fails 20 % (" in ends[-1]
    assert "Dead ends that worked for most" in told[-1]
    assert f"{FOUNDING_ENTRY} {END}: failed in 0 of 5 reports" in told[-1]
