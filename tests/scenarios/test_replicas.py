"""Two processes on one database: everything is worked once and said once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from bot.app import start_bot
from bot.pace import BURST, PER_SECOND
from bot.store.database import Database
from bot.store.tables import events, inbox, metadata, outbox
from tests.bot.conftest import postgres_url  # noqa: F401  a fixture
from tests.scenarios.conftest import FOUNDING, set_stage, wait_idle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.app import Bot
    from bot.localslack import Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

COLLEAGUES = 3


@pytest.fixture
async def pair(
    request: pytest.FixtureRequest, tmp_path: Path, kb: KnowledgeBase
) -> AsyncIterator[tuple[Stage, Bot, Bot]]:
    """Two bots with one token, on SQLite in one folder or on one PostgreSQL."""
    transport, database = request.param
    more = {}
    if database == "postgres":
        more["database_url"] = request.getfixturevalue("postgres_url")
    async with (
        set_stage(transport, tmp_path, kb) as stage,
        stage.running(**more) as first,
        start_bot(stage.settings(**more), kb) as second,
    ):
        if transport == "socket":
            await stage.slack.connected(stage.app, links=2)
        yield stage, first, second
    if database == "postgres":
        await _empty(more["database_url"])


async def _empty(url: str) -> None:
    """Leave no table to the next test."""
    database = Database(url)
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.drop_all)
        await connection.execute(sa.text("DROP TABLE alembic_version"))
    await database.close()


BOTH = pytest.mark.parametrize(
    "pair",
    [
        ("socket", "sqlite"),
        ("http", "sqlite"),
        pytest.param(("http", "postgres"), marks=pytest.mark.services),
    ],
    indirect=True,
)


def aim(stage: Stage, bot: Bot) -> None:
    """Over HTTP: have the next deliveries go to this one, as a balancer would."""
    if stage.transport == "http":
        stage.app.request_url = f"http://127.0.0.1:{bot.port}/slack/events"


async def post_all(stage: Stage, bots: tuple[Bot, Bot]) -> list[Message]:
    """Posts of several people in a channel each has with the bot, and one that all share."""
    posts = []
    for number in range(COLLEAGUES):
        person = stage.slack.add_user(f"colleague{number}")
        own = stage.slack.add_channel(f"own{number}", [person, stage.app])
        stage.channel.members.append(person.id)
        for channel in (own, stage.channel):
            aim(stage, bots[len(posts) % 2])
            rank = f"{FOUNDING}\nhost node{len(posts)}"
            posts.append(await stage.slack.post(person, channel, rank))
    return posts


async def quiet(stage: Stage, *bots: Bot) -> None:
    for bot in bots:
        await wait_idle(bot, stage.slack)


@BOTH
async def test_each_post_gets_one_answer_and_each_thumb_counts_once(
    pair: tuple[Stage, Bot, Bot],
) -> None:
    stage, *bots = pair
    posts = await post_all(stage, (bots[0], bots[1]))
    await quiet(stage, *bots)
    answers = [post for post in posts if len(stage.bot_replies(post)) == 2]
    assert len(answers) >= COLLEAGUES
    assert all(len(stage.bot_replies(post)) in {1, 2} for post in posts)
    for number, post in enumerate(answers):
        aim(stage, bots[number % 2])
        await stage.slack.react(stage.bob, stage.bot_replies(post)[1], "+1")
        redelivered = stage.slack.deliveries[-1]
        aim(stage, bots[(number + 1) % 2])
        stage.slack.redeliver(redelivered)
    await quiet(stage, *bots)

    async with bots[0].core.database.read() as connection:
        votes = sa.select(events.c.incident).where(events.c.type == "vote")
        cast = list((await connection.execute(votes)).scalars())
        left = [
            row.status
            for table in (inbox, outbox)
            for row in await connection.execute(
                sa.select(table.c.status).where(table.c.worker.is_not(None))
            )
        ]
    assert len(cast) == len(answers)
    assert left == []


@BOTH
async def test_a_channel_hears_no_more_of_two_than_of_one(pair: tuple[Stage, Bot, Bot]) -> None:
    stage, *bots = pair
    await post_all(stage, (bots[0], bots[1]))
    await quiet(stage, *bots)
    calls = stage.slack.calls_of("chat.postMessage")
    assert len(calls) >= 2 * COLLEAGUES

    for channel in {call.args["channel"] for call in calls}:
        sent = [call.at for call in calls if call.args["channel"] == channel]
        for last, at in enumerate(sent):
            for first in range(last):
                allowed = BURST + (at - sent[first]) * PER_SECOND
                # A call that was on its way longer than the one before comes close behind it.
                assert last - first + 1 <= allowed + 0.9


@BOTH
async def test_what_one_is_sending_the_other_leaves_alone(pair: tuple[Stage, Bot, Bot]) -> None:
    stage, *bots = pair
    stage.slack.fail("chat.postMessage", "delay", seconds=0.6, times=2)
    aim(stage, bots[0])
    post = await stage.slack.post(stage.alice, stage.channel, FOUNDING)
    async with asyncio.timeout(10):
        while len(stage.bot_replies(post)) < 2:
            # Every wake is a look at what waits.
            for bot in bots:
                bot.core.outbox.wake()
            await asyncio.sleep(0.05)
    await quiet(stage, *bots)

    assert len(stage.slack.calls_of("chat.postMessage")) == 2
