"""The Slack manifest asks for what the code uses, for nothing else, and as Slack wants it written."""

from __future__ import annotations

import ast
import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from pydantic import ValidationError

from bot.doctor.scopes import SCOPES
from bot.localslack.webapi import load_methods
from bot.localslack.webapi.registry import METHODS
from bot.slack import shortcuts
from tests.deploy.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BY_KIND = {
    "conversations.history": {"channels:history", "groups:history", "im:history"},
    "conversations.replies": {"channels:history", "groups:history", "im:history"},
    "conversations.info": {"channels:read", "groups:read"},
    "conversations.list": {"channels:read", "groups:read"},
    "users.conversations": {"channels:read", "groups:read"},
    "conversations.members": {"channels:read", "groups:read"},
    "conversations.open": {"im:write"},
}
"""Methods whose scope hangs on the kind of channel."""
EVENT_SCOPES = {
    "app_mention": {"app_mentions:read"},
    "member_joined_channel": {"channels:read", "groups:read"},
    "member_left_channel": {"channels:read", "groups:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "reaction_added": {"reactions:read"},
    "reaction_removed": {"reactions:read"},
}
"""Events that need a scope of their own."""


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "deploy" / "slack-manifest.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def manifest(raw: dict[str, Any]) -> Manifest:
    return Manifest.model_validate(raw)


def calls() -> Iterator[ast.Call]:
    """Every call of a method in the bot's own code."""
    for path in (ROOT / "bot").rglob("*.py"):
        if "localslack" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield node


def used_methods() -> set[str]:
    """Methods of the Web API that the code calls: `chat_postMessage` is chat.postMessage."""
    load_methods()
    names = {node.func.attr for node in calls() if isinstance(node.func, ast.Attribute)}
    known = {method.replace(".", "_"): method for method in METHODS}
    known |= {"files_upload_v2": "files.completeUploadExternal"}
    return {known[name] for name in names if name in known}


def heard_events() -> set[str]:
    """Types of events that have a listener."""
    return {
        node.args[0].value
        for node in calls()
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "event"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def test_the_scopes_are_those_of_the_calls_and_events(manifest: Manifest) -> None:
    events = manifest.settings.event_subscriptions.bot_events
    methods = used_methods()
    needed = {"commands"}.union(*(EVENT_SCOPES.get(event, set()) for event in events))
    needed |= {scope for method in methods if (scope := METHODS[method].scope)}
    needed |= {scope for method in methods for scope in BY_KIND.get(method, ())}

    assert "chat.postMessage" in methods
    assert set(manifest.oauth_config.scopes.bot) == needed


def test_the_doctor_knows_the_same_scopes(manifest: Manifest) -> None:
    assert set(SCOPES) == set(manifest.oauth_config.scopes.bot)


def test_the_events_are_those_that_have_a_listener(manifest: Manifest) -> None:
    events = manifest.settings.event_subscriptions.bot_events

    assert {event.partition(".")[0] for event in events} == heard_events()
    assert {event for event in events if event.startswith("message.")} == {
        "message.channels", "message.groups", "message.im",
    }  # fmt: skip


def test_the_shortcuts_are_those_of_the_code(manifest: Manifest) -> None:
    known = {
        value
        for name, value in vars(shortcuts).items()
        if name.isupper() and isinstance(value, str)
    }
    asked = {each.callback_id for each in manifest.features.shortcuts if each.type == "message"}

    assert asked == known
    assert [each.type for each in manifest.features.shortcuts].count("global") == 1


def test_there_is_one_command_and_its_text_comes_as_typed(manifest: Manifest) -> None:
    [command] = manifest.features.slash_commands

    assert command.command == "/nccl"
    assert command.should_escape is False


def test_people_can_write_to_the_bot_and_see_what_it_fills(manifest: Manifest) -> None:
    home = manifest.features.app_home

    assert home.messages_tab_enabled
    assert not home.messages_tab_read_only_enabled
    assert home.home_tab_enabled == ("app_home_opened" in heard_events())


def test_socket_mode_names_no_address(raw: dict[str, Any], manifest: Manifest) -> None:
    assert manifest.settings.socket_mode_enabled
    assert manifest.settings.interactivity.is_enabled
    assert "url" not in str(raw)


def test_the_variant_for_http_is_a_manifest_too(raw: dict[str, Any]) -> None:
    variant, url = copy.deepcopy(raw), "https://bot.example.com/slack/events"
    variant["settings"]["socket_mode_enabled"] = False
    variant["settings"]["event_subscriptions"]["request_url"] = url
    variant["settings"]["interactivity"]["request_url"] = url
    variant["features"]["slash_commands"][0]["url"] = url

    assert Manifest.model_validate(variant).features.slash_commands[0].url == url


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("display_information", "name"), "n" * 36),
        (("display_information", "long_description"), "too short"),
        (("features", "shortcuts", 0, "name"), "n" * 25),
        (("features", "slash_commands", 0, "command"), "nccl"),
        (("features", "emoji"), True),
        (("settings", "interactivity"), {}),
    ],
)
def test_what_slack_refuses_is_refused_here(
    raw: dict[str, Any], path: tuple[Any, ...], value: object
) -> None:
    spoiled = copy.deepcopy(raw)
    place = spoiled
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    with pytest.raises(ValidationError):
        Manifest.model_validate(spoiled)
