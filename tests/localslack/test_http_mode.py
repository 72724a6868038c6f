"""Signed requests to a request URL: signatures, retries, the three-second rule."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote_plus, urlencode

import pytest
from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from bot.localslack import App, LocalSlack, ManualClock, Timing
from bot.localslack.delivery import Delivery, Envelope
from bot.localslack.http_mode import encode
from bot.localslack.model import Json
from bot.localslack.signing import sign
from tests.localslack.conftest import ALL_EVENTS, ALL_SCOPES, Cast, assemble
from tests.localslack.shapes import PAYLOADS, differences, fixture


@dataclass
class Receiver:
    """An app's web server: keeps what it gets and answers what it is told to."""

    url: str = ""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[web.Response] = field(default_factory=list)
    hang: bool = False
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, request: web.Request) -> web.Response:
        headers = {key.lower(): value for key, value in request.headers.items()}
        self.requests.append((headers, await request.read()))
        self.arrived.set()
        if self.hang:
            await asyncio.Event().wait()
        return self.answers.pop(0) if self.answers else web.Response()

    async def moved(self, request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect(f"/moved/{int(request.match_info['times']) - 1}")

    def header(self, name: str) -> list[str | None]:
        return [headers.get(name) for headers, _ in self.requests]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    found = Receiver()
    application = web.Application()
    application.router.add_post("/slack/events", found.serve)
    application.router.add_post("/moved/0", found.serve)
    application.router.add_post("/moved/{times}", found.moved)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    found.url = "http://{}:{}".format(*runner.addresses[0][:2])
    yield found
    await runner.cleanup()


def over_http(slack: LocalSlack, receiver: Receiver, path: str = "/slack/events") -> Cast:
    cast = assemble(slack)
    cast.app.request_url = receiver.url + path
    return cast


def vectors() -> list[Json]:
    loaded = json.loads((PAYLOADS / "_signature_vectors.json").read_text())
    return [each for each in loaded["vectors"] if each["name"] == "slack_v0"]


@pytest.mark.parametrize("vector", vectors(), ids=lambda each: each["body_file"])
def test_signatures_agree_with_the_vectors(vector: Json) -> None:
    raw = (PAYLOADS / vector["body_file"]).read_bytes()
    if vector["encode"].startswith("urllib"):
        raw = urlencode(json.loads(raw)).encode()
    elif vector["encode"].startswith("'payload='"):
        compact = json.dumps(json.loads(raw), separators=(",", ":"), ensure_ascii=False)
        raw = f"payload={quote_plus(compact)}".encode()
    headers = vector["headers"]
    signature = sign(vector["secret"], headers["X-Slack-Request-Timestamp"], raw)

    assert signature == headers["X-Slack-Signature"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("slash_commands", "slack_slash_command.json"), ("interactive", "slack_view_closed.json")],
)
def test_forms_are_encoded_as_slack_does(slack: LocalSlack, kind: Envelope, name: str) -> None:
    payload = fixture(name)
    content_type, body = encode(Delivery(slack.add_app(), kind, payload))
    fields = {
        key: value[0] for key, value in parse_qs(body.decode(), keep_blank_values=True).items()
    }

    assert content_type == "application/x-www-form-urlencoded"
    assert (json.loads(fields["payload"]) if kind == "interactive" else fields) == payload


async def test_events_commands_and_actions_are_signed(
    slack: LocalSlack, receiver: Receiver
) -> None:
    cast = over_http(slack, receiver)
    verifier = SignatureVerifier(cast.app.signing_secret)
    await slack.post(cast.alice, cast.channel, "it hangs: naïve – ünicode")
    await slack.settled()
    await slack.command(cast.alice, cast.channel, "/nccl", "payload <x> & ü")
    await slack.shortcut(cast.alice, "paste_log")
    headers = [each for each, _ in receiver.requests]
    bodies = [body.decode() for _, body in receiver.requests]

    assert all(
        verifier.is_valid_request(body, each) for body, each in zip(bodies, headers, strict=True)
    )
    assert json.loads(bodies[0])["event"]["text"] == "it hangs: naïve – ünicode"
    assert parse_qs(bodies[1])["text"] == ["payload <x> & ü"]
    assert json.loads(parse_qs(bodies[2])["payload"][0])["type"] == "shortcut"
    assert receiver.header("x-slack-retry-num") == [None, None, None]


async def test_a_failing_event_is_tried_four_times_on_slacks_schedule(receiver: Receiver) -> None:
    clock = ManualClock()
    receiver.answers = [web.Response(status=500) for _ in range(4)]
    async with LocalSlack(clock=clock) as slack:
        cast = over_http(slack, receiver)
        await slack.post(cast.alice, cast.channel, "it hangs")
        await slack.wait_for(lambda: len(slack.deliveries[0].failures) == 2)
        for failures, wait in ((3, 60), (4, 300)):
            await clock.until_asleep()
            clock.advance(wait - 1)
            assert len(receiver.requests) == failures - 1
            clock.advance(1)
            await _failed(slack, failures)
        await slack.settled()

    assert receiver.header("x-slack-retry-num") == [None, "1", "2", "3"]
    assert receiver.header("x-slack-retry-reason") == [None, *["http_error"] * 3]
    assert len({json.loads(body)["event_id"] for _, body in receiver.requests}) == 1
    assert slack.deliveries[0].state == "given_up"


