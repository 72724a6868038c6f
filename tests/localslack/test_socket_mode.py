"""Socket Mode: acknowledgement, redelivery, connections."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.localslack import LocalSlack, ManualClock, Timing
from bot.localslack.model import Json
from bot.localslack.socket_mode import Reason
from tests.localslack.conftest import Cast, Listener, assemble, connect
from tests.localslack.shapes import differences, fixture


@asynccontextmanager
async def listening(
    cast: Cast, reply: Callable[[Json], Json | None] | None = None
) -> AsyncIterator[Listener]:
    async with aiohttp.ClientSession() as session:
        listener, running = await connect(cast.slack, cast.app, session, reply)
        task = asyncio.ensure_future(running)
        try:
            yield listener
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_an_acknowledged_event_comes_once(cast: Cast, listener: Listener) -> None:
    await cast.slack.post(cast.alice, cast.channel, "it hangs")
    await cast.slack.settled()

    assert [each["retry_attempt"] for each in listener.frames] == [0]
    assert [each.state for each in cast.slack.deliveries] == ["acknowledged"]


async def test_an_unacknowledged_event_comes_again_under_the_same_event_id() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        async with listening(cast, reply=lambda _: None) as listener:
            await slack.post(cast.alice, cast.channel, "it hangs")
            for number, wait in enumerate((0, 60, 300), start=1):
                await _time_out(slack, clock, listener, number)
                # The connection's own timer and, past the first, the wait before the retry.
                await clock.until_asleep(2 if wait else 1)
                clock.advance(wait)
            await _time_out(slack, clock, listener, 4)
            await slack.settled()
            attempts = [(each["retry_attempt"], each["retry_reason"]) for each in listener.frames]

        assert attempts == [(0, ""), (1, "timeout"), (2, "timeout"), (3, "timeout")]
        assert len({each["payload"]["event_id"] for each in listener.frames}) == 1
        assert len({each["envelope_id"] for each in listener.frames}) == 4
        assert slack.deliveries[0].state == "given_up"
        expected = fixture("socket_envelope_events_api_retry.json") | {"payload": {}}
        assert differences(listener.frames[1] | {"payload": {}}, expected) == []


async def _time_out(
    slack: LocalSlack, clock: ManualClock, listener: Listener, attempt: int
) -> None:
    """Let the three seconds of the attempt pass."""
    await slack.wait_for(lambda: len(listener.frames) == attempt)
    await clock.until_asleep(2)
    clock.advance(3)
    await slack.wait_for(lambda: len(slack.deliveries[0].failures) == attempt)


async def test_an_acknowledgement_after_a_retry_ends_it(slack: LocalSlack) -> None:
    cast = assemble(slack)
    seen: list[int] = []

    def second_only(frame: Json) -> Json | None:
        seen.append(frame["retry_attempt"])
        return {} if frame["retry_attempt"] else None

    slack.socket.timing = Timing(ack=0.05)
    async with listening(cast, second_only):
        await slack.post(cast.alice, cast.channel, "it hangs")
        await slack.settled()

    assert seen == [0, 1]
    assert slack.deliveries[0].acknowledged


async def test_a_command_that_is_not_acknowledged_is_not_repeated(slack: LocalSlack) -> None:
    cast = assemble(slack)
    slack.socket.timing = Timing(ack=0.05)
    async with listening(cast, reply=lambda _: None) as listener:
        delivery = await slack.command(cast.alice, cast.channel, "/nccl", "x")

    assert delivery.state == "given_up"
    assert len(listener.frames) == 1
    assert slack.ephemerals(cast.alice)[0].text == (
        '/nccl failed with the error "operation_timeout"'
    )


async def test_an_acknowledgement_may_carry_the_answer(slack: LocalSlack) -> None:
    cast = assemble(slack)
    answer = fixture("socket_ack.json")["payload"]
    async with listening(cast, reply=lambda _: answer):
        await slack.command(cast.alice, cast.channel, "/nccl", "x")

    assert [each.text for each in slack.ephemerals(cast.alice)] == ["Looking at it"]
    assert slack.ephemerals(cast.bob) == []


async def test_connections_take_turns(slack: LocalSlack) -> None:
    cast = assemble(slack)
    async with listening(cast) as one, listening(cast) as two:
        for number in range(4):
            await slack.post(cast.alice, cast.channel, f"post {number}")
        await slack.settled()

    assert [one.hello["num_connections"], two.hello["num_connections"]] == [1, 2]
    assert [len(one.frames), len(two.frames)] == [2, 2]


async def test_ten_connections_at_most(cast: Cast) -> None:
    async with aiohttp.ClientSession() as session:
        sockets = []
        for _ in range(10):
            url = cast.slack._open_socket(cast.app)
            sockets.append(await session.ws_connect(url))
            await sockets[-1].receive_json()
        eleventh = await session.ws_connect(cast.slack._open_socket(cast.app))

        assert (await eleventh.receive_json())["reason"] == "too_many_websockets"
        assert (await eleventh.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_a_ticket_opens_one_connection(cast: Cast) -> None:
    url = cast.slack._open_socket(cast.app)
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url) as ws:
            await ws.receive_json()
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_disconnects(cast: Cast, reason: Reason) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(cast.slack._open_socket(cast.app)) as ws:
            await ws.receive_json()
            await cast.slack.connected(cast.app)
            await cast.slack.disconnect(cast.app, reason)
            notice = await ws.receive_json()
            if reason != "warning":
                assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE

        assert differences(notice, fixture(f"socket_disconnect_{reason}.json")) == []
        assert notice["reason"] == reason
        headers = {"Authorization": f"Bearer {cast.app.app_token}"}
        opening = session.post(f"{cast.slack.base_url}apps.connections.open", headers=headers)
        async with opening as response:
            assert (await response.json())["ok"] is (reason != "link_disabled")


async def test_a_connection_ends_after_its_time() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack, aiohttp.ClientSession() as session:
        app = slack.add_app()
        url = slack._open_socket(app) + "&debug_reconnects=true"
        async with session.ws_connect(url) as ws:
            hello = await ws.receive_json()
            clock.advance(350)
            warning = await ws.receive_json()
            await clock.until_asleep()
            clock.advance(10)
            refresh = await ws.receive_json()

        assert hello["debug_info"]["approximate_connection_time"] == 360
        assert [warning["reason"], refresh["reason"]] == ["warning", "refresh_requested"]


async def test_an_event_sent_into_a_dying_connection_goes_to_another(slack: LocalSlack) -> None:
    cast = assemble(slack)
    async with aiohttp.ClientSession() as session:
        ws = await session.ws_connect(slack._open_socket(cast.app))
        await ws.receive_json()
        await slack.post(cast.alice, cast.channel, "it hangs")
        await ws.receive_json()
        async with listening(cast) as listener:
            await ws.close()
            await slack.settled()

    assert [each["retry_attempt"] for each in listener.frames] == [1]


async def test_an_app_hears_only_what_it_may(slack: LocalSlack) -> None:
    cast = assemble(slack)
    cast.app.home.scopes -= {"reactions:read", "im:history"}
    cast.app.events -= {"member_joined_channel"}
    elsewhere = slack.add_channel("elsewhere", [cast.alice, cast.bob])
    async with listening(cast) as listener:
        await slack.post(cast.alice, elsewhere, "not for the bot @nccl-bot")
        await slack.post(cast.alice, slack.dm(cast.alice, cast.app), "no scope")
        post = await slack.post(cast.alice, cast.channel, "heard")
        await slack.react(cast.bob, post, "+1")
        slack.invite(slack.add_user("carol"), cast.channel)
        await slack.settled()

    assert [each.get("subtype", each["type"]) for each in listener.events] == [
        "message",
        "channel_join",
    ]


async def test_workspaces_are_kept_apart(slack: LocalSlack) -> None:
    cast = assemble(slack)
    grid = slack.add_team("grid", enterprise="Example Org")
    slack.install(cast.app, grid)
    carol = slack.add_user("carol", team=grid)
    there = slack.add_channel("there", [carol, cast.app], team=grid)
    async with listening(cast) as listener:
        await slack.post(cast.alice, cast.channel, "here")
        await slack.post(carol, there, "there")
        await slack.settled()
    bodies = [each["payload"] for each in listener.frames]

    assert [each["team_id"] for each in bodies] == [slack.team.id, grid.id]
    assert [each.get("enterprise_id") for each in bodies] == [None, grid.enterprise_id]
    users = {each["authorizations"][0]["user_id"] for each in bodies}
    assert users == {each.bot_user for each in cast.app.installations.values()}


async def test_a_shared_channel_says_so(slack: LocalSlack) -> None:
    cast = assemble(slack)
    partner = slack.add_team("partner")
    eve = slack.add_user("eve", team=partner)
    shared = slack.add_channel("shared", [cast.alice, eve, cast.app], shared_with=[partner])
    async with listening(cast) as listener:
        await slack.post(eve, shared, "hello")
        await slack.settled()
    body = listener.frames[0]["payload"]

    assert body["is_ext_shared_channel"] is True
    assert (body["team_id"], body["event"]["team"]) == (slack.team.id, partner.id)


async def test_events_are_held_and_released_in_another_order(
    cast: Cast, listener: Listener
) -> None:
    cast.slack.hold()
    posts = [await cast.slack.post(cast.alice, cast.channel, str(number)) for number in range(3)]
    cast.slack.release(lambda held: [*reversed(held), held[0]])
    await cast.slack.settled()

    expected = [posts[2].ts, posts[1].ts, posts[0].ts, posts[0].ts]
    assert [each["ts"] for each in listener.events] == expected
    assert len({each["payload"]["event_id"] for each in listener.frames}) == 3


async def test_the_sdks_own_client_connects_and_reconnects(cast: Cast) -> None:
    slack, heard = cast.slack, asyncio.Queue[str]()

    async def listen(client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        await client.send_socket_mode_response(SocketModeResponse(request.envelope_id))
        heard.put_nowait(request.payload["event"]["text"])

    web = AsyncWebClient(base_url=slack.base_url)
    client = SocketModeClient(cast.app.app_token, web_client=web)
    client.socket_mode_request_listeners.append(listen)
    try:
        await client.connect()  # type: ignore[no-untyped-call]
        await slack.connected(cast.app)
        await slack.post(cast.alice, cast.channel, "first")
        assert await heard.get() == "first"
        first = slack.socket.links[cast.app.id][0]
        await slack.disconnect(cast.app, "refresh_requested")
        await slack.wait_for(
            lambda: any(link is not first for link in slack.socket.links[cast.app.id])
        )
        await slack.post(cast.alice, cast.channel, "second")
        assert await heard.get() == "second"
        await slack.settled()
    finally:
        await client.close()  # type: ignore[no-untyped-call]
