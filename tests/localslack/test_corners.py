"""The rarer paths, each of which somebody's bot will meet."""

import aiohttp
import pytest

from bot.localslack import LocalSlack, ManualClock, Message, SlackError, Timing
from bot.localslack.model import Json
from tests.localslack.conftest import Cast, Listener, assemble
from tests.localslack.test_answers import open_modal, send
from tests.localslack.test_payload_shapes import VOTE_BLOCKS
from tests.localslack.test_socket_mode import listening


async def test_attachments_are_stored_with_ids_and_fallbacks(cast: Cast) -> None:
    nested = {"type": "section", "text": {"type": "mrkdwn", "text": "a & b"}}
    await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        attachments=[{"title": "a < b", "text": "x"}, {"blocks": [nested]}, {"text": "y"}],
    )
    stored = cast.slack.messages(cast.channel)[0].attachments or []

    assert [each["id"] for each in stored] == [1, 2, 3]
    assert [each["fallback"] for each in stored] == ["a &lt; b", "[no preview available]", "y"]
    assert stored[1]["blocks"][0]["text"]["text"] == "a &amp; b"


async def test_a_button_inside_an_attachment(cast: Cast, listener: Listener) -> None:
    await cast.call(
        "chat.postMessage", channel=cast.channel.id, attachments=[{"blocks": VOTE_BLOCKS}]
    )
    message = cast.slack.messages(cast.channel)[0]

    assert (await cast.slack.click(cast.bob, message, "vote_up")).acknowledged


async def test_empty_metadata_is_none(cast: Cast) -> None:
    await cast.call("chat.postMessage", channel=cast.channel.id, text="x", metadata={})

    assert cast.slack.messages(cast.channel)[0].metadata is None


async def test_the_bots_own_channels(cast: Cast) -> None:
    cast.slack.add_channel("elsewhere", [cast.alice])
    cast.slack.add_channel("secret", [cast.alice, cast.app], private=True)
    own = await cast.web.users_conversations(types="public_channel,private_channel")
    hers = await cast.web.users_conversations(user=cast.alice.id)

    assert [each["name"] for each in own["channels"]] == ["train-alerts", "secret"]
    assert [each["name"] for each in hers["channels"]] == ["train-alerts", "elsewhere"]


async def test_a_direct_channel_reopened_and_one_with_several(cast: Cast) -> None:
    group = await cast.call(
        "conversations.open", users=f"{cast.alice.id},{cast.bob.id}", return_im=True
    )
    again = await cast.call("conversations.open", channel=group["channel"]["id"])

    assert group["channel"]["is_mpim"] is True
    assert again["no_op"] is True
    cast.slack.add_user("carol")
    info = await cast.call("conversations.info", channel=group["channel"]["id"])
    assert info["channel"]["name"].startswith("mpdm-")


async def test_people_are_held_to_the_rules_too(cast: Cast) -> None:
    outsider = cast.slack.add_user("carol")
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    with pytest.raises(SlackError, match="not_in_channel"):
        await cast.slack.post(outsider, cast.channel, "x")
    with pytest.raises(SlackError, match="no_reaction"):
        await cast.slack.unreact(cast.bob, post, "+1")
    with pytest.raises(SlackError, match="thread_not_found"):
        await cast.slack.post(cast.bob, cast.channel, "x", thread=_stray(post.ts))
    cast.channel.archived = True
    with pytest.raises(SlackError, match="is_archived"):
        await cast.slack.post(cast.alice, cast.channel, "x")


def _stray(ts: str) -> Message:
    return Message("C00000001", "T00000001", f"1{ts}", "x")


async def test_joining_twice_and_leaving_twice_tell_once(cast: Cast, listener: Listener) -> None:
    carol = cast.slack.add_user("carol")
    for _ in range(2):
        cast.slack.invite(carol, cast.channel)
    for _ in range(2):
        cast.slack.remove(carol, cast.channel)
    await cast.slack.settled()

    assert len(listener.of("member_joined_channel")) == 1
    assert len(listener.of("member_left_channel")) == 1


