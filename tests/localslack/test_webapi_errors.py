"""One bad call per limit and error code of the Web API."""

from collections.abc import Callable

import aiohttp
import pytest

from bot.localslack import LocalSlack, ManualClock, Message
from bot.localslack.model import Json
from tests.localslack.conftest import ALL_SCOPES, Cast, assemble

Arguments = Callable[[Cast, Message], Json]


@pytest.fixture
async def post(cast: Cast) -> Message:
    return await cast.slack.post(cast.alice, cast.channel, "it hangs")


def on_post(**more: object) -> Arguments:
    return lambda cast, post: {"channel": cast.channel.id, "timestamp": post.ts, **more}


def in_channel(**more: object) -> Arguments:
    return lambda cast, post: {"channel": cast.channel.id, **more}


SECTION: Json = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
FLAT: Json = {"event_type": "x", "event_payload": {"id": "1"}}
ATTACHMENT: Json = {"text": "x"}


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("chat.postMessage", in_channel(), "no_text"),
        ("chat.postMessage", in_channel(text="  "), "no_text"),
        ("chat.postMessage", lambda *_: {"channel": "C99999999", "text": "x"}, "channel_not_found"),
        ("chat.postMessage", lambda *_: {"text": "x"}, "invalid_arguments"),
        ("chat.postMessage", in_channel(text="x", colour="red"), "invalid_arguments"),
        ("chat.postMessage", in_channel(text="x", unfurl_links="maybe"), "invalid_arguments"),
        ("chat.postMessage", in_channel(text="x", thread_ts="soon"), "invalid_arguments"),
        ("chat.postMessage", in_channel(text="x", thread_ts="1.000001"), "thread_not_found"),
        ("chat.postMessage", in_channel(text="x", username="me"), "missing_scope"),
        ("chat.postMessage", in_channel(blocks="no"), "invalid_blocks_format"),
        ("chat.postMessage", in_channel(blocks=[{"type": "x"}]), "invalid_blocks"),
        ("chat.postMessage", in_channel(blocks=[SECTION] * 51), "invalid_blocks"),
        (
            "chat.postMessage",
            in_channel(
                blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2900}}] * 5
            ),
            "msg_blocks_too_long",
        ),
        (
            "chat.postMessage",
            in_channel(blocks=[{"type": "markdown", "text": "x" * 6001}] * 2),
            "msg_too_long",
        ),
        ("chat.postMessage", in_channel(markdown_text="x" * 12_001), "msg_too_long"),
        ("chat.postMessage", in_channel(markdown_text="x", text="x"), "markdown_text_conflict"),
        (
            "chat.postMessage",
            in_channel(markdown_text="x", blocks=[SECTION]),
            "markdown_text_conflict",
        ),
        ("chat.postMessage", in_channel(attachments=[ATTACHMENT] * 101), "too_many_attachments"),
        ("chat.postMessage", in_channel(attachments="x"), "invalid_attachments"),
        (
            "chat.postMessage",
            in_channel(attachments=[{"footer": "x" * 301}]),
            "invalid_attachments",
        ),
        ("chat.postMessage", in_channel(attachments=[{"words": "x"}]), "invalid_attachments"),
        (
            "chat.postMessage",
            in_channel(attachments=[{"blocks": [{"type": "x"}]}]),
            "invalid_attachments",
        ),
        ("chat.postMessage", in_channel(text="x", metadata="{"), "invalid_metadata_format"),
        ("chat.postMessage", in_channel(text="x", metadata=[1]), "invalid_metadata_format"),
        (
            "chat.postMessage",
            in_channel(text="x", metadata={"event_type": "x"}),
            "invalid_metadata_schema",
        ),
        (
            "chat.postMessage",
            in_channel(text="x", metadata=FLAT | {"more": 1}),
            "invalid_metadata_schema",
        ),
        (
            "chat.postMessage",
            in_channel(text="x", metadata=FLAT | {"event_type": ""}),
            "invalid_metadata_schema",
        ),
        (
            "chat.postMessage",
            in_channel(text="x", metadata=FLAT | {"event_payload": {"deep": {"er": 1}}}),
            "invalid_metadata_schema",
        ),
        (
            "chat.postMessage",
            in_channel(text="x", metadata=FLAT | {"event_payload": {"id": "x" * 8_001}}),
            "metadata_too_large",
        ),
        (
            "chat.update",
            lambda cast, post: {"channel": cast.channel.id, "ts": post.ts, "text": "x"},
            "cant_update_message",
        ),
        ("chat.update", in_channel(ts="1.000001", text="x"), "message_not_found"),
        ("chat.update", in_channel(text="x"), "invalid_arguments"),
        (
            "chat.delete",
            lambda cast, post: {"channel": cast.channel.id, "ts": post.ts},
            "cant_delete_message",
        ),
        ("chat.delete", in_channel(ts="1.000001"), "message_not_found"),
        ("chat.getPermalink", in_channel(message_ts="1.000001"), "message_not_found"),
        ("chat.postEphemeral", in_channel(user="U99999999", text="x"), "user_not_in_channel"),
        (
            "chat.postEphemeral",
            lambda cast, _: {"channel": cast.channel.id, "user": cast.bob.id},
            "no_text",
        ),
        ("conversations.history", in_channel(limit=1_000), "invalid_limit"),
        ("conversations.history", in_channel(limit=-1), "invalid_limit"),
        ("conversations.history", in_channel(limit="many"), "invalid_arguments"),
        ("conversations.history", in_channel(cursor="garbage!"), "invalid_cursor"),
        ("conversations.history", in_channel(cursor="bmV4dDo5OTk="), "invalid_cursor"),
        ("conversations.history", in_channel(cursor="bmV4dDp4"), "invalid_cursor"),
        ("conversations.history", in_channel(oldest="yesterday"), "invalid_arguments"),
        ("conversations.replies", in_channel(ts="1.000001"), "thread_not_found"),
        ("conversations.info", lambda *_: {"channel": "C99999999"}, "channel_not_found"),
        ("conversations.list", lambda *_: {"types": "secret_channel"}, "invalid_types"),
        ("conversations.open", lambda *_: {}, "users_list_not_supplied"),
        ("conversations.open", lambda *_: {"users": "U99999999"}, "user_not_found"),
        ("conversations.open", lambda cast, _: {"users": cast.app.bot_user_id}, "cannot_dm_bot"),
        (
            "conversations.join",
            lambda cast, _: {"channel": cast.slack.dm(cast.alice, cast.app).id},
            "method_not_supported_for_channel_type",
        ),
        ("users.info", lambda *_: {"user": "U99999999"}, "user_not_found"),
        ("bots.info", lambda *_: {"bot": "B99999999"}, "bot_not_found"),
        ("team.info", lambda *_: {"team": "T99999999"}, "team_not_found"),
        ("reactions.add", on_post(name=":eyes:"), "invalid_name"),
        ("reactions.add", on_post(name="no_such_emoji"), "invalid_name"),
        ("reactions.add", on_post(name="eyes::skin-tone-3"), "invalid_name"),
        ("reactions.add", on_post(name="+1::skin-tone-9"), "invalid_name"),
        ("reactions.add", in_channel(timestamp="1.000001", name="eyes"), "message_not_found"),
        ("reactions.remove", on_post(name="eyes"), "no_reaction"),
        ("files.info", lambda *_: {"file": "F99999999"}, "file_not_found"),
        (
            "files.getUploadURLExternal",
            lambda *_: {"filename": "x", "length": 1_000_001, "snippet_type": "text"},
            "snippet_too_large",
        ),
        (
            "files.getUploadURLExternal",
            lambda *_: {"filename": "x", "length": 1, "alt_txt": "x" * 1_001},
            "alt_txt_too_large",
        ),
        (
            "files.getUploadURLExternal",
            lambda *_: {"filename": "x", "length": 0},
            "invalid_arguments",
        ),
        ("files.completeUploadExternal", lambda *_: {"files": []}, "invalid_arguments"),
        (
            "files.completeUploadExternal",
            lambda *_: {"files": [{"id": "F99999999"}]},
            "file_not_found",
        ),
        ("views.open", lambda *_: {"trigger_id": "1.2.x", "view": {}}, "invalid_trigger_id"),
        ("views.update", lambda *_: {"view": {}, "view_id": "V99999999"}, "not_found"),
        ("views.update", lambda *_: {"view": {}}, "invalid_arguments"),
        ("views.publish", lambda *_: {"user_id": "U99999999", "view": {}}, "invalid_arguments"),
        ("apps.connections.open", lambda *_: {}, "not_allowed_token_type"),
        ("oauth.v2.access", lambda *_: {"client_id": "x"}, "invalid_client_id"),
        ("no.such.method", lambda *_: {}, "unknown_method"),
    ],
)
async def test_a_bad_call_is_refused_with_slacks_code(
    cast: Cast, post: Message, method: str, arguments: Arguments, code: str
) -> None:
    before = list(cast.slack.messages(cast.channel))
    answer = await cast.call(method, **arguments(cast, post))

    assert (answer["ok"], answer["error"]) == (False, code)
    assert cast.slack.messages(cast.channel) == before


