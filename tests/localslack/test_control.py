"""The page's way in: state, acts, stream, and nobody else's."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.localslack import LocalSlack
from bot.localslack.model import Json
from tests.localslack.conftest import Cast, Listener
from tests.localslack.test_payload_shapes import MODAL, VOTE_BLOCKS


class Page:
    """What the playground's page does over the wire."""

    def __init__(self, cast: Cast, session: aiohttp.ClientSession) -> None:
        self.cast = cast
        self.session = session
        self.origin = cast.slack.origin
        self.at: Json = {"user": cast.alice.id, "channel": cast.channel.id}

    async def act(self, act: str, **body: object) -> Json:
        headers = {"Origin": self.origin}
        url = f"{self.origin}/local/act/{act}"
        async with self.session.post(url, json=self.at | body, headers=headers) as response:
            answer: Json = await response.json()
            return answer

    async def state(self) -> Json:
        async with self.session.get(f"{self.origin}/local/state") as response:
            found: Json = await response.json()
            return found


@pytest.fixture
async def desk(cast: Cast) -> AsyncIterator[Page]:
    async with aiohttp.ClientSession() as session:
        yield Page(cast, session)


async def test_a_person_posts_edits_reacts_and_deletes(desk: Page, listener: Listener) -> None:
    cast = desk.cast
    ts = (await desk.act("post", text="it hangs\nhere"))["ts"]
    await desk.act("edit", ts=ts, text="it hangs there")
    await desk.act("react", ts=ts, name="+1")
    once = [each.name for each in cast.slack.find(cast.channel, ts).reactions]
    await desk.act("react", ts=ts, name="+1")
    reply = (await desk.act("post", text="more", thread=ts, broadcast=True))["ts"]
    await desk.act("delete", ts=reply)
    await cast.slack.settled()

    assert once == ["+1"]
    assert cast.slack.find(cast.channel, ts).text == "it hangs there"
    assert [each.get("subtype", each["type"]) for each in listener.events] == [
        "message",
        "message_changed",
        "reaction_added",
        "reaction_removed",
        "thread_broadcast",
        "message_deleted",
    ]


async def test_only_ones_own_messages_may_be_changed(desk: Page) -> None:
    post = await desk.cast.slack.post(desk.cast.bob, desk.cast.channel, "mine")

    assert (await desk.act("edit", ts=post.ts, text="yours"))["error"] == "cant_update_message"
    assert (await desk.act("delete", ts=post.ts))["error"] == "cant_delete_message"


async def test_commands_buttons_shortcuts_and_modals(desk: Page, listener: Listener) -> None:
    cast = desk.cast
    posted = await cast.call(
        "chat.postMessage", channel=cast.channel.id, text="likely", blocks=VOTE_BLOCKS
    )
    assert (await desk.act("command", command="/nccl", text="help"))["acknowledged"]
    assert (await desk.act("click", ts=posted["ts"], action_id="vote_up"))["acknowledged"]
    on_message = await desk.act("shortcut", callback_id="diagnose_message", ts=posted["ts"])
    assert on_message["acknowledged"]
    await desk.act("shortcut", callback_id="paste_log")
    trigger = listener.frames[-1]["payload"]["trigger_id"]
    opened = await cast.call("views.open", trigger_id=trigger, view=MODAL)
    shown = next(each for each in (await desk.state())["views"] if each["modals"])
    refused = await desk.act("submit", view=opened["view"]["id"], values={})
    sent = await desk.act(
        "submit", view=opened["view"]["id"], values={"log": {"text": "NCCL WARN"}}
    )

    assert (shown["user"], shown["modals"][0]["id"]) == (cast.alice.id, opened["view"]["id"])
    assert refused["error"] == "log/text must be filled in"
    assert (sent["acknowledged"], sent["modals"]) == (True, [])
    assert (await desk.act("click", ts=posted["ts"], action_id="none"))["ok"] is False


async def test_the_home_tab_and_the_direct_conversation(desk: Page, listener: Listener) -> None:
    cast = desk.cast
    await desk.act("home", app=cast.app.id)
    await cast.call(
        "views.publish", user_id=cast.alice.id, view={"type": "home", "blocks": VOTE_BLOCKS}
    )
    direct = await desk.act("direct", app=cast.app.id)
    state = await desk.state()

    assert listener.of("app_home_opened")[0]["tab"] == "home"
    assert cast.app.id in next(iter(state["views"]))["homes"]
    assert direct["channel"] in {each["id"] for each in state["channels"]}


async def test_a_file_goes_up_and_can_be_read(desk: Page, listener: Listener) -> None:
    query = desk.at | {"name": "rank5.log", "comment": "the hung rank"}
    url = f"{desk.origin}/local/upload"
    async with desk.session.post(url, params=query, data=b"NCCL WARN <b>") as response:
        ts = (await response.json())["ts"]
    message = desk.cast.slack.find(desk.cast.channel, ts)
    async with desk.session.get(f"{desk.origin}/local/files/{message.files[0]}") as response:
        assert await response.text() == "NCCL WARN <b>"
        assert response.content_type == "text/plain"
    async with desk.session.get(f"{desk.origin}/local/files/F99999999") as response:
        assert response.status == 404
    assert message.text == "the hung rank"


