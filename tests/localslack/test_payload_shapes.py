"""What the local Slack sends has the keys and types of the payload fixtures."""

import gzip

import pytest

from bot.localslack import LocalSlack, Message
from bot.localslack.model import Json
from tests.localslack.conftest import Cast, Listener
from tests.localslack.shapes import differences, fixture

VOTE_BLOCKS: list[Json] = [
    {
        "type": "section",
        "block_id": "diag",
        "text": {"type": "mrkdwn", "text": "*Likely cause:* no route between ranks"},
    },
    {
        "type": "actions",
        "block_id": "vote",
        "elements": [
            {
                "type": "button",
                "action_id": "vote_up",
                "text": {"type": "plain_text", "text": "Helpful"},
                "value": "d-1|up",
                "style": "primary",
            },
            {
                "type": "button",
                "action_id": "vote_down",
                "text": {"type": "plain_text", "text": "Not helpful"},
                "value": "d-1|down",
            },
        ],
    },
]
MODAL: Json = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Diagnose a log"},
    "submit": {"type": "plain_text", "text": "Diagnose"},
    "callback_id": "paste_log_modal",
    "private_metadata": '{"channel":"C00000001"}',
    "notify_on_close": True,
    "blocks": [
        {
            "type": "input",
            "block_id": "log",
            "label": {"type": "plain_text", "text": "Log excerpt"},
            "element": {"type": "plain_text_input", "action_id": "text", "multiline": True},
        }
    ],
}


def same_event(listener: Listener, name: str, *, extra: str = "", index: int = -1) -> list[str]:
    expected = fixture(name)
    kind = expected["event"]["type"]
    bodies = [each["payload"] for each in listener.frames if each["type"] == "events_api"]
    found = [each for each in bodies if each["event"]["type"] == kind]
    return differences(found[index], expected, extra=frozenset(extra.split()))


@pytest.fixture
async def post(cast: Cast) -> Message:
    return await cast.slack.post(cast.alice, cast.channel, "Our 4-node job dies at init")


async def answer(cast: Cast, post: Message, **more: object) -> Message:
    answer = await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        thread_ts=post.ts,
        text="Likely cause",
        **more,
    )
    return cast.slack.find(cast.channel, answer["ts"])


