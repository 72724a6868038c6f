"""The Slack manifest asks for what the code uses, and for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.slack.shortcuts import DIAGNOSE

ROOT = Path(__file__).parents[2]
CALLS = {
    "chat_postMessage": "chat:write",
    "chat_postEphemeral": "chat:write",
    "chat_update": "chat:write",
    "conversations_history": "channels:history",
    "conversations_replies": "channels:history",
    "files_info": "files:read",
    "users_info": "users:read",
    "reactions_add": "reactions:write",
    "conversations_info": "channels:read",
    "conversations_open": "im:write",
    "files_upload_v2": "files:write",
}
EVENTS = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "deploy" / "slack-manifest.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def test_the_scopes_are_those_of_the_calls_and_events(manifest: dict[str, Any]) -> None:
    code = "".join(
        path.read_text() for path in (ROOT / "bot").rglob("*.py") if "localslack" not in path.parts
    )
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    needed = {scope for call, scope in CALLS.items() if f".{call}(" in code}
    needed |= {EVENTS[event] for event in events} | {"commands"}

    assert set(manifest["oauth_config"]["scopes"]["bot"]) == needed


def test_the_events_are_those_that_have_a_listener(manifest: dict[str, Any]) -> None:
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])

    assert events == set(EVENTS)


def test_the_shortcuts_and_the_command_are_those_of_the_code(manifest: dict[str, Any]) -> None:
    features = manifest["features"]

    assert {s["callback_id"] for s in features["shortcuts"] if s["type"] == "message"} == {DIAGNOSE}
    assert [c["command"] for c in features["slash_commands"]] == ["/nccl"]
    assert manifest["settings"]["socket_mode_enabled"] is True


def test_the_texts_are_within_slacks_limits(manifest: dict[str, Any]) -> None:
    about = manifest["display_information"]

    assert len(about["name"]) <= 35
    assert len(about["description"]) <= 140
    assert 175 <= len(about["long_description"]) <= 4000
    for shortcut in manifest["features"]["shortcuts"]:
        assert len(shortcut["name"]) <= 24
        assert len(shortcut["description"]) <= 150
