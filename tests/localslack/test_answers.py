"""Response URLs, triggers, modals and Home tabs."""

import aiohttp
import pytest
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.localslack import LocalSlack, ManualClock, Message, View
from bot.localslack.model import Json
from tests.localslack.conftest import Cast, Listener, assemble
from tests.localslack.test_payload_shapes import MODAL, VOTE_BLOCKS


@pytest.fixture
async def message(cast: Cast, listener: Listener) -> Message:
    sent = await cast.call(
        "chat.postMessage", channel=cast.channel.id, text="likely", blocks=VOTE_BLOCKS
    )
    return cast.slack.find(cast.channel, sent["ts"])


async def send(url: str, **body: object) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return response.status, await response.text()


async def test_five_uses_and_no_more(cast: Cast, message: Message) -> None:
    url = (await cast.slack.click(cast.bob, message, "vote_up")).payload["response_url"]
    statuses = [
        (await send(url, text=str(number), replace_original=False))[0] for number in range(6)
    ]

    assert statuses == [200] * 5 + [404]
    assert len(cast.slack.ephemerals(cast.bob)) == 5


async def test_thirty_minutes_and_no_more() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        delivery = await slack.command(cast.alice, cast.channel, "/nccl", "x")
        url = delivery.payload["response_url"]
        clock.advance(30 * 60)
        assert (await send(url, text="in time"))[0] == 200
        clock.advance(1)
        status, body = await send(url, text="late")

        assert (status, "expired_url" in body) == (404, True)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "no_text"),
        ({"text": "x", "channel": "C00000001"}, "invalid_arguments"),
        ({"text": "x", "response_type": "loud"}, "invalid_arguments"),
        ({"text": "x", "blocks": [{"type": "x"}]}, "invalid_blocks"),
    ],
)
async def test_a_bad_answer_is_refused(
    cast: Cast, listener: Listener, body: Json, code: str
) -> None:
    url = (await cast.slack.command(cast.alice, cast.channel, "/nccl")).payload["response_url"]
    status, text = await send(url, **body)

    assert (status, code in text) == (400, True)
    assert (await send(f"{url}0", text="x"))[0] == 404


async def test_the_sdks_webhook_client_answers_a_command(cast: Cast, listener: Listener) -> None:
    delivery = await cast.slack.command(cast.alice, cast.channel, "/nccl", "x")
    client = AsyncWebhookClient(delivery.payload["response_url"])
    response = await client.send(text="shared", response_type="in_channel")
    await cast.slack.settled()

    assert (response.status_code, response.body) == (200, "ok")
    posted = cast.slack.messages(cast.channel)[0]
    assert (posted.subtype, posted.user, posted.bot_id) == ("bot_message", None, cast.app.bot_id)
    assert "user" not in listener.of("message")[0]


async def test_the_original_is_replaced_or_deleted(cast: Cast, message: Message) -> None:
    first = (await cast.slack.click(cast.bob, message, "vote_up")).payload["response_url"]
    await send(first, text="replaced", replace_original="true")
    replaced = (message.text, message.blocks)
    await send(first, delete_original=True)

    assert replaced == ("replaced", None)
    assert cast.slack.messages(cast.channel) == []


async def test_an_ephemeral_original_is_replaced_and_deleted(cast: Cast, message: Message) -> None:
    await cast.call(
        "chat.postEphemeral",
        channel=cast.channel.id,
        user=cast.bob.id,
        text="only you",
        blocks=VOTE_BLOCKS,
    )
    shown = cast.slack.ephemerals(cast.bob)[0]
    url = (await cast.slack.click(cast.bob, shown, "vote_down")).payload["response_url"]
    await send(url, text="thanks", replace_original=True)
    texts = [each.text for each in cast.slack.ephemerals(cast.bob)]
    await send(url, delete_original=True)

    assert texts == ["thanks"]
    assert cast.slack.ephemerals(cast.bob) == []


async def test_an_answer_goes_into_the_thread_only_when_told(cast: Cast, message: Message) -> None:
    url = (await cast.slack.click(cast.bob, message, "vote_up")).payload["response_url"]
    plain: Json = {"replace_original": False, "response_type": "in_channel"}
    await send(url, text="beside", **plain)
    await send(url, text="below", thread_ts=message.ts, **plain)

    assert [each.text for each in cast.slack.replies(message)] == ["below"]


async def open_modal(cast: Cast, view: Json = MODAL) -> View:
    pressed = await cast.slack.shortcut(cast.alice, "paste_log")
    answer = await cast.call("views.open", trigger_id=pressed.payload["trigger_id"], view=view)
    assert answer["ok"], answer
    shown = cast.slack.modal(cast.alice)
    assert shown is not None
    return shown


