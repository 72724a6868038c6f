"""Rate limits and faults."""

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler

from bot.localslack import LocalSlack, ManualClock
from bot.localslack.clock import SystemClock
from bot.localslack.limits import POST_BURST, RateLimits
from tests.localslack.conftest import Cast, assemble

if TYPE_CHECKING:
    from bot.localslack.model import Json


async def statuses(cast: Cast, count: int, **arguments: object) -> list[tuple[int, str | None]]:
    headers = {"Authorization": f"Bearer {cast.app.bot_token}"}
    found = []
    async with aiohttp.ClientSession(headers=headers) as session:
        for _ in range(count):
            call = session.post(f"{cast.slack.base_url}chat.postMessage", json=arguments)
            async with call as response:
                found.append((response.status, response.headers.get("Retry-After")))
    return found


async def test_limits_are_off_until_switched_on(cast: Cast) -> None:
    answers = await statuses(cast, 20, channel=cast.channel.id, text="x")

    assert {status for status, _ in answers} == {200}


async def test_one_post_a_second_per_channel_after_a_burst() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        other = slack.add_channel("other", [cast.alice, cast.app])
        slack.limits.enabled = True
        here: Json = {"channel": cast.channel.id, "text": "x"}

        burst = await statuses(cast, POST_BURST + 1, **here)
        elsewhere = await statuses(cast, 1, channel=other.id, text="x")
        clock.advance(1)
        later = await statuses(cast, 2, **here)

        assert burst == [(200, None)] * POST_BURST + [(429, "1")]
        assert elsewhere == [(200, None)]
        assert later == [(200, None), (429, "1")]
        assert len(slack.messages(cast.channel)) == POST_BURST + 1
        assert slack.calls[POST_BURST].answer["error"] == "ratelimited"


@pytest.mark.parametrize(("tier", "calls"), [("1", 1), ("2", 20), ("3", 50), ("4", 100)])
def test_a_tier_is_so_many_calls_a_minute(tier: str, calls: int) -> None:
    clock = ManualClock()
    limits = RateLimits(clock, enabled=True)
    waits = [limits.wait_for("some.method", tier, "app", None) for _ in range(calls + 1)]
    clock.advance(60 / calls)

    assert waits[:-1] == [0.0] * calls
    assert waits[-1] == pytest.approx(60 / calls)
    assert limits.wait_for("some.method", tier, "app", None) == 0.0
    assert limits.wait_for("some.method", tier, "another app", None) == 0.0


async def test_one_method_can_be_limited_alone(cast: Cast) -> None:
    cast.slack.limits.set("chat.postMessage", per_second=0.001)
    answers = await statuses(cast, 2, channel=cast.channel.id, text="x")

    assert answers[0] == (200, None)
    assert answers[1][0] == 429
    assert int(answers[1][1] or 0) > 900
    assert (await cast.call("auth.test"))["ok"]


async def test_the_sdk_waits_as_told(cast: Cast) -> None:
    cast.slack.fail("chat.postMessage", "ratelimited", seconds=1)
    cast.web.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    await cast.web.chat_postMessage(channel=cast.channel.id, text="x")

    assert [each.status for each in cast.slack.calls_of("chat.postMessage")] == [429, 200]


async def test_an_answer_that_is_lost_leaves_its_effect(cast: Cast) -> None:
    cast.slack.fail("chat.postMessage", "drop_answer")
    with pytest.raises(aiohttp.ClientConnectionError):
        await cast.call("chat.postMessage", channel=cast.channel.id, text="x")

    assert [each.text for each in cast.slack.messages(cast.channel)] == ["x"]


async def test_a_reset_has_no_effect(cast: Cast) -> None:
    cast.slack.fail("*", "reset")
    with pytest.raises(aiohttp.ClientConnectionError):
        await cast.call("chat.postMessage", channel=cast.channel.id, text="x")

    assert cast.slack.messages(cast.channel) == []
    assert (await cast.call("chat.postMessage", channel=cast.channel.id, text="x"))["ok"]


async def test_a_server_error_has_no_effect(cast: Cast) -> None:
    cast.slack.fail("chat.postMessage", "http_500", times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError):
            await cast.web.chat_postMessage(channel=cast.channel.id, text="x")
    await cast.web.chat_postMessage(channel=cast.channel.id, text="x")

    assert len(cast.slack.messages(cast.channel)) == 1


async def test_an_error_code_on_demand_for_calls_that_match(cast: Cast) -> None:
    cast.slack.fail(
        "chat.postMessage", "error", code="is_archived", matches=lambda args: args["text"] == "x"
    )
    first = await cast.call("chat.postMessage", channel=cast.channel.id, text="y")
    second = await cast.call("chat.postMessage", channel=cast.channel.id, text="x")

    assert (first["ok"], second["error"]) == (True, "is_archived")


async def test_a_delay_holds_a_call_back() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        slack.fail("chat.postMessage", "delay", seconds=5)
        call = asyncio.ensure_future(
            cast.call("chat.postMessage", channel=cast.channel.id, text="x")
        )
        await clock.until_asleep()
        assert slack.messages(cast.channel) == []
        clock.advance(5)

        assert (await call)["ok"]


async def test_the_clocks_sleep() -> None:
    await SystemClock().sleep(0)
    clock = ManualClock(start=100)
    await clock.sleep(0)

    assert clock.now() == 100
    assert SystemClock().now() > 0