async def test_faults_are_listed_with_their_place(cast: Cast) -> None:
    answer = await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        text="x",
        blocks=[SECTION, {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}],
    )
    message = "must be less than 151 characters [json-pointer:/blocks/1/text/text]"

    assert answer["errors"] == [message]
    assert answer["response_metadata"]["messages"] == [f"[ERROR] {message}"]


@pytest.mark.parametrize(
    ("method", "scope"),
    [
        ("chat.postMessage", "chat:write"),
        ("chat.update", "chat:write"),
        ("chat.delete", "chat:write"),
        ("chat.postEphemeral", "chat:write"),
        ("conversations.history", "channels:history"),
        ("conversations.replies", "channels:history"),
        ("conversations.info", "channels:read"),
        ("conversations.list", "channels:read"),
        ("conversations.members", "channels:read"),
        ("conversations.open", "im:write"),
        ("conversations.join", "channels:join"),
        ("users.info", "users:read"),
        ("users.list", "users:read"),
        ("usergroups.list", "usergroups:read"),
        ("bots.info", "users:read"),
        ("team.info", "team:read"),
        ("reactions.add", "reactions:write"),
        ("reactions.remove", "reactions:write"),
        ("reactions.get", "reactions:read"),
        ("files.info", "files:read"),
        ("files.getUploadURLExternal", "files:write"),
        ("files.completeUploadExternal", "files:write"),
    ],
)
async def test_a_missing_scope_is_named(cast: Cast, post: Message, method: str, scope: str) -> None:
    cast.app.home.scopes = frozenset(ALL_SCOPES.split()) - {scope}
    needed = {
        "conversations.history": {"channel": cast.channel.id},
        "conversations.replies": {"channel": cast.channel.id, "ts": post.ts},
        "conversations.info": {"channel": cast.channel.id},
        "conversations.members": {"channel": cast.channel.id},
        "conversations.open": {"users": cast.alice.id},
    }
    answer = await cast.call(method, **needed.get(method, {}))

    assert (answer["error"], answer["needed"]) == ("missing_scope", scope)
    assert scope not in answer["provided"].split(",")
    assert "users:read" in answer["provided"].split(",") or scope == "users:read"