async def test_a_trigger_opens_one_view(cast: Cast, listener: Listener) -> None:
    pressed = await cast.slack.shortcut(cast.alice, "paste_log")
    arguments = {"trigger_id": pressed.payload["trigger_id"], "view": MODAL}

    assert (await cast.call("views.open", **arguments))["ok"]
    assert (await cast.call("views.open", **arguments))["error"] == "exchanged_trigger_id"


async def test_a_trigger_lives_three_seconds() -> None:
    clock = ManualClock()
    async with LocalSlack(clock=clock) as slack:
        cast = assemble(slack)
        early = (await slack.shortcut(cast.alice, "paste_log")).payload["trigger_id"]
        late = (await slack.shortcut(cast.alice, "paste_log")).payload["trigger_id"]
        clock.advance(3)
        assert (await cast.call("views.open", trigger_id=early, view=MODAL))["ok"]
        clock.advance(0.1)
        answer = await cast.call("views.open", trigger_id=late, view=MODAL)

        assert answer["error"] == "expired_trigger_id"


async def test_a_bad_view_and_one_too_large(cast: Cast, listener: Listener) -> None:
    section = {"type": "section", "text": {"type": "plain_text", "text": "x" * 3_000}}
    large = MODAL | {"blocks": [section] * 90}
    for view, code in (({"type": "modal"}, "invalid_arguments"), (large, "view_too_large")):
        pressed = await cast.slack.shortcut(cast.alice, "paste_log")
        answer = await cast.call("views.open", trigger_id=pressed.payload["trigger_id"], view=view)

        assert answer["error"] == code


async def test_three_modals_lie_on_each_other(cast: Cast, listener: Listener) -> None:
    view = MODAL | {"blocks": [VOTE_BLOCKS[1]]}
    first = await open_modal(cast, view)
    answers = []
    for _ in range(3):
        top = cast.slack.modal(cast.alice)
        assert top is not None
        pressed = (await cast.slack.click(cast.alice, top, "vote_up")).payload["trigger_id"]
        answers.append(await cast.call("views.push", trigger_id=pressed, view=view))

    assert [each.get("error") for each in answers] == [None, None, "push_limit_reached"]
    assert answers[1]["view"]["root_view_id"] == first.id
    assert answers[1]["view"]["previous_view_id"] == answers[0]["view"]["id"]


async def test_a_view_is_updated_by_either_id_and_guarded_by_its_hash(
    cast: Cast, listener: Listener
) -> None:
    view = await open_modal(cast, MODAL | {"external_id": "mine"})
    old = view.hash
    by_id = await cast.call("views.update", view_id=view.id, view=MODAL, hash=old)
    stale = await cast.call("views.update", view_id=view.id, view=MODAL, hash=old)
    named = MODAL | {"external_id": "mine"}
    await cast.call("views.update", view_id=view.id, view=named)
    by_name = await cast.call("views.update", external_id="mine", view=named)

    assert (by_id["ok"], stale["error"], by_name["ok"]) == (True, "hash_conflict", True)
    published = await cast.call(
        "views.publish",
        user_id=cast.alice.id,
        view={"type": "home", "blocks": [], "external_id": "mine"},
    )
    assert published["error"] == "duplicate_external_id"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ({}, []),
        ({"response_action": "errors", "errors": {"log": "too short"}}, ["Diagnose a log"]),
        (
            {
                "response_action": "update",
                "view": MODAL | {"title": {"type": "plain_text", "text": "Done"}},
            },
            ["Done"],
        ),
        (
            {
                "response_action": "push",
                "view": MODAL | {"title": {"type": "plain_text", "text": "More"}},
            },
            ["Diagnose a log", "More"],
        ),
        ({"response_action": "clear"}, []),
    ],
    ids=["close", "errors", "update", "push", "clear"],
)
async def test_what_a_submission_is_answered_with(
    slack: LocalSlack, answer: Json, left: list[str]
) -> None:
    from tests.localslack.test_socket_mode import listening

    cast = assemble(slack)

    def reply(frame: Json) -> Json:
        return answer if frame["payload"].get("type") == "view_submission" else {}

    async with listening(cast, reply):
        view = await open_modal(cast)
        await slack.submit(cast.alice, view, {"log": {"text": "NCCL WARN"}})
        stack = slack.gallery.stacks[cast.alice.id]

    assert [each.body["title"]["text"] for each in stack] == left
    assert view.errors == answer.get("errors", {})


