"""People who try to move a rate, and clocks that do not agree."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
import re
from typing import TYPE_CHECKING

import pytest

from bot.store import answers as store
from bot.store.events import list_after
from bot.voting import Press, record_press
from rules.learn import replay
from rules.posterior import list_parts
from rules.say import say_rate
from rules.votes import Act, Target, Thumb, Vote
from rules.watch import list_unusual
from tests.scenarios.conftest import FOUNDING, poll
from tests.scenarios.evidence import DAY, advance, calm, fail_anew, mean_of, set_late_stage
from tests.scenarios.small_kb import FOUNDING_ENTRY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.localslack import Channel, Message
    from bot.store.answers import Answer
    from rules.entry import Entry
    from rules.learn import Rates
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


@pytest.mark.parametrize("days", [-400, 400])
async def test_a_clock_that_leaps_and_comes_back_loses_no_vote_and_weighs_none_twice(
    late: Stage, days: int
) -> None:
    assert late.clock is not None
    async with late.running(ask_poster=False) as bot:
        team = late.slack.team.id
        _, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await calm(late)
        late.clock.advance(days * DAY)
        _, step = await fail_anew(late)
        await late.slack.react(late.carol, step, "+1")
        await calm(late)
        away = (await bot.core.ledger.rates(team)).of(FOUNDING_ENTRY, STEP)
        late.clock.advance(-days * DAY)
        head, step = await fail_anew(late)
        await late.slack.react(late.bob, step, "+1")
        await calm(late)
        rates = await bot.core.ledger.rates(team)
        back = rates.of(FOUNDING_ENTRY, STEP)
        again = replay(
            [event for log in rates.logs.values() for event in log],
            late.kb.entries.values(),
            rates.now,
        )

    assert 1.0 <= away.n <= 2.0
    assert 1.0 < back.n <= 3.0
    assert back == again.of(FOUNDING_ENTRY, STEP)
    # A report from ahead is as of today, never of a negative age.
    assert "last today" in next(line for line in head.text.splitlines() if line.startswith("1. "))


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


async def test_every_head_that_slack_saw_shows_one_state_of_the_log_under_concurrent_votes(
    late: Stage,
) -> None:
    async with late.running(ask_poster=False) as bot:
        core, team = bot.core, late.slack.team.id
        heads = [(await fail_anew(late))[0] for _ in range(3)]
        async with core.database.read() as connection:
            presses = [
                press
                for head in heads
                for answer in [await store.find_in_thread(connection, team, *place_of(head))]
                if answer
                for press in draw_presses(team, answer, core.now(), random.Random(head.ts))
            ]
        seen: set[str] = set()
        done = asyncio.Event()

        async def watch() -> None:
            while not done.is_set():
                seen.update(head.text for head in heads)
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        random.Random(7).shuffle(presses)
        # In bursts: an edit of a head that still waits is replaced by the next one.
        for start in range(0, len(presses), 9):
            burst = presses[start : start + 9]
            await asyncio.gather(*(record_press(core, press) for press in burst))
            await calm(late)
        done.set()
        await watching
        entry = late.kb.entries[FOUNDING_ENTRY]
        now = (await core.ledger.rates(team)).now
        async with core.database.read() as connection:
            log = [core.ledger.voters.disguise(e) for _, e in await list_after(connection, team, 0)]

    rates = replay([], [entry], now)
    states = [list_rates(rates, entry)]
    for event in log:
        rates = rates.apply([event])
        states.append(list_rates(rates, entry))
    assert len(seen) > 5
    assert len(states) > 40
    assert all(any(shows(text, state) for state in states) for text in seen)
    # A head is edited by votes on its own incident; the one voted on last shows the whole log.
    assert any(shows(head.text, states[-1]) for head in heads)
    assert not any(shows(head.text, states[0]) for head in heads)


def place_of(head: Message) -> tuple[str, str]:
    assert head.thread_ts
    return head.channel, head.thread_ts


def draw_presses(team: str, answer: Answer, at: float, rng: random.Random) -> list[Press]:
    """Four people on each step and dead end, each as they please."""
    targets = [(Target.STEP, step) for step in answer.steps]
    targets += [(Target.DEAD_END, end) for end in answer.facts.dead_ends]
    return [
        Press(
            team, f"U0MANY{person}", answer.id, kind, target, rng.choice(list(Thumb)), Act.CAST, at
        )
        for person in range(4)
        for kind, target in targets
    ]


def list_rates(rates: Rates, entry: Entry) -> dict[str, str]:
    """How each step and dead end of one state reads, by the first words of what it says."""
    return {
        part.do[:20]: say_rate(rates.of(entry, part.id), rates.now) for part in list_parts(entry)
    }


def shows(text: str, state: dict[str, str]) -> bool:
    """Whether every rate in a head is that of the state."""
    return all(
        re.search(rf"[(·] ?{re.escape(rate)}(?: ·|\))", line)
        for title, rate in state.items()
        for line in text.splitlines()
        if title in line
    )
