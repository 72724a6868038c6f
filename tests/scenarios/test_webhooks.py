"""Job failures from outside."""

from __future__ import annotations

import asyncio
import datetime as dt
import html
import json
from typing import TYPE_CHECKING, Any

import structlog
from standardwebhooks.webhooks import Webhook

from bot.webhooks import auth
from tests.scenarios.conftest import FOUNDING, set_stage
from tests.scenarios.test_outage import full_disk
from tests.scenarios.test_privacy import find_planted

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from bot.localslack import Message
    from rules.load import KnowledgeBase
    from tests.scenarios.conftest import Stage

SECRET = "whsec_ZXhhbXBsZS1zdGFuZGFyZC13ZWJob29rcy1zZWNyZXQ="
TOKEN = "an-example-token"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def options(stage: Stage) -> dict[str, Any]:
    return {
        "webhook_channel": stage.channel.id,
        "webhook_secret": SECRET,
        "webhook_token": TOKEN,
    }


def sign(body: str, identity: str = "msg_1") -> dict[str, str]:
    now = dt.datetime.now(dt.UTC)
    return {
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(identity, now, body),
    }


async def send(stage: Stage, body: dict[str, Any], identity: str = "msg_1") -> tuple[int, str]:
    text = json.dumps(body)
    return await stage.post("/hooks/generic", data=text, headers=sign(text, identity))


async def roots(stage: Stage) -> list[Message]:
    await stage.quiet()
    return stage.roots()


