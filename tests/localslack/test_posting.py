"""Posting, changing, reading back: what succeeds and what Slack makes of it."""

import base64
from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError

from bot.localslack import LocalSlack
from bot.localslack.model import Json
from tests.localslack.conftest import Cast

BUTTON: Json = {
    "type": "actions",
    "elements": [{"type": "button", "text": {"type": "plain_text", "text": "ok"}}],
}


async def test_the_sdk_posts_and_reads_back(cast: Cast) -> None:
    sent = await cast.web.chat_postMessage(
        channel=cast.channel.id,
        text="a <b> & c",
        blocks=[BUTTON],
        metadata={"event_type": "diagnosis", "event_payload": {"id": "d-1"}},
        unfurl_links=False,
        unfurl_media=False,
    )
    history = await cast.web.conversations_history(
        channel=cast.channel.id, latest=sent["ts"], inclusive=True, limit=1
    )
    with_metadata = await cast.web.conversations_history(
        channel=cast.channel.id, include_all_metadata=True
    )
    message = history["messages"][0]

    assert sent["message"]["text"] == message["text"] == "a &lt;b&gt; &amp; c"
    assert "metadata" not in message
    assert with_metadata["messages"][0]["metadata"]["event_payload"] == {"id": "d-1"}
    assert message["blocks"][0]["block_id"]
    assert message["blocks"][0]["elements"][0]["action_id"]
    assert message["blocks"][0]["elements"][0]["text"]["emoji"] is True


async def test_a_form_body_works_as_well_as_json(cast: Cast) -> None:
    await cast.web.api_call(
        "chat.postMessage",
        data={"channel": cast.channel.id, "text": "x", "blocks": '[{"type":"divider"}]'},
    )

    assert cast.slack.messages(cast.channel)[0].blocks is not None


async def test_a_channel_by_name(cast: Cast) -> None:
    assert (await cast.call("chat.postMessage", channel="#train-alerts", text="x"))["ok"]


@pytest.mark.parametrize(
    ("length", "pieces"),
    [(4_000, [4_000]), (4_001, [4_000, 1]), (9_000, [4_000, 4_000, 1_000]), (50_000, [4_000] * 10)],
)
async def test_long_text_is_split_and_one_ts_comes_back(
    cast: Cast, length: int, pieces: list[int]
) -> None:
    sent = await cast.call("chat.postMessage", channel=cast.channel.id, text="x" * length)
    messages = cast.slack.messages(cast.channel)

    assert [len(each.text) for each in messages] == pieces
    assert sent["ts"] == messages[0].ts


async def test_text_beside_blocks_is_not_split(cast: Cast) -> None:
    await cast.call("chat.postMessage", channel=cast.channel.id, text="x" * 5_000, blocks=[BUTTON])

    assert len(cast.slack.messages(cast.channel)) == 1


async def test_markdown_text_is_accepted_alone(cast: Cast) -> None:
    await cast.call("chat.postMessage", channel=cast.channel.id, markdown_text="**x**")

    assert cast.slack.messages(cast.channel)[0].text == "**x**"


async def test_a_reply_can_be_shown_in_the_channel_too(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    for broadcast in (False, True):
        await cast.call(
            "chat.postMessage",
            channel=cast.channel.id,
            thread_ts=post.ts,
            text=f"{broadcast}",
            reply_broadcast=broadcast,
        )
    history = await cast.call("conversations.history", channel=cast.channel.id)

    assert [each["text"] for each in history["messages"]] == ["True", "it hangs"]
    assert history["messages"][1]["reply_count"] == 2
    assert history["messages"][0]["root"]["ts"] == post.ts


async def test_an_update_keeps_what_it_does_not_name(cast: Cast) -> None:
    metadata = {"event_type": "x", "event_payload": {"id": "1"}}
    sent = await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        text="one",
        blocks=[BUTTON],
        metadata=metadata,
    )
    at: Json = {"channel": cast.channel.id, "ts": sent["ts"]}
    await cast.call("chat.update", text="two", **at)
    message = cast.slack.find(cast.channel, sent["ts"])
    kept = replace(message)
    await cast.call("chat.update", blocks=[], **at)

    assert (kept.text, kept.metadata) == ("two", metadata)
    assert kept.blocks is not None
    assert message.blocks is None
    assert kept.edited is not None
    assert kept.edited["user"] == cast.app.bot_user_id


async def test_a_deleted_message_is_gone(cast: Cast) -> None:
    sent = await cast.web.chat_postMessage(channel=cast.channel.id, text="x")
    await cast.web.chat_delete(channel=cast.channel.id, ts=sent["ts"])

    assert cast.slack.messages(cast.channel) == []


async def test_an_ephemeral_message_is_shown_to_one_and_kept_nowhere(cast: Cast) -> None:
    sent = await cast.web.chat_postEphemeral(
        channel=cast.channel.id, user=cast.bob.id, text="only you"
    )
    history = await cast.web.conversations_history(channel=cast.channel.id)
    await cast.slack.settled()

    assert [each.text for each in cast.slack.ephemerals(cast.bob)] == ["only you"]
    assert cast.slack.ephemerals(cast.alice) == []
    assert history["messages"] == []
    assert cast.slack.deliveries == []
    with pytest.raises(SlackApiError, match="message_not_found"):
        await cast.web.chat_update(channel=cast.channel.id, ts=sent["message_ts"], text="y")