async def test_the_stream_tells_every_change(desk: Page, listener: Listener) -> None:
    cast = desk.cast
    async with desk.session.ws_connect(f"{desk.origin}/local/stream") as stream:
        first = await stream.receive_json()
        post = await cast.slack.post(cast.alice, cast.channel, "it hangs")
        shown = await stream.receive_json()
        await cast.slack.post(cast.bob, cast.channel, "me too", thread=post)
        reply, parent = await stream.receive_json(), await stream.receive_json()
        await cast.slack.react(cast.bob, post, "eyes")
        reacted = await stream.receive_json()
        await cast.call(
            "chat.postEphemeral", channel=cast.channel.id, user=cast.bob.id, text="only you"
        )
        whisper = await stream.receive_json()
        await cast.call("views.publish", user_id=cast.bob.id, view={"type": "home", "blocks": []})
        views = await stream.receive_json()
        other = await cast.slack.post(cast.bob, cast.channel, "never mind")
        await stream.receive_json()
        await cast.slack.delete(other)
        gone = await stream.receive_json()
        cast.slack.remove(cast.bob, cast.channel)
        members = await stream.receive_json()

    assert first["state"]["channels"][0]["id"] == cast.channel.id
    assert shown["message"]["text"] == "it hangs"
    assert (reply["message"]["text"], parent["message"]["reply_count"]) == ("me too", 1)
    assert reacted["message"]["reactions"][0]["count"] == 1
    assert (whisper["kind"], whisper["user"]) == ("whisper", cast.bob.id)
    assert (views["kind"], views["user"]) == ("views", cast.bob.id)
    assert (gone["kind"], gone["ts"]) == ("gone", other.ts)
    assert members["kind"] == "members"


async def test_an_ephemeral_message_that_goes_is_told(desk: Page, listener: Listener) -> None:
    cast = desk.cast
    await cast.call(
        "chat.postEphemeral",
        channel=cast.channel.id,
        user=cast.bob.id,
        text="only you",
        blocks=VOTE_BLOCKS,
    )
    shown = cast.slack.ephemerals(cast.bob)[0]
    clicked = await desk.act("click", ts=shown.ts, action_id="vote_up", user=cast.bob.id)
    assert clicked["acknowledged"]
    url = listener.frames[-1]["payload"]["response_url"]
    async with desk.session.ws_connect(f"{desk.origin}/local/stream") as stream:
        assert len((await stream.receive_json())["state"]["whispers"]) == 1
        async with desk.session.post(url, json={"delete_original": True}) as response:
            assert response.status == 200
        assert await stream.receive_json() == {
            "kind": "whisper_gone",
            "channel": cast.channel.id,
            "ts": shown.ts,
        }


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=["origin", "host", "form"],
)
async def test_another_site_may_do_nothing(desk: Page, headers: dict[str, str]) -> None:
    for path in ("act/post", "upload"):
        url = f"{desk.origin}/local/{path}"
        async with desk.session.post(url, json=desk.at, headers=headers) as response:
            assert response.status == 403
    assert desk.cast.slack.messages(desk.cast.channel) == []


async def test_what_is_no_act_is_refused(desk: Page) -> None:
    for path, body in (("no_such_act", {}), ("post", [])):
        url = f"{desk.origin}/local/act/{path}"
        async with desk.session.post(url, json=body) as response:
            assert response.status == 404


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
async def test_what_is_no_json_gets_400(desk: Page, body: bytes) -> None:
    async with desk.session.post(f"{desk.origin}/local/act/post", data=body) as response:
        assert response.status == 400


@pytest.mark.parametrize("query", ["", "?user=nobody&channel=nowhere"])
async def test_a_file_of_nobody_is_refused(desk: Page, query: str) -> None:
    for path in ("upload", "file"):
        async with desk.session.post(f"{desk.origin}/local/{path}{query}", data=b"x") as response:
            assert response.status == 404


async def test_the_page_loads_nothing_from_elsewhere(desk: Page) -> None:
    async with desk.session.get(f"{desk.origin}/") as response:
        text = await response.text()
        policy = response.headers["Content-Security-Policy"]
    for name, status in (("app.js", 200), ("style.css", 200), ("secret.txt", 404), ("x.js", 404)):
        async with desk.session.get(f"{desk.origin}/web/{name}") as response:
            assert response.status == status

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http://" not in text
    assert "https://" not in text


async def test_a_taken_port_is_said_and_nothing_is_left_behind(slack: LocalSlack) -> None:
    port = int(slack.origin.rpartition(":")[2])
    second = LocalSlack(port=port)
    with pytest.raises(OSError, match="address already in use"):
        await second.start()
    await second.stop()