async def test_a_plain_post(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.settled()

    assert same_event(listener, "slack_message_plain.json") == []


async def test_a_code_fence_is_encoded_in_text_and_not_in_blocks(
    cast: Cast, listener: Listener
) -> None:
    other = cast.slack.add_channel("other", [cast.alice])
    cast.slack.add_group("infra", [cast.bob])
    expected = fixture("slack_message_code_fence_encoded.json")["event"]

    await cast.slack.post(
        cast.alice,
        cast.channel,
        "@nccl-bot see #other & https://wiki.example/nccl, file train.py, cc @infra @here\n"
        "```Connect to 10.0.3.4<47213> failed```",
    )
    await cast.slack.settled()
    event = listener.of("message")[-1]

    assert event["text"] == (
        f"<@{cast.app.bot_user_id}> see <#{other.id}|other> &amp; <https://wiki.example/nccl>, "
        "file <http://train.py|train.py>, cc <!subteam^S00000001|@infra> <!here>\n"
        "```Connect to 10.0.3.4&lt;47213&gt; failed```"
    )
    assert event["blocks"][0]["elements"][1]["elements"][0]["text"] == (
        "Connect to 10.0.3.4<47213> failed"
    )
    assert differences(event, expected, extra=frozenset({"text"})) == []


async def test_a_mention_comes_twice_under_two_event_ids(cast: Cast, listener: Listener) -> None:
    await cast.slack.post(cast.alice, cast.channel, "@nccl-bot why?\n```log```")
    await cast.slack.settled()
    message, mention = listener.of("message")[-1], listener.of("app_mention")[-1]
    ids = {each["payload"]["event_id"] for each in listener.frames}

    assert same_event(listener, "slack_app_mention.json") == []
    assert (message["ts"], message["client_msg_id"]) == (mention["ts"], mention["client_msg_id"])
    assert len(ids) == 2


async def test_a_mention_by_a_webhook_has_no_user(cast: Cast, listener: Listener) -> None:
    ci = cast.slack.add_bot("CI")
    await cast.slack.post_bot(
        ci, cast.channel, f"<@{cast.app.bot_user_id}> job 4242 failed", webhook=True
    )
    await cast.slack.settled()

    assert same_event(listener, "slack_app_mention_from_bot.json") == []


async def test_a_thread_reply(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.post(cast.bob, cast.channel, "says `NET/IB : No device found.`", thread=post)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_thread_reply.json") == []


async def test_a_thread_broadcast(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.post(cast.bob, cast.channel, "Fixed", thread=post, broadcast=True)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_thread_broadcast.json", extra="blocks") == []


async def test_a_direct_message(cast: Cast, listener: Listener) -> None:
    dm = cast.slack.dm(cast.alice, cast.app)
    await cast.slack.post(cast.alice, dm, "NCCL WARN Mismatched collective detected")
    await cast.slack.settled()

    assert same_event(listener, "slack_message_im.json") == []
    assert dm.id.startswith("D")


async def test_an_edit(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.edit(post, "Our 4-node job dies at init (edited)")
    await cast.slack.settled()
    event = listener.of("message")[-1]

    assert same_event(listener, "slack_message_changed.json") == []
    assert event["ts"] != event["message"]["ts"] == post.ts


async def test_an_unfurl_is_a_change_without_an_editor(
    cast: Cast, listener: Listener, post: Message
) -> None:
    preview = fixture("slack_message_changed_unfurl.json")["event"]["message"]["attachments"]
    await cast.slack.unfurl(post, preview)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_changed_unfurl.json") == []


async def test_a_deleted_post(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.delete(post)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_deleted.json") == []


async def test_a_deleted_parent_leaves_a_tombstone(
    cast: Cast, listener: Listener, post: Message
) -> None:
    await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    await cast.slack.delete(post)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_changed_tombstone.json") == []


async def test_a_snippet_with_a_comment(cast: Cast, listener: Listener) -> None:
    await cast.slack.upload(
        cast.alice, cast.channel, "rank5.log", "line 1\nline 2\n", comment="log of the hung rank"
    )
    await cast.slack.settled()

    assert same_event(listener, "slack_message_file_share_snippet.json") == []
    assert same_event(listener, "slack_file_shared.json") == []


async def test_files_without_a_comment(cast: Cast, listener: Listener) -> None:
    expected = fixture("slack_message_file_share_binary_no_text.json")
    workshop, team = cast.slack.workshop, cast.alice.team_id
    packed = workshop.make_file(team, cast.alice.id, "nccl_debug.log.gz", gzip.compress(b"x"))
    gone = workshop.make_file(team, cast.alice.id, "gone.log", b"x")
    foreign = workshop.make_file(team, cast.alice.id, "foreign.log", b"x")
    gone.deleted, foreign.access = True, "check_file_info"

    await cast.slack.post(cast.alice, cast.channel, "", files=[packed, gone, foreign])
    await cast.slack.settled()
    event = listener.of("message")[-1]

    assert differences(event, expected["event"]) == []
    assert event["text"] == ""
    assert [each["mode"] for each in event["files"]] == ["hosted", "tombstone", "file_access"]


async def test_the_bots_own_post_comes_back(cast: Cast, listener: Listener, post: Message) -> None:
    metadata = {"event_type": "diagnosis_posted", "event_payload": {"diagnosis_id": "d-1"}}
    await answer(cast, post, metadata=metadata)
    await cast.slack.settled()

    assert same_event(listener, "slack_message_own_bot.json") == []


async def test_another_apps_post_has_no_subtype(cast: Cast, listener: Listener) -> None:
    jobwatch = cast.slack.add_bot("jobwatch")
    expected = fixture("slack_message_app_bot.json")["event"]
    await cast.slack.post_bot(jobwatch, cast.channel, "Run 17 crashed", blocks=expected["blocks"])
    await cast.slack.settled()

    assert same_event(listener, "slack_message_app_bot.json", extra=ICONS) == []


ICONS = "image_36 image_48 image_72"


async def test_a_post_of_blocks_alone(cast: Cast, listener: Listener) -> None:
    expected = fixture("slack_message_blocks_rich_text_only.json")["event"]
    jobwatch = cast.slack.add_bot("jobwatch")
    await cast.slack.post_bot(jobwatch, cast.channel, blocks=expected["blocks"])
    await cast.slack.settled()

    assert same_event(listener, "slack_message_blocks_rich_text_only.json", extra=ICONS) == []


async def test_blocks_nested_in_an_attachment(cast: Cast, listener: Listener) -> None:
    expected = fixture("slack_message_attachment_nested_blocks.json")["event"]
    grafana = cast.slack.add_bot("grafana")
    await cast.slack.post_bot(grafana, cast.channel, attachments=expected["attachments"])
    await cast.slack.settled()

    assert same_event(listener, "slack_message_attachment_nested_blocks.json") == []


@pytest.mark.parametrize(
    "name",
    [
        "slack_message_bot_incoming_webhook_text.json",
        "slack_message_bot_incoming_webhook_attachments.json",
    ],
)
async def test_an_incoming_webhook_has_no_user(cast: Cast, listener: Listener, name: str) -> None:
    expected = fixture(name)["event"]
    sender = cast.slack.add_bot("Alertmanager")
    await cast.slack.post_bot(
        sender,
        cast.channel,
        expected["text"],
        attachments=expected.get("attachments"),
        webhook=True,
    )
    await cast.slack.settled()

    assert same_event(listener, name, extra="username icons app_id") == []
    assert "user" not in listener.of("message")[-1]


async def test_joining_and_leaving(cast: Cast, listener: Listener) -> None:
    channel = cast.slack.add_channel("new", [cast.alice])
    cast.slack.invite(cast.app, channel, by=cast.alice)
    cast.slack.invite(cast.bob, channel, by=cast.alice)
    cast.slack.remove(cast.bob, channel)
    await cast.slack.settled()

    assert same_event(listener, "slack_member_joined_channel.json") == []
    assert same_event(listener, "slack_member_left_channel.json") == []
    assert same_event(listener, "slack_message_channel_join.json") == []
    assert cast.app.bot_user_id in {each["user"] for each in listener.of("member_joined_channel")}


@pytest.mark.parametrize(
    ("emoji", "stored", "name"),
    [
        ("+1", "+1", "slack_reaction_added.json"),
        ("thumbsup", "+1", "slack_reaction_added.json"),
        ("+1::skin-tone-3", "+1::skin-tone-3", "slack_reaction_added_skin_tone.json"),
        ("thumbsdown::skin-tone-6", "-1::skin-tone-6", "slack_reaction_added_skin_tone.json"),
    ],
)
async def test_a_reaction(
    cast: Cast, listener: Listener, post: Message, *, emoji: str, stored: str, name: str
) -> None:
    message = await answer(cast, post)
    await cast.slack.react(cast.bob, message, emoji)
    await cast.slack.unreact(cast.bob, message, emoji)
    await cast.slack.settled()
    added, removed = listener.of("reaction_added")[-1], listener.of("reaction_removed")[-1]

    assert same_event(listener, name) == []
    assert same_event(listener, "slack_reaction_removed.json") == []
    assert added["reaction"] == removed["reaction"] == stored
    assert added["item_user"] == cast.app.bot_user_id
    assert added["event_ts"] != message.ts


async def test_a_reaction_to_a_webhook_message_has_no_item_user(
    cast: Cast, listener: Listener
) -> None:
    sender = cast.slack.add_bot("Alertmanager")
    message = await cast.slack.post_bot(sender, cast.channel, "x", webhook=True)
    await cast.slack.react(cast.bob, message, "-1")
    await cast.slack.settled()

    assert same_event(listener, "slack_reaction_added_no_item_user.json") == []


async def test_opening_the_home_tab(cast: Cast, listener: Listener) -> None:
    await cast.slack.open_home(cast.alice, tab="messages")
    await cast.call("views.publish", user_id=cast.alice.id, view={"type": "home", "blocks": []})
    await cast.slack.open_home(cast.alice)
    await cast.slack.settled()

    assert same_event(listener, "slack_app_home_opened_messages_tab.json", index=0) == []
    assert same_event(listener, "slack_app_home_opened.json", extra="errors") == []


async def test_uninstalling(cast: Cast, listener: Listener) -> None:
    await cast.slack.uninstall(cast.app)
    await cast.slack.settled()

    assert same_event(listener, "slack_app_uninstalled.json") == []
    assert same_event(listener, "slack_tokens_revoked.json") == []
    assert (await cast.call("auth.test"))["error"] == "account_inactive"


async def test_a_button_of_a_message(cast: Cast, listener: Listener, post: Message) -> None:
    message = await answer(cast, post, blocks=VOTE_BLOCKS)
    delivery = await cast.slack.click(cast.bob, message, "vote_up")
    expected = fixture("slack_block_actions_vote.json")

    assert delivery.acknowledged
    assert differences(delivery.payload, expected, extra=frozenset({"bot_profile"})) == []


async def test_a_button_of_an_ephemeral_message(
    cast: Cast, listener: Listener, post: Message
) -> None:
    await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
    await cast.call(
        "chat.postEphemeral",
        channel=cast.channel.id,
        user=cast.bob.id,
        thread_ts=post.ts,
        text="only you",
        blocks=VOTE_BLOCKS,
    )
    delivery = await cast.slack.click(cast.bob, cast.slack.ephemerals(cast.bob)[0], "vote_up")
    expected = fixture("slack_block_actions_ephemeral.json")

    assert differences(delivery.payload, expected) == []


async def test_feedback_buttons(cast: Cast, listener: Listener, post: Message) -> None:
    block: Json = {"type": "context_actions", "block_id": "vote", "elements": []}
    button: Json = {"text": {"type": "plain_text", "text": "Good answer"}, "value": "d-1|positive"}
    element: Json = {"type": "feedback_buttons", "action_id": "feedback"}
    element |= {"positive_button": button, "negative_button": button | {"value": "d-1|negative"}}
    block["elements"] = [element]
    message = await answer(cast, post, blocks=[VOTE_BLOCKS[0], block])
    delivery = await cast.slack.click(cast.bob, message, "feedback", "d-1|negative")
    expected = fixture("slack_block_actions_feedback_buttons.json")

    assert differences(delivery.payload["actions"], expected["actions"]) == []
    assert delivery.payload["actions"][0]["value"] == "d-1|negative"


async def test_shortcuts(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.post(cast.bob, cast.channel, "reply", thread=post)
    on_message = await cast.slack.shortcut(cast.alice, "diagnose_message", post)
    anywhere = await cast.slack.shortcut(cast.alice, "paste_log")
    summary = frozenset(
        {"reply_count", "reply_users_count", "latest_reply", "reply_users", "is_locked"}
    )

    assert (
        differences(on_message.payload, fixture("slack_message_shortcut.json"), extra=summary) == []
    )
    assert differences(anywhere.payload, fixture("slack_global_shortcut.json")) == []


async def test_a_slash_command_keeps_its_text_as_typed(cast: Cast, listener: Listener) -> None:
    text = "RuntimeError: bad payload 10.0.3.4<47213>\nsecond line & more"
    delivery = await cast.slack.command(cast.alice, cast.channel, "/nccl", text)

    assert differences(delivery.payload, fixture("slack_slash_command.json")) == []
    assert delivery.payload["text"] == text
    assert delivery.payload["is_enterprise_install"] == "false"


async def test_a_slash_command_in_a_direct_message_on_a_grid(slack: LocalSlack) -> None:
    team = slack.add_team("grid", enterprise="Example Org")
    app = slack.add_app(install=False)
    slack.install(app, team)
    carol = slack.add_user("carol", team=team)
    delivery = await slack.command(carol, slack.dm(carol, app), "/nccl")

    assert not delivery.acknowledged
    assert differences(delivery.payload, fixture("slack_slash_command_grid.json")) == []
    assert delivery.payload["channel_name"] == "directmessage"


async def test_modals_submitted_and_closed(cast: Cast, listener: Listener) -> None:
    pressed = await cast.slack.shortcut(cast.alice, "paste_log")
    await cast.call("views.open", trigger_id=pressed.payload["trigger_id"], view=MODAL)
    view = cast.slack.modal(cast.alice)
    assert view is not None
    sent = await cast.slack.submit(cast.alice, view, {"log": {"text": "NCCL WARN"}})
    pressed = await cast.slack.shortcut(cast.alice, "paste_log")
    await cast.call("views.open", trigger_id=pressed.payload["trigger_id"], view=MODAL)
    again = cast.slack.modal(cast.alice)
    assert again is not None
    await cast.slack.close_modal(cast.alice, again)
    closed = cast.slack.deliveries[-1]
    optional = frozenset({"max_length", "dispatch_action_config", "optional", "dispatch_action"})

    submission = fixture("slack_view_submission.json")
    assert differences(sent.payload, submission, extra=optional) == []
    assert sent.payload["view"]["state"]["values"]["log"]["text"]["value"] == "NCCL WARN"
    expected = fixture("slack_view_closed.json")
    assert differences(closed.payload, expected, extra=optional | {"log"}) == []
    assert cast.slack.modal(cast.alice) is None


async def test_socket_frames(cast: Cast, listener: Listener, post: Message) -> None:
    await cast.slack.command(cast.alice, cast.channel, "/nccl", "x")
    message = await answer(cast, post, blocks=VOTE_BLOCKS)
    await cast.slack.react(cast.bob, message, "+1")
    await cast.slack.click(cast.bob, message, "vote_up")
    await cast.slack.settled()
    by_type = {each["type"]: each for each in listener.frames}
    profile = frozenset({"bot_profile", "reactions"})

    assert differences(listener.hello, fixture("socket_hello.json")) == []
    for kind in ("events_api", "slash_commands", "interactive"):
        expected = fixture(f"socket_envelope_{kind}.json")
        assert differences(by_type[kind], expected, extra=profile) == []
