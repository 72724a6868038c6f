"""The weekly digest to the maintainers' channel."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from rules.entry import Verification
from rules.load import KnowledgeBase
from rules.votes import Target, Thumb, Vote
from tests.scenarios.evidence import DAY, advance, fail_anew, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Channel, Message
    from tests.scenarios.conftest import Stage

SUNDAY = dt.datetime(2026, 12, 6, 20, tzinfo=dt.UTC)
MEMORY = "cuda/out-of-memory"
END = "raise-the-timeout"
STEP = "check-connectivity-and-interface"


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb, SUNDAY.timestamp()) as made:
        yield made


@pytest.fixture
def upkeep(late: Stage) -> Channel:
    return late.slack.add_channel("upkeep", [late.carol, late.app])


def digests(stage: Stage, channel: Channel) -> list[Message]:
    return [m for m in stage.slack.messages(channel) if m.user == stage.app.bot_user_id]


async def test_one_digest_a_week_tells_what_moved_and_by_whom(late: Stage, upkeep: Channel) -> None:
    options = {"maintainer_channel": upkeep.id}
    async with late.running(**options):
        for _ in range(3):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
        await late.slack.post(late.alice, late.channel, "KeyError: 'loss_scale' of run 17")
        assert digests(late, upkeep) == []
        await advance(late, 0.6 * DAY)
        [digest] = digests(late, upkeep)
    async with late.running(**options):
        await advance(late, DAY)
        await advance(late, 3 * DAY)
        assert len(digests(late, upkeep)) == 1
        await fail_anew(late)
        await advance(late, 4 * DAY)
        _, second = digests(late, upkeep)

    assert digest.text.startswith("*Rates, week 2026-W50*\n3 answers, votes in 3 incidents.")
    moved = f"{FOUNDING_ENTRY} {STEP}: works 85 % (stated) → 34 % ("
    assert moved in digest.text
    assert f"worked in 0 of 3 reports, last today), most by {late.bob.id}" in digest.text
    assert "1 × KeyError: 'loss_scale' of run #" in digest.text
    assert "3 entries never answered here" in digest.text
    assert "Gained" not in digest.text
    assert second.text.startswith("*Rates, week 2026-W51*\n1 answer, votes in 0 incidents.")
    assert "Lost" not in second.text


async def test_a_digest_has_all_its_parts(late: Stage, upkeep: Channel) -> None:
    entry = late.kb.entries[FOUNDING_ENTRY]
    stale = {"verification": Verification.CONFIRMED, "verified_on": dt.date(2025, 12, 1)}
    old = entry.model_copy(update=stale)
    late.kb = KnowledgeBase({**late.kb.entries, FOUNDING_ENTRY: old}, "1")
    _, batch, gloo = (step.id for step in entry.workarounds)
    async with late.running():
        await cast(late, STEP, "UHONEST", 40, first_day=9)
        await cast(late, STEP, late.carol.id, 4, up=False, first_day=50, same=True)
        await cast(late, batch, "UHONEST", 20, up=False, first_day=9)
        await cast(late, END, "UHONEST", 12, kind=Target.DEAD_END, first_day=9)
        await cast(late, "", "UWRONG", 4, up=False, kind=Target.ENTRY, first_day=9, entry=MEMORY)
        await cast(late, gloo, "UHONEST", 3, first_day=2)
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "-1")
        await late.slack.post(late.alice, late.channel, "KeyError: 'loss_scale' of run 17")
        await advance(late, 700)
    changed = [s.model_copy(update={"do": "Do another thing."}) if s.id == gloo else s
               for s in old.workarounds]  # fmt: skip
    edited = old.model_copy(update={"workarounds": tuple(changed)})
    late.kb = KnowledgeBase({**late.kb.entries, FOUNDING_ENTRY: edited}, "2")
    async with late.running(maintainer_channel=upkeep.id):
        await advance(late, 0.6 * DAY)
        [digest] = digests(late, upkeep)

    parts = read_parts(digest.text)
    assert [line.partition(":")[0] for line in parts["Gained"]] == [f"{FOUNDING_ENTRY} {gloo}"]
    assert "works 80 % (stated) → " in parts["Gained"][0]
    assert [line.partition(":")[0] for line in parts["Lost"]] == [f"{FOUNDING_ENTRY} {STEP}"]
    assert parts["Dead ends that worked for most"][0].startswith(
        f"{FOUNDING_ENTRY} {END}: failed in 0"
    )
    assert parts["Steps that hardly ever work"][0].startswith(
        f"{FOUNDING_ENTRY} {batch}: worked in 0"
    )
    assert len(parts["Reports unlike what the entry states"]) >= 2
    [doubted] = parts["Diagnoses often called wrong"]
    assert doubted.startswith(f"{MEMORY}: right in 0 of 4 reports · est. ")
    [edit] = parts["Texts changed under votes"]
    assert edit.startswith(f"{FOUNDING_ENTRY} {gloo}: other words than its 3 votes were given on.")
    [unusual] = parts["Unusual voters, to look at"]
    assert unusual.startswith(f"{late.carol.id}: 4 of 4 votes against")
    assert parts["Unknown errors"] == ["1 × KeyError: 'loss_scale' of run #"]
    assert parts["Answered, verified over a year ago"] == [FOUNDING_ENTRY]
    assert len(parts["3 entries never answered here"]) == 3


async def cast(
    stage: Stage,
    target: str,
    voter: str,
    count: int,
    *,
    first_day: int,
    up: bool = True,
    kind: Target = Target.STEP,
    same: bool = False,
    entry: str = FOUNDING_ENTRY,
) -> None:
    """So many incidents, two days apart and back from `first_day`, straight into the log."""
    assert stage.bot is not None
    team, now = stage.slack.team.id, stage.bot.core.moment
    log = [
        Vote(
            team=team,
            incident=f"earlier-{voter}-{number}",
            entry=entry,
            kind=kind,
            target=target,
            voter=voter if same else f"{voter}{number}",
            value=Thumb.UP if up else Thumb.DOWN,
            source="button",
            at=now - dt.timedelta(days=first_day + 2 * number),
        )
        for number in range(count)
    ]
    async with stage.bot.core.database.write() as connection:
        await stage.bot.core.ledger.record(connection, team, log)


def read_parts(text: str) -> dict[str, list[str]]:
    """The lines of a digest by the heading above them."""
    parts: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("*"):
            heading = line.strip("*")
            parts[heading] = []
        elif line.startswith("• "):
            parts[heading].append(line.removeprefix("• "))
    return parts


async def test_a_week_in_which_nothing_happened_has_no_digest(late: Stage, upkeep: Channel) -> None:
    async with late.running(maintainer_channel=upkeep.id):
        for _ in range(3):
            await advance(late, 7 * DAY)

        assert digests(late, upkeep) == []


async def test_without_a_channel_there_is_no_digest(late: Stage, upkeep: Channel) -> None:
    async with late.running():
        await fail_anew(late)
        await advance(late, 7 * DAY)

        assert digests(late, upkeep) == []


async def test_a_bot_that_was_down_on_monday_sends_it_when_it_is_up(
    late: Stage, upkeep: Channel
) -> None:
    assert late.clock is not None
    options = {"maintainer_channel": upkeep.id}
    async with late.running(**options):
        await fail_anew(late)
        await late.quiet()
    late.clock.advance(3 * DAY)
    async with late.running(**options):
        await advance(late, 1)

        assert len(digests(late, upkeep)) == 1
