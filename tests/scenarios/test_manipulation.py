"""People who try to move a rate, and clocks that do not agree."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from typing import TYPE_CHECKING

import pytest

from bot.publish import view_of
from bot.slack.blocks.answer import say_head
from bot.store import answers as store
from rules.votes import Target, Thumb, Vote
from rules.watch import list_unusual
from tests.scenarios.conftest import FOUNDING, poll
from tests.scenarios.evidence import DAY, advance, calm, fail_anew, mean_of, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Channel, Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

STEP = "check-connectivity-and-interface"
THURSDAY = dt.datetime(2026, 12, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
async def late(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Stage]:
    async with set_late_stage(tmp_path, kb, THURSDAY.timestamp()) as made:
        yield made


async def vote_honestly(stage: Stage, count: int, *, up: bool) -> None:
    """So many incidents before today, one a day, each with another voter: straight into the log."""
    assert stage.bot is not None
    team, now = stage.slack.team.id, stage.bot.core.moment
    log = [
        Vote(
            team=team,
            incident=f"earlier{number}",
            entry=FOUNDING_ENTRY,
            kind=Target.STEP,
            target=STEP,
            voter=f"UHONEST{number}",
            value=Thumb.UP if up else Thumb.DOWN,
            source="button",
            at=now - dt.timedelta(days=number + 1),
        )
        for number in range(count)
    ]
    async with stage.bot.core.database.write() as connection:
        await stage.bot.core.ledger.record(connection, team, log)


async def test_a_brigade_in_one_thread_weighs_as_one_incident(late: Stage) -> None:
    async with late.running(ask_poster=False):
        await vote_honestly(late, 12, up=True)
        before = await mean_of(late, FOUNDING_ENTRY, STEP)
        _, step = await fail_anew(late)
        for number in range(10):
            await late.slack.react(late.slack.add_user(f"brigade{number}"), step, "-1")
        await calm(late)

        assert 0 < before - await mean_of(late, FOUNDING_ENTRY, STEP) <= 0.07


async def test_one_person_counts_in_three_incidents_and_the_digest_names_colluders(
    late: Stage,
) -> None:
    upkeep: Channel = late.slack.add_channel("upkeep", [late.carol, late.app])
    async with late.running(ask_poster=False, maintainer_channel=upkeep.id):
        await vote_honestly(late, 12, up=True)
        means = []
        for _ in range(5):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
            await advance(late, DAY)
            means.append(await mean_of(late, FOUNDING_ENTRY, STEP))
        await advance(late, 3600)
        told = [m.text for m in late.slack.messages(upkeep) if m.user == late.app.bot_user_id]

    assert means[0] > means[1] > means[2]
    assert means[4] == pytest.approx(means[2], abs=0.01)
    assert any(f"most by {late.bob.id}" in text for text in told)


async def test_a_voter_who_always_disagrees_is_listed_and_not_dropped(late: Stage) -> None:
    async with late.running(ask_poster=False) as bot:
        await vote_honestly(late, 12, up=True)
        for _ in range(4):
            _, step = await fail_anew(late)
            await late.slack.react(late.bob, step, "-1")
            await advance(late, DAY)
        rates = await bot.core.ledger.rates(late.slack.team.id)
        [unusual] = list_unusual(rates)

        assert unusual.voter == bot.core.ledger.mask(late.bob.id)
        assert unusual.against == unusual.votes == 4
        assert len(rates.evidence(FOUNDING_ENTRY, STEP).left_out) == 1


async def test_a_flood_of_one_entry_on_one_day_counts_three_incidents(late: Stage) -> None:
    async with late.running(ask_poster=False) as bot:
        for number in range(5):
            _, step = await fail_anew(late)
            await late.slack.react(late.slack.add_user(f"v{number}"), step, "+1")
        await calm(late)
        rates = await bot.core.ledger.rates(late.slack.team.id)
        assert len(rates.evidence(FOUNDING_ENTRY, STEP).reports) == 3
        await advance(late, DAY)
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await calm(late)
        rates = await bot.core.ledger.rates(late.slack.team.id)

        assert len(rates.evidence(FOUNDING_ENTRY, STEP).reports) == 4


async def test_a_clock_that_is_set_back_loses_no_vote_and_asks_nobody_twice(late: Stage) -> None:
    async with late.running() as bot:
        head, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await calm(late)
        assert late.clock is not None
        late.clock.advance(-2 * DAY)
        bot.core.outbox.wake()
        second, other = await fail_anew(late)
        await late.slack.react(late.bob, other, "-1")
        await calm(late)
        rates = await bot.core.ledger.rates(late.slack.team.id)
        assert len(rates.evidence(FOUNDING_ENTRY, STEP).reports) == 2
        for _ in range(3):
            await advance(late, 2 * DAY)

        asked = [m for m in late.slack.messages(late.channel) if "asked_worked" in str(m.blocks)]
        assert asked == []
        assert "1 of 2 reports" in second.text
        assert head.text


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
async def test_the_machine_s_time_zone_moves_nothing(
    late: Stage, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        try:
            async with late.running(ask_poster=False) as bot:
                head, step = await fail_anew(late)
                await late.slack.react(late.bob, step, "+1")
                await advance(late, DAY * 1.5)
                rates = await bot.core.ledger.rates(late.slack.team.id)
                [report] = rates.evidence(FOUNDING_ENTRY, STEP).reports
                age = late.clock.now() - report.last

                assert age == pytest.approx(1.5 * DAY, abs=60)
                assert "1 of 1 reports" in head.text
        finally:
            patch.undo()
            time.tzset()


async def test_a_thumb_that_comes_before_the_bot_knows_its_own_message_counts(
    late: Stage,
) -> None:
    async with late.running(ask_poster=False) as bot:
        late.slack.fail("chat.postMessage", "drop_answer", times=2)
        post = await late.slack.post(late.alice, late.channel, FOUNDING)
        [head] = await late.answered(post, 1)
        await late.slack.react(late.bob, head, "+1")
        await late.slack.settled()

        async def is_kept() -> bool:
            late.clock.advance(1)
            bot.core.outbox.wake()
            rates = await bot.core.ledger.rates(late.slack.team.id)
            return bool(rates.evidence(FOUNDING_ENTRY, STEP).reports)

        await poll(is_kept)


async def test_the_rates_of_one_answer_come_from_one_state_under_concurrent_votes(
    late: Stage,
) -> None:
    async with late.running(ask_poster=False) as bot:
        heads = [await fail_anew(late) for _ in range(3)]
        voters = [late.slack.add_user(f"many{n}") for n in range(6)]
        seen: list[tuple[str, ...]] = []
        done = asyncio.Event()

        async def look() -> None:
            while not done.is_set():
                seen.append(await render(late))
                await asyncio.sleep(0)

        async def vote(voter: object, step: Message, name: str) -> None:
            await late.slack.react(voter, step, name)

        looking = asyncio.create_task(look())
        await asyncio.gather(
            *(
                vote(voter, step, "+1" if place % 2 else "-1")
                for place, voter in enumerate(voters)
                for _, step in heads
            )
        )
        await calm(late)
        done.set()
        await looking
        last = await render(late)
        rates = await bot.core.ledger.rates(late.slack.team.id)

        assert all(each[0] == each[1] for each in seen)
        assert len(set(seen)) > 1
        shown = re.search(r"in (\d+) of (\d+) reports", last[0])
        assert shown
        assert int(shown[2]) == rates.of(FOUNDING_ENTRY, STEP).reports == 3


async def render(stage: Stage) -> tuple[str, str]:
    """The head of one answer, twice from one snapshot, with other work let in between."""
    assert stage.bot is not None
    core = stage.bot.core
    rates = await core.ledger.rates(stage.slack.team.id)
    async with core.database.read() as connection:
        incidents = {event.incident for event in rates.logs[FOUNDING_ENTRY]}
        [answer] = await store.list_answers(connection, stage.slack.team.id, min(incidents))
        first = await view_of(core, connection, answer, rates)
        await asyncio.sleep(0)
        second = await view_of(core, connection, answer, rates)
    assert first
    assert second
    return say_head(first), say_head(second)
