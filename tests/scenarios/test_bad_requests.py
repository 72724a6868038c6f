"""What nobody should send: a clear status, no traceback, nothing kept."""

from __future__ import annotations

import asyncio
import io
import json
import time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import structlog

from bot import inbox
from bot.slack import http
from tests.scenarios.conftest import FOUNDING, set_stage
from tests.scenarios.test_payloads import sign, statuses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest

    from rules.load import KnowledgeBase

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
UNREADABLE = [
    (b"{", JSON),
    (b"[" * 200_000, JSON),
    (b'"text"', JSON),
    (b"[1]", JSON),
    (b"\xff\xfe", JSON),
    (b"\xff=\xfe", FORM),
    (b"payload=%7Bbad", FORM),
    (b"payload=" + b"[" * 100_000, FORM),
    (b"a=1", FORM),
    (b"&".join(b"a=1" for _ in range(5000)), FORM),
    (b"", FORM),
]


async def test_unsigned_requests_get_401_whatever_they_hold(
    tmp_path: Path, kb: KnowledgeBase, capfd: pytest.CaptureFixture[str]
) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        good = sign(stage.app.signing_secret, b"{}")
        headers = [
            {},
            {"X-Slack-Signature": "v0=" + "0" * 64, "X-Slack-Request-Timestamp": "1"},
            good | {"X-Slack-Request-Timestamp": "soon"},
            good | {"X-Slack-Request-Timestamp": "٣"},
            good | {"X-Slack-Signature": "v0=é"},
            good | {"X-Slack-Signature": ""},
        ]
        for raw, kind in UNREADABLE:
            for extra in headers:
                status, _ = await stage.post("/slack/events", data=raw, headers={**kind, **extra})
                assert status == 401

        assert not await statuses(bot)
    assert "Traceback" not in "".join(capfd.readouterr())


async def test_signed_but_unreadable_requests_get_400(
    tmp_path: Path, kb: KnowledgeBase, capfd: pytest.CaptureFixture[str]
) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        for raw, kind in UNREADABLE:
            headers = {**kind, **sign(stage.app.signing_secret, raw)}
            status, text = await stage.post("/slack/events", data=raw, headers=headers)
            assert (status, "Traceback" in text) == (400, False), raw[:20]

        assert not await statuses(bot)
    assert "Traceback" not in "".join(capfd.readouterr())


async def test_a_body_that_is_too_large_gets_413(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running(max_body_mb=1):
        status, _ = await stage.post("/slack/events", data=io.BytesIO(b"x" * (2 << 20)))

    assert status == 413


async def test_a_body_that_never_ends_or_is_not_encoded_as_it_says_is_refused(
    tmp_path: Path, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "UNPROVEN_SECONDS", 0.05)

    async def send_half() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async with set_stage("http", tmp_path, kb) as stage, stage.running():
        assert (await stage.post("/slack/events", data=send_half()))[0] == 408
        encoded = {**JSON, "Content-Encoding": "gzip"}
        assert (await stage.post("/slack/events", data=b"zzzz", headers=encoded))[0] == 400


async def test_url_verification_needs_a_signature(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running():
        assert await stage.slack.verify_url(stage.app)
        raw = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
        status, _ = await stage.post("/slack/events", data=raw, headers=JSON)

    assert status == 401


ODD = [
    {"type": "event_callback", "authorizations": None, "event": None},
    {"type": "event_callback", "authorizations": {}, "event": []},
    {"type": "event_callback", "authorizations": [None], "event": "message"},
    {"type": "event_callback", "authorizations": [7], "event": {"type": 7}},
    {"type": "event_callback", "event_id": "E" * 4000, "team_id": "T" * 4000, "event": {}},
    {"type": "event_callback", "event_id": "Ev\x00", "team_id": "T\x00", "event": {"type": "\x00"}},
    {"type": "event_callback", "event": {"type": "message", "text": "half \ud800", "ts": "1"}},
    {"type": "event_callback", "event": {"type": "message", "channel": 1, "user": 2, "ts": 3}},
    {"type": "event_callback", "event": {"type": "reaction_added", "item": "message"}},
    {"type": "block_actions", "actions": None, "user": None, "team": []},
    {"type": "block_actions", "actions": ["worked"], "user": {}, "team": {}},
    {"type": "view_submission", "view": None},
    {"type": "view_submission", "view": {"state": None, "private_metadata": "{"}},
    {"type": "message_action", "callback_id": "diagnose_message", "message": [], "user": {}},
    {"type": "shortcut"},
    {"type": "app_rate_limited", "team_id": None, "minute_rate_limited": "soon"},
    {"type": "url_verification"},
    {},
]
"""What is signed, can be read, and is nothing that Slack sends."""


async def test_signed_oddities_are_taken_and_given_up_without_a_traceback(
    tmp_path: Path,
    kb: KnowledgeBase,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox, "MOST_TRIES", 1)
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        for body in ODD:
            text = json.dumps(body)
            for raw, kind in (
                (text.encode(), JSON),
                (urlencode({"payload": text}).encode(), FORM),
            ):
                headers = {**kind, **sign(stage.app.signing_secret, raw)}
                status, said = await stage.post("/slack/events", data=raw, headers=headers)
                assert (status, "Traceback" in said) == (200, False), text
        await stage.quiet()

        assert set((await statuses(bot)).values()) <= {"done", "unworkable"}
        assert await stage.answered(await stage.slack.post(stage.alice, stage.channel, FOUNDING))
    assert "Traceback" not in "".join(capfd.readouterr())


async def test_what_is_nested_without_bottom_gets_400(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running():
        for depth in (400, 800, 990):
            raw = b'{"event_id":"Ev1","event":' + b"[" * depth + b"]" * depth + b"}"
            headers = {**JSON, **sign(stage.app.signing_secret, raw)}
            status, _ = await stage.post("/slack/events", data=raw, headers=headers)
            assert status in {200, 400}, depth


async def test_old_and_repeated_and_misplaced_requests_are_refused(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        raw = json.dumps({"type": "event_callback", "event_id": "Ev1", "event": {}}).encode()
        secret = stage.app.signing_secret
        for seconds in (-301, 301):
            headers = {**JSON, **sign(secret, raw, time.time() + seconds)}
            assert (await stage.post("/slack/events", data=raw, headers=headers))[0] == 401
        headers = {**JSON, **sign(secret, raw)}
        assert (await stage.post("/slack/events", data=raw + b" ", headers=headers))[0] == 401
        assert (await stage.post("/slack/events", data=raw, headers=headers))[0] == 200
        assert (await stage.post("/slack/events", data=raw, headers=headers))[0] == 200
        assert (await stage.post("/slack/install"))[0] == 404
        await stage.quiet()

        assert list(await statuses(bot)) == ["event:Ev1"]


async def test_slacks_own_checks_are_answered(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        assert (await stage.slack.send_ssl_check(stage.app)).acknowledged
        with structlog.testing.capture_logs() as logs:
            assert (await stage.slack.send_rate_limited(stage.app)).acknowledged

        assert [line["event"] for line in logs] == ["slack_holds_events_back"]
        assert not await statuses(bot)