async def test_an_ephemeral_message_in_a_thread_needs_a_living_thread(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    arguments: Json = {"channel": cast.channel.id, "user": cast.bob.id, "thread_ts": post.ts}
    await cast.call("chat.postEphemeral", text="too early", **arguments)
    await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    await cast.call("chat.postEphemeral", text="in time", **arguments)

    assert [each.text for each in cast.slack.ephemerals(cast.bob)] == ["in time"]


async def test_a_direct_message_by_user_id(cast: Cast) -> None:
    sent = await cast.call("chat.postMessage", channel=cast.alice.id, text="hello")

    assert sent["channel"] == cast.slack.dm(cast.alice, cast.app).id
    opened = await cast.call("conversations.open", users=cast.alice.id)
    assert (opened["channel"]["id"], opened["already_open"]) == (sent["channel"], True)
    info = await cast.call("conversations.info", channel=sent["channel"])
    assert (info["channel"]["is_im"], info["channel"]["user"]) == (True, cast.alice.id)


async def test_a_permalink_of_a_reply_names_its_thread(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    reply = await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    link = await cast.web.chat_getPermalink(channel=cast.channel.id, message_ts=reply.ts)

    assert link["permalink"].endswith(
        f"/archives/{cast.channel.id}/p{reply.ts.replace('.', '')}"
        f"?thread_ts={post.ts}&cid={cast.channel.id}"
    )


async def test_history_goes_page_by_page_from_the_newest(cast: Cast) -> None:
    posts = [await cast.slack.post(cast.alice, cast.channel, str(number)) for number in range(5)]
    texts = [
        each["text"]
        async for page in await cast.web.conversations_history(channel=cast.channel.id, limit=2)
        for each in page["messages"]
    ]
    between = await cast.call(
        "conversations.history", channel=cast.channel.id, oldest=posts[1].ts, latest=posts[3].ts
    )
    inclusive = await cast.call(
        "conversations.history",
        channel=cast.channel.id,
        oldest=posts[1].ts,
        latest=posts[3].ts,
        inclusive=True,
    )

    assert texts == ["4", "3", "2", "1", "0"]
    assert [each["text"] for each in between["messages"]] == ["2"]
    assert [each["text"] for each in inclusive["messages"]] == ["3", "2", "1"]


async def test_a_time_range_may_be_given_as_numbers(cast: Cast) -> None:
    await cast.slack.post(cast.alice, cast.channel, "x")
    future = await cast.call(
        "conversations.history", channel=cast.channel.id, oldest=4_000_000_000.5
    )
    past = await cast.call("conversations.history", channel=cast.channel.id, oldest=0)

    assert (len(future["messages"]), len(past["messages"])) == (0, 1)


async def test_replies_show_the_parent_on_every_page(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "parent")
    replies = [
        await cast.slack.post(cast.bob, cast.channel, str(number), thread=post)
        for number in range(3)
    ]
    pages = [
        [each["text"] for each in page["messages"]]
        async for page in await cast.web.conversations_replies(
            channel=cast.channel.id, ts=post.ts, limit=2
        )
    ]
    alone = await cast.call("conversations.replies", channel=cast.channel.id, ts=replies[1].ts)

    assert pages == [["parent", "0", "1"], ["parent", "2"]]
    assert [each["text"] for each in alone["messages"]] == ["1"]


async def test_cursors_are_opaque_and_checked(cast: Cast) -> None:
    for number in range(3):
        await cast.slack.post(cast.alice, cast.channel, str(number))
    first = await cast.call("conversations.history", channel=cast.channel.id, limit=1)

    assert first["has_more"] is True
    assert base64.b64decode(first["response_metadata"]["next_cursor"])


async def test_who_is_who(cast: Cast) -> None:
    cast.slack.add_group("infra", [cast.bob])
    guest = cast.slack.add_user("gus", guest=True)
    me = await cast.web.auth_test()
    bot = await cast.web.bots_info(bot=me["bot_id"])
    groups = await cast.web.usergroups_list(include_users=True, include_count=True)
    members = await cast.web.conversations_members(channel=cast.channel.id)
    channels = await cast.web.conversations_list(types="public_channel,private_channel")
    team = await cast.web.team_info()
    users = await cast.web.users_list()

    assert (me["user_id"], bot["bot"]["user_id"]) == (cast.app.bot_user_id,) * 2
    assert groups["usergroups"][0]["users"] == [cast.bob.id]
    assert set(members["members"]) == {cast.alice.id, cast.bob.id, cast.app.bot_user_id}
    assert [each["name"] for each in channels["channels"]] == ["train-alerts"]
    assert team["team"]["id"] == me["team_id"]
    assert (await cast.web.users_info(user=guest.id))["user"]["is_restricted"] is True
    assert len(users["members"]) == 4


async def test_joining_a_channel(cast: Cast) -> None:
    public = cast.slack.add_channel("public", [cast.alice])
    first = await cast.call("conversations.join", channel=public.id)
    second = await cast.call("conversations.join", channel=public.id)

    assert first["channel"]["is_member"] is True
    assert second["warning"] == "already_in_channel"


async def test_the_bots_reactions(cast: Cast) -> None:
    post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
    await cast.web.reactions_add(channel=cast.channel.id, timestamp=post.ts, name="thumbsup")
    got = await cast.web.reactions_get(channel=cast.channel.id, timestamp=post.ts)
    await cast.web.reactions_remove(channel=cast.channel.id, timestamp=post.ts, name="+1")

    assert got["message"]["reactions"] == [
        {"name": "+1", "users": [cast.app.bot_user_id], "count": 1}
    ]
    assert post.reactions == []


async def test_times_are_unique_and_rise(cast: Cast) -> None:
    stamps = [cast.slack.world.stamp() for _ in range(1_000)]

    assert stamps == sorted(set(stamps))


async def test_waiting_for_what_never_comes_ends(slack: LocalSlack) -> None:
    with pytest.raises(TimeoutError):
        await slack.wait_for(lambda: False, timeout=0.01)