async def test_each_kind_of_channel_needs_its_own_history_scope(cast: Cast) -> None:
    kept = frozenset(ALL_SCOPES.split())
    private = cast.slack.add_channel("secret", [cast.alice, cast.app], private=True)
    direct = cast.slack.dm(cast.alice, cast.app)
    for channel, scope in ((private, "groups:history"), (direct, "im:history")):
        cast.app.home.scopes = kept - {scope}
        answer = await cast.call("conversations.history", channel=channel.id)
        cast.app.home.scopes = kept

        assert answer["needed"] == scope
        assert (await cast.call("conversations.history", channel=channel.id))["ok"]


async def test_a_channel_that_the_bot_is_not_in(cast: Cast) -> None:
    public = cast.slack.add_channel("public", [cast.alice])
    private = cast.slack.add_channel("private", [cast.alice], private=True)

    assert (await cast.call("chat.postMessage", channel=public.id, text="x"))["error"] == (
        "not_in_channel"
    )
    assert (await cast.call("chat.postMessage", channel=private.id, text="x"))["error"] == (
        "channel_not_found"
    )
    assert (await cast.call("conversations.history", channel=public.id))["error"] == (
        "not_in_channel"
    )
    assert (await cast.call("conversations.info", channel=public.id))["ok"]
    cast.app.home.scopes |= {"chat:write.public"}
    assert (await cast.call("chat.postMessage", channel=public.id, text="x"))["ok"]
    assert (await cast.call("chat.postMessage", channel=private.id, text="x"))["error"] == (
        "channel_not_found"
    )


async def test_an_archived_and_a_read_only_channel(cast: Cast, post: Message) -> None:
    cast.channel.read_only = True
    answer = await cast.call("chat.postMessage", channel=cast.channel.id, text="x")
    assert answer["error"] == "restricted_action_read_only_channel"

    cast.channel.archived = True
    for method, more in (
        ("chat.postMessage", {"text": "x"}),
        ("chat.postEphemeral", {"text": "x", "user": cast.bob.id}),
        ("reactions.add", {"timestamp": post.ts, "name": "eyes"}),
        ("conversations.join", {}),
    ):
        answer = await cast.call(method, channel=cast.channel.id, **more)

        assert answer["error"] == "is_archived"


async def test_a_reply_cannot_have_replies(cast: Cast, post: Message) -> None:
    reply = await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    answer = await cast.call(
        "chat.postMessage", channel=cast.channel.id, text="x", thread_ts=reply.ts
    )

    assert answer["error"] == "cannot_reply_to_message"