async def test_a_known_failure_is_posted_with_its_diagnosis_below(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        body = {"job": {"id": 42, "name": "pretrain"}, "log": f"step 7\n{FOUNDING}"}
        status, _ = await send(stage, body)
        [root] = await roots(stage)
        head, step = stage.bot_replies(root)

    assert status == 202
    assert "Job pretrain (42) failed" in root.text
    assert "stated 85 %" in head.text
    assert step.text.startswith("*Step 1 of 3")


async def test_an_unknown_failure_is_posted_with_facts_and_last_error_lines(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        log = "epoch 1\nWeirdError: the cheese is off\nbye"
        body = {"id": "j-1", "hosts": ["node-1"], "exit_code": 3, "log": log}
        await send(stage, body)
        [root] = await roots(stage)

        assert "WeirdError: the cheese is off" in root.text
        assert "exit code: 3" in root.text
        assert "What would help" in root.text
        assert not stage.bot_replies(root)


async def test_the_log_that_an_unknown_failure_lacked_is_read_in_its_thread(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        await send(stage, {"job": {"id": "7"}, "status": "failed", "log": "it broke"})
        [root] = await roots(stage)
        assert "as a file in this thread" in root.text
        await stage.slack.upload(
            stage.alice, stage.channel, "rank0.log", FOUNDING.encode(), thread=root
        )
        head, _ = await stage.answered(root)

        assert "AllReduce" in head.text


async def test_the_same_delivery_is_posted_once(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        for _ in range(3):
            assert (await send(stage, {"id": 1, "error": FOUNDING}))[0] == 202

        assert len(await roots(stage)) == 1


async def test_a_bearer_token_is_enough_and_a_wrong_signature_is_not_saved_by_it(
    stage: Stage,
) -> None:
    async with stage.running(**options(stage)):
        body = json.dumps({"id": 1, "error": FOUNDING})
        token = {"Authorization": f"Bearer {TOKEN}"}
        forged = sign(body) | {"webhook-signature": "v1,AAAA"} | token
        assert (await stage.post("/hooks/generic", data=body, headers=forged))[0] == 401
        assert (await stage.post("/hooks/generic", data=body))[0] == 401
        wrong = {"Authorization": "Bearer nö"}
        assert (await stage.post("/hooks/generic", data=body, headers=wrong))[0] == 401
        assert (await stage.post("/hooks/generic", data=body, headers=token))[0] == 202

        assert len(await roots(stage)) == 1


async def test_what_is_no_failure_is_taken_and_not_posted(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        assert (await send(stage, {"id": 1, "status": "succeeded"}))[0] == 202

        assert not await roots(stage)


async def test_bad_bodies_get_a_plain_400(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        for body in ("[" * 100_000, "{", '"text"', "{}"):
            status, text = await stage.post("/hooks/generic", data=body, headers=sign(body))
            assert (status, "Traceback" in text) == (400, False)


async def begin(stage: Stage, headers: dict[str, str]) -> str:
    """Send headers and half a body, and keep the rest; the status line that comes."""
    assert stage.bot is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", stage.bot.port)
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    head = "POST /hooks/generic HTTP/1.1\r\nHost: bot\r\nContent-Length: 100\r\n"
    writer.write((head + "".join(lines) + '\r\n{"id": 1').encode())
    try:
        return (await reader.readline()).decode()
    finally:
        writer.close()


async def test_a_stranger_is_refused_before_a_body_is_read(stage: Stage) -> None:
    async with stage.running(**options(stage)), asyncio.timeout(30):
        for headers in ({}, {"Authorization": "Bearer nobody"}, {"Authorization": "Bearer"}):
            assert " 401 " in await begin(stage, headers)


async def test_a_body_that_never_ends_gets_408(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "UNPROVEN_SECONDS", 0.05)
    monkeypatch.setattr(auth, "PROVEN_SECONDS", 0.05)
    async with stage.running(**options(stage)), asyncio.timeout(30):
        for headers in (sign("{}"), BEARER):
            assert " 408 " in await begin(stage, headers)


async def test_a_body_that_is_not_encoded_as_it_says_gets_400(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    async with stage.running(**options(stage)):
        for encoding in ("gzip", "deflate"):
            for proof in (BEARER, sign("{}"), {}):
                headers = {**proof, "Content-Encoding": encoding}
                status, _ = await stage.post("/hooks/generic", data=b"zzzz", headers=headers)
                assert status == 400 or (status == 401 and not proof)
    assert "Traceback" not in caplog.text


async def test_what_is_nested_without_bottom_is_taken_or_gets_400(stage: Stage) -> None:
    async with stage.running(**options(stage), outcomes="record"):
        for depth in (*range(900, 1000, 5), 3000):
            for name, status in (("x", "failed"), ("id", "failed"), ("id", "succeeded")):
                deep = f'"{name}": {"[" * depth}{"]" * depth}'
                body = f'{{"status": "{status}", {deep}, "log": "it broke"}}'
                status_code, _ = await stage.post("/hooks/generic", data=body, headers=BEARER)
                assert status_code in {202, 400}, depth


async def test_what_cannot_be_stored_is_told_to_come_again(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    body = {"id": "7", "log": "it broke\n" * 1000}
    async with set_stage("socket", tmp_path, kb) as stage, stage.running(**options(stage)):
        with full_disk(stage), structlog.testing.capture_logs() as logs:
            assert (await send(stage, body))[0] == 503
        assert (await send(stage, body))[0] == 202

        assert len(await roots(stage)) == 1
    assert "database_unavailable" in [line["event"] for line in logs]


async def test_closed_and_unknown_hooks_say_so(stage: Stage) -> None:
    async with stage.running():
        assert (await stage.post("/hooks/generic", data="{}"))[0] == 403
        assert (await stage.post("/hooks/nobody", data="{}"))[0] == 404


async def test_the_same_failure_of_the_same_job_links_to_the_first_answer(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        for attempt in range(2):
            body = {"id": 7, "attempt": attempt, "log": FOUNDING}
            await send(stage, body, f"msg_{attempt}")
            await stage.quiet()
        first, second = await roots(stage)

        assert len(stage.bot_replies(first)) == 2
        [line] = stage.bot_replies(second)
        assert "Same failure as" in line.text


async def test_one_number_on_two_clusters_is_two_failures(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        for cluster in ("alpha", "beta", "alpha"):
            body = json.dumps({"id": "777", "cluster": cluster, "log": "it broke"})
            assert (await stage.post("/hooks/generic", data=body, headers=BEARER))[0] == 202

        assert len(await roots(stage)) == 2


async def test_half_characters_are_no_reason_to_lose_a_failure(stage: Stage) -> None:
    async with stage.running(**options(stage)):
        for field in ("log", "name"):
            body = {"log": "it broke"} | {field: "a\udcffb"}
            status, _ = await stage.post("/hooks/generic", data=json.dumps(body), headers=BEARER)
            assert status == 202

        assert len(await roots(stage)) == 2


async def test_what_a_sender_says_of_a_job_is_stored_and_shown_without_secrets(
    stage: Stage,
) -> None:
    secret = "hf_" + "a1B2" * 9
    body = {
        "id": f"7 {secret}",
        "name": f"train --token={secret}",
        "user": secret,
        "cluster": secret,
        "hosts": [secret],
        "url": f"https://logs.example.com/7?X-Amz-Signature={secret}",
        "log": FOUNDING,
    }
    async with stage.running(**options(stage), outcomes="record"):
        for text in (json.dumps(body), json.dumps(body | {"status": "succeeded"})):
            assert (await stage.post("/hooks/generic", data=text, headers=BEARER))[0] == 202
        [root] = await roots(stage)

        assert "train --token=<redacted>" in html.unescape(root.text)
        assert secret not in json.dumps([root.text, root.blocks])
        assert find_planted(stage.folder, secret) == []