async def test_the_form_itself_refuses_what_slacks_would(cast: Cast, listener: Listener) -> None:
    limited = {"type": "plain_text_input", "action_id": "text", "max_length": 5, "min_length": 2}
    block = MODAL["blocks"][0] | {"element": limited}
    view = await open_modal(cast, MODAL | {"blocks": [block]})
    for typed, words in (({}, "filled in"), ({"text": "x" * 6}, "long"), ({"text": "x"}, "short")):
        with pytest.raises(ValueError, match=words):
            await cast.slack.submit(cast.alice, view, {"log": typed})
    with pytest.raises(LookupError):
        await cast.slack.submit(cast.alice, view, {"no_such_block": {}})


async def test_selects_files_and_defaults_in_the_state(cast: Cast, listener: Listener) -> None:
    label = {"type": "plain_text", "text": "x"}
    options = [{"text": label, "value": each} for each in ("a", "b")]
    elements: list[Json] = [
        {"type": "static_select", "action_id": "x", "options": options},
        {"type": "checkboxes", "action_id": "x", "options": options},
        {"type": "file_input", "action_id": "x"},
        {"type": "users_select", "action_id": "x"},
        {"type": "radio_buttons", "action_id": "x", "options": options}
        | {"initial_option": options[1]},
        {"type": "conversations_select", "action_id": "x", "response_url_enabled": True},
    ]
    blocks = [
        {"type": "input", "block_id": str(number), "label": label, "element": element}
        for number, element in enumerate(elements)
    ]
    view = await open_modal(cast, MODAL | {"blocks": blocks})
    file = cast.slack.workshop.make_file(cast.alice.team_id, cast.alice.id, "x.log", b"x")
    typed = {"0": "a", "1": ["a", "b"], "2": [file.id], "3": cast.bob.id, "5": cast.channel.id}
    delivery = await cast.slack.submit(
        cast.alice, view, {key: {"x": value} for key, value in typed.items()}
    )
    values = {key: value["x"] for key, value in delivery.payload["view"]["state"]["values"].items()}

    assert values["0"]["selected_option"]["value"] == "a"
    assert [each["value"] for each in values["1"]["selected_options"]] == ["a", "b"]
    assert values["2"]["files"][0]["id"] == file.id
    assert values["3"]["selected_user"] == cast.bob.id
    assert values["4"]["selected_option"]["value"] == "b"
    assert delivery.payload["response_urls"][0]["channel_id"] == cast.channel.id


async def test_a_home_tab_and_its_buttons(cast: Cast, listener: Listener) -> None:
    home = {"type": "home", "blocks": VOTE_BLOCKS}
    first = await cast.web.views_publish(user_id=cast.alice.id, view=home)
    stale = await cast.call("views.publish", user_id=cast.alice.id, view=home, hash="0")
    await cast.call("views.publish", user_id=cast.alice.id, view=home, hash=first["view"]["hash"])
    shown = cast.slack.home(cast.alice)
    assert shown is not None
    delivery = await cast.slack.click(cast.alice, shown, "vote_up")

    assert stale["error"] == "hash_conflict"
    assert delivery.payload["container"] == {"type": "view", "view_id": shown.id}
    assert delivery.payload["view"]["id"] == first["view"]["id"]
    assert "message" not in delivery.payload
    assert cast.slack.home(cast.bob) is None


async def test_selects_in_a_message(cast: Cast, listener: Listener) -> None:
    label = {"type": "plain_text", "text": "x"}
    options = [{"text": label, "value": each} for each in ("a", "b")]
    elements: list[Json] = [
        {"type": "static_select", "action_id": "one", "options": options},
        {"type": "overflow", "action_id": "more", "options": options},
        {"type": "channels_select", "action_id": "where"},
    ]
    sent = await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        text="x",
        blocks=[{"type": "actions", "elements": elements}],
    )
    message = cast.slack.find(cast.channel, sent["ts"])
    one = await cast.slack.click(cast.bob, message, "one", "b")
    more = await cast.slack.click(cast.bob, message, "more", "a")
    where = await cast.slack.click(cast.bob, message, "where", cast.channel.id)

    assert one.payload["actions"][0]["selected_option"]["value"] == "b"
    assert more.payload["actions"][0]["selected_option"]["value"] == "a"
    assert where.payload["actions"][0]["selected_channel"] == cast.channel.id
    with pytest.raises(LookupError, match="no option"):
        await cast.slack.click(cast.bob, message, "one", "z")
    with pytest.raises(LookupError, match="no element"):
        await cast.slack.click(cast.bob, message, "nothing")
