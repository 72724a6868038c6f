"""Every recorded payload goes through the bot without an unhandled event."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlencode

import pytest
import sqlalchemy as sa

from bot.delivery import Kind, read_delivery
from bot.store.tables import inbox
from tests.scenarios.conftest import set_stage, wait_worked

if TYPE_CHECKING:
    from rules.load import KnowledgeBase

PAYLOADS = Path(__file__).parents[1] / "payloads"
INDEX = json.loads((PAYLOADS / "_index.json").read_text())
SLACK = sorted(path.name for path in PAYLOADS.glob("slack_*.json"))
ENVELOPES = sorted(path.name for path in PAYLOADS.glob("socket_envelope_*.json"))


def encode(name: str) -> tuple[bytes, str]:
    """The fixture as Slack sends it over HTTP, and its content type."""
    raw = (PAYLOADS / name).read_bytes()
    if INDEX[name]["content_type"] == "application/json":
        return raw, "application/json"
    body = json.loads(raw)
    if "payload=" in INDEX[name]["via"]:
        return f"payload={quote_plus(json.dumps(body))}".encode(), INDEX[name]["content_type"]
    return urlencode({k: v for k, v in body.items() if v is not None}).encode(), INDEX[name][
        "content_type"
    ]


def sign(secret: str, raw: bytes, at: float | None = None) -> dict[str, str]:
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + raw, hashlib.sha256)
    return {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={digest.hexdigest()}",
    }


async def statuses(bot: Any) -> dict[str, str]:
    async with bot.core.database.read() as connection:
        rows = await connection.execute(sa.select(inbox.c.key, inbox.c.status))
    return {row.key: row.status for row in rows}


async def test_every_payload_over_http(tmp_path: Path, kb: KnowledgeBase) -> None:
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        for name in SLACK:
            raw, content_type = encode(name)
            headers = sign(stage.app.signing_secret, raw) | {"Content-Type": content_type}
            status, _ = await stage.post("/slack/events", data=raw, headers=headers)
            assert status == 200, name
        await wait_worked(bot)
        found = await statuses(bot)

    assert len(found) > 30
    assert {key: status for key, status in found.items() if status != "done"} == {}


@pytest.mark.parametrize("name", ENVELOPES)
async def test_every_envelope(name: str, tmp_path: Path, kb: KnowledgeBase) -> None:
    envelope = json.loads((PAYLOADS / name).read_text())
    kinds = {
        "events_api": Kind.EVENT,
        "interactive": Kind.INTERACTIVE,
        "slash_commands": Kind.SLASH,
    }
    async with set_stage("http", tmp_path, kb) as stage, stage.running() as bot:
        await bot.inbox.accept(read_delivery(kinds[envelope["type"]], envelope["payload"]))
        await wait_worked(bot)

        assert set((await statuses(bot)).values()) == {"done"}