async def _failed(slack: LocalSlack, times: int) -> None:
    await slack.wait_for(lambda: len(slack.deliveries[0].failures) == times)


async def test_no_retry_is_honoured(slack: LocalSlack, receiver: Receiver) -> None:
    cast = over_http(slack, receiver)
    receiver.answers = [web.Response(status=500, headers={"x-slack-no-retry": "1"})]
    await slack.post(cast.alice, cast.channel, "it hangs")
    await slack.settled()

    assert len(receiver.requests) == 1
    assert slack.deliveries[0].state == "given_up"


async def test_a_slow_answer_is_a_timeout(slack: LocalSlack, receiver: Receiver) -> None:
    cast = over_http(slack, receiver)
    slack.http.timing = Timing(ack=0.05)
    receiver.hang = True
    await slack.post(cast.alice, cast.channel, "it hangs")
    await slack.wait_for(lambda: slack.deliveries[0].failures)
    receiver.hang = False
    await slack.settled()

    assert receiver.header("x-slack-retry-reason")[:2] == [None, "http_timeout"]
    assert slack.deliveries[0].acknowledged


async def test_an_app_that_is_down_is_a_failed_connection(
    slack: LocalSlack, receiver: Receiver
) -> None:
    cast = over_http(slack, receiver)
    cast.app.request_url = "http://127.0.0.1:9/slack/events"
    await slack.post(cast.alice, cast.channel, "it hangs")
    await slack.settled()

    assert slack.deliveries[0].failures == ["connection_failed"] * 4


@pytest.mark.parametrize(("hops", "delivered"), [(2, True), (3, False)])
async def test_two_redirects_are_followed(
    slack: LocalSlack, receiver: Receiver, hops: int, *, delivered: bool
) -> None:
    cast = over_http(slack, receiver, f"/moved/{hops}")
    await slack.post(cast.alice, cast.channel, "it hangs")
    await slack.settled()

    assert slack.deliveries[0].acknowledged is delivered
    assert delivered or set(slack.deliveries[0].failures) == {"too_many_redirects"}


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (web.Response, []),
        (lambda: web.Response(text="plain words"), ["plain words"]),
        (lambda: web.json_response({"text": "from JSON"}), ["from JSON"]),
        (lambda: web.json_response({}), ["{}"]),
    ],
    ids=["empty", "text", "json", "braces"],
)
async def test_what_a_command_answers_is_shown(
    slack: LocalSlack, receiver: Receiver, answer: type[web.Response], shown: list[str]
) -> None:
    cast = over_http(slack, receiver)
    receiver.answers = [answer()]
    await slack.command(cast.alice, cast.channel, "/nccl", "x")

    assert [each.text for each in slack.ephemerals(cast.alice)] == shown


async def test_an_answer_in_the_channel_is_seen_by_all(
    slack: LocalSlack, receiver: Receiver
) -> None:
    cast = over_http(slack, receiver)
    receiver.answers = [web.json_response({"response_type": "in_channel", "text": "for all"})]
    await slack.command(cast.alice, cast.channel, "/nccl", "x")

    assert [each.text for each in slack.messages(cast.channel)] == ["for all"]


async def test_a_failed_command_is_not_repeated(slack: LocalSlack, receiver: Receiver) -> None:
    cast = over_http(slack, receiver)
    receiver.answers = [web.Response(status=404)]
    delivery = await slack.command(cast.alice, cast.channel, "/nccl", "x")

    assert (delivery.state, len(receiver.requests)) == ("given_up", 1)
    assert "http_service_error" in slack.ephemerals(cast.alice)[0].text


async def test_a_request_url_is_verified(slack: LocalSlack, receiver: Receiver) -> None:
    cast = over_http(slack, receiver)

    assert not await slack.verify_url(cast.app)
    body = json.loads(receiver.requests[0][1])
    assert differences(body, fixture("slack_url_verification.json")) == []
    count = slack.world._counters["challenge"] + 1
    receiver.answers = [web.json_response({"challenge": f"challenge-{count}"})]
    assert await slack.verify_url(cast.app)


async def test_the_rare_requests(slack: LocalSlack, receiver: Receiver) -> None:
    app: App = slack.add_app(
        scopes=ALL_SCOPES, events=ALL_EVENTS, request_url=f"{receiver.url}/slack/events"
    )
    await slack.send_rate_limited(app)
    await slack.send_ssl_check(app)
    limited = json.loads(receiver.requests[0][1])

    assert differences(limited, fixture("slack_app_rate_limited.json")) == []
    assert parse_qs(receiver.requests[1][1].decode()).keys() == (
        fixture("slack_ssl_check.json").keys()
    )