async def test_a_reaction_only_once_and_within_its_limits(cast: Cast, post: Message) -> None:
    arguments: Json = {"channel": cast.channel.id, "timestamp": post.ts}
    names = "100 ab alarm_clock anger beetle bell boom bug bulb calendar cloud coffee dart dizzy"
    names += " dog eye eyes fire gear ghost gift heart joy"

    assert (await cast.call("reactions.add", name="+1", **arguments))["ok"]
    assert (await cast.call("reactions.add", name="thumbsup", **arguments))["error"] == (
        "already_reacted"
    )
    assert (await cast.call("reactions.add", name="+1::skin-tone-2", **arguments))["ok"]
    answers = [await cast.call("reactions.add", name=each, **arguments) for each in names.split()]
    assert [each.get("error") for each in answers] == [None] * 21 + ["too_many_reactions"] * 2


async def test_fifty_emoji_at_most(cast: Cast, post: Message) -> None:
    from bot.localslack import SlackError
    from bot.localslack.emoji import _KNOWN

    people = [cast.slack.add_user(f"user{number}") for number in range(3)]
    names = sorted(_KNOWN)[:51]
    for number, name in enumerate(names[:50]):
        await cast.slack.react(people[number // 20], post, name)
    with pytest.raises(SlackError, match="too_many_emoji"):
        await cast.slack.react(cast.bob, post, names[50])
    await cast.slack.react(cast.bob, post, names[0])


async def test_an_update_beyond_its_limits(cast: Cast) -> None:
    sent = await cast.call("chat.postMessage", channel=cast.channel.id, text="x")
    at: Json = {"channel": cast.channel.id, "ts": sent["ts"]}

    assert (await cast.call("chat.update", text="x" * 4_000, **at))["ok"]
    assert (await cast.call("chat.update", text="x" * 4_001, **at))["error"] == "msg_too_long"
    assert (await cast.call("chat.update", text="", **at))["error"] == "no_text"
    assert (await cast.call("chat.update", **at))["error"] == "no_text"
    assert (await cast.call("chat.update", blocks=[{"type": "x"}], **at))["error"] == (
        "invalid_blocks"
    )


async def test_an_edit_window_that_closed() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        sent = await cast.call("chat.postMessage", channel=cast.channel.id, text="x")
        slack.world.edit_window = 60
        clock.advance(61)
        answer = await cast.call("chat.update", channel=cast.channel.id, ts=sent["ts"], text="late")

        assert answer["error"] == "edit_window_closed"


async def test_a_direct_message_that_cannot_be(cast: Cast) -> None:
    stranger = cast.slack.add_user("eve", team=cast.slack.add_team("elsewhere"))
    cast.bob.deleted = True

    for user, code in (
        (stranger.id, "channel_not_found"),
        (cast.bob.id, "channel_not_found"),
        (cast.app.bot_user_id, "cannot_dm_bot"),
    ):
        answer = await cast.call("chat.postMessage", channel=user, text="x")
        assert answer["error"] == code
    assert (await cast.call("conversations.open", users=cast.bob.id))["error"] == "user_disabled"
    cast.app.messages_tab = False
    answer = await cast.call("chat.postMessage", channel=cast.alice.id, text="x")
    assert answer["error"] == "messages_tab_disabled"


async def test_a_stranger_shows_only_where_a_channel_is_shared(cast: Cast) -> None:
    elsewhere = cast.slack.add_team("elsewhere")
    eve = cast.slack.add_user("eve", team=elsewhere)

    assert (await cast.call("users.info", user=eve.id))["error"] == "user_not_visible"
    cast.slack.add_channel("shared", [eve, cast.app], shared_with=[elsewhere])
    assert (await cast.call("users.info", user=eve.id))["user"]["is_stranger"] is True


async def _post_raw(cast: Cast, body: bytes, content_type: str, token: str) -> Json:
    headers = {"Content-Type": content_type}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{cast.slack.base_url}auth.test", data=body) as response,
    ):
        answer: Json = await response.json()
        return answer


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"{", "application/json", "invalid_json"),
        (b"[]", "application/json", "json_not_object"),
        (b"x", "text/csv", "invalid_post_type"),
    ],
)
async def test_a_body_that_is_none(cast: Cast, body: bytes, content_type: str, code: str) -> None:
    answer = await _post_raw(cast, body, content_type, cast.app.bot_token)

    assert answer["error"] == code


async def test_tokens(cast: Cast) -> None:
    form = "application/x-www-form-urlencoded"
    app = cast.app

    assert (await _post_raw(cast, b"", form, ""))["error"] == "not_authed"
    assert (await _post_raw(cast, b"", form, "xoxb-wrong"))["error"] == "invalid_auth"
    assert (await _post_raw(cast, b"", form, app.app_token))["error"] == "not_allowed_token_type"
    assert (await _post_raw(cast, f"token={app.bot_token}".encode(), form, ""))["ok"]
    assert (await cast.call("auth.revoke", test=True))["revoked"] is False
    assert (await cast.call("auth.revoke"))["revoked"] is True
    assert (await cast.call("auth.test"))["error"] == "token_revoked"
