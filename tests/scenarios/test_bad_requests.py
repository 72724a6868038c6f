"""What nobody should send: a clear status, no traceback, nothing kept."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from tests.scenarios.conftest import set_stage
from tests.scenarios.test_payloads import sign, statuses

if TYPE_CHECKING:
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


async def test_url_verification_needs_a_signature(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running():
        assert await stage.slack.verify_url(stage.app)
        raw = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
        status, _ = await stage.post("/slack/events", data=raw, headers=JSON)

    assert status == 401