async def test_the_last_app_installed_takes_the_command(slack: LocalSlack) -> None:
    first, second = slack.add_app("first"), slack.add_app("second")
    alice = slack.add_user("alice")
    channel = slack.add_channel("train", [alice])
    slack.socket.timing = Timing(ack=0.01)
    await slack.command(alice, channel, "/nccl", "x")

    assert [each.app for each in slack.deliveries] == [second]
    await slack.command(alice, channel, "/nccl", "x", app=first)
    assert slack.deliveries[-1].app is first
    with pytest.raises(LookupError, match="/other"):
        await slack.command(alice, channel, "/other")
    with pytest.raises(LookupError, match="no_such_shortcut"):
        await slack.shortcut(alice, "no_such_shortcut")


async def test_nonsense_from_a_client_changes_nothing(cast: Cast) -> None:
    async with aiohttp.ClientSession() as session:
        ws = await session.ws_connect(cast.slack._open_socket(cast.app))
        await ws.receive_json()
        for nonsense in ("{", "[]", '{"envelope_id": "unknown"}'):
            await ws.send_str(nonsense)
        await ws.send_bytes(b"x")
        await cast.slack.post(cast.alice, cast.channel, "it hangs")
        envelope = await ws.receive_json()
        for _ in range(2):
            await ws.send_json({"envelope_id": envelope["envelope_id"]})
        await cast.slack.settled()
        await ws.close()

    assert [each.state for each in cast.slack.deliveries] == ["acknowledged"]


async def test_an_update_of_what_is_gone(cast: Cast, listener: Listener) -> None:
    await cast.call("chat.postMessage", channel=cast.channel.id, text="likely", blocks=VOTE_BLOCKS)
    message = cast.slack.messages(cast.channel)[0]
    url = (await cast.slack.click(cast.bob, message, "vote_up")).payload["response_url"]
    await cast.slack.delete(message)
    command = await cast.slack.command(cast.bob, cast.channel, "/nccl")

    assert "message_not_found" in (await send(url, text="x"))[1]
    assert "message_not_found" in (await send(url, delete_original=True))[1]
    response_url = command.payload["response_url"]
    assert "message_not_found" in (await send(response_url, delete_original=True))[1]


async def test_errors_for_no_input_of_the_modal_are_refused(slack: LocalSlack) -> None:
    cast = assemble(slack)

    def reply(frame: Json) -> Json:
        wrong = {"response_action": "errors", "errors": {"no_such_block": "x"}}
        return wrong if frame["payload"].get("type") == "view_submission" else {}

    async with listening(cast, reply):
        view = await open_modal(cast)
        with pytest.raises(SlackError, match="invalid_arguments"):
            await slack.submit(cast.alice, view, {"log": {"text": "NCCL WARN"}})


async def test_a_tombstone_takes_no_reaction(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    await cast.slack.delete(post)
    answer = await cast.call(
        "reactions.add", channel=cast.channel.id, timestamp=post.ts, name="eyes"
    )

    assert answer["error"] == "message_not_found"


async def test_a_sleeper_that_gives_up_is_forgotten() -> None:
    import asyncio

    clock = ManualClock()
    sleeper = asyncio.ensure_future(clock.sleep(5))
    await clock.until_asleep()
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)
    other = asyncio.ensure_future(clock.sleep(5))
    await clock.until_asleep()
    clock.advance(5)
    await other

    assert not sleeper.done() or sleeper.cancelled()


async def test_mentions_of_a_channel_that_one_is_not_in_reach_nobody(slack: LocalSlack) -> None:
    cast = assemble(slack)
    apart = slack.add_channel("apart", [cast.alice])
    await slack.post(cast.alice, apart, "@nccl-bot are you there?")

    assert slack.deliveries == []


async def test_a_held_event_that_is_left_out_is_lost(cast: Cast, listener: Listener) -> None:
    cast.slack.hold()
    for number in range(3):
        await cast.slack.post(cast.alice, cast.channel, str(number))
    cast.slack.release(lambda held: [held[1]])
    await cast.slack.settled()

    assert [each["text"] for each in listener.events] == ["1"]
    states = [each.state for each in cast.slack.deliveries]
    assert states == ["given_up", "acknowledged", "given_up"]


async def test_an_event_goes_out_again_on_demand(cast: Cast, listener: Listener) -> None:
    await cast.slack.post(cast.alice, cast.channel, "it hangs")
    await cast.slack.settled()
    cast.slack.redeliver(cast.slack.deliveries[0])
    await cast.slack.settled()
    first, second = listener.frames

    assert first["payload"] == second["payload"]
    assert (second["retry_attempt"], second["retry_reason"]) == (1, "timeout")
    assert cast.slack.events("message") == [first["payload"]["event"]] * 2
