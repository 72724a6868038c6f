"""Which messages deserve a look, and where their text is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.posts import Post, is_real_edit, read_post
from bot.slack.reading import read_text

PAYLOADS = Path(__file__).parents[1] / "payloads"


def read(name: str, *, allowed: tuple[str, ...] = ()) -> Post | None:
    event = json.loads((PAYLOADS / f"slack_{name}.json").read_text())["event"]
    return read_post(
        event, team="T1", bot_user="U0BOT0001", bot_id="B0BOT0001", bots_allowed=allowed
    )


@pytest.mark.parametrize(
    "name",
    ["message_plain", "message_thread_reply", "message_thread_broadcast", "app_mention",
     "message_file_share_snippet", "message_im", "message_code_fence_encoded"],
)  # fmt: skip
def test_what_people_write_is_looked_at(name: str) -> None:
    assert read(name) is not None


@pytest.mark.parametrize(
    "name",
    ["message_own_bot", "message_app_bot", "message_bot_incoming_webhook_text",
     "message_changed", "message_changed_unfurl", "message_changed_tombstone", "message_deleted",
     "message_channel_join", "app_mention_from_bot", "message_attachment_nested_blocks"],
)  # fmt: skip
def test_bots_and_hidden_messages_are_not(name: str) -> None:
    assert read(name) is None


def test_a_bot_that_was_allowed_is_read_from_its_attachments() -> None:
    name = "message_bot_incoming_webhook_attachments"
    event = json.loads((PAYLOADS / f"slack_{name}.json").read_text())["event"]
    post = read(name, allowed=(event["bot_id"],))

    assert post is not None
    assert post.poster == event["bot_id"]
    assert post.text


def test_an_allowed_bot_is_not_answered_in_a_thread_that_the_bot_began() -> None:
    event = {"type": "message", "channel": "C1", "ts": "2.0", "thread_ts": "1.0", "text": "x",
             "bot_id": "B2", "user": "U2", "parent_user_id": "U0BOT0001"}  # fmt: skip

    assert (
        read_post(event, team="T1", bot_user="U0BOT0001", bot_id="B1", bots_allowed={"B2"}) is None
    )


def test_mentions_and_direct_messages_address_the_bot() -> None:
    asked = {name: read(name) for name in ("app_mention", "message_im", "message_plain")}

    assert {name: post.asked for name, post in asked.items() if post} == {
        "app_mention": True,
        "message_im": True,
        "message_plain": False,
    }


def test_an_answer_hangs_on_the_root_of_the_thread() -> None:
    reply = read("message_thread_reply")
    plain = read("message_plain")

    assert reply is not None
    assert reply.root == reply.thread != reply.ts
    assert plain is not None
    assert plain.root == plain.ts


def test_only_a_real_edit_is_one() -> None:
    events = {
        name: json.loads((PAYLOADS / f"slack_{name}.json").read_text())["event"]
        for name in ("message_changed", "message_changed_unfurl", "message_changed_tombstone")
    }

    assert {name: is_real_edit(event) for name, event in events.items()} == {
        "message_changed": True,
        "message_changed_unfurl": False,
        "message_changed_tombstone": False,
    }


def test_a_fallback_counts_only_alone() -> None:
    attachment = {"fallback": "[no preview available]", "text": "the error"}

    assert read_text({"text": "", "attachments": [attachment]}) == "the error"
    assert read_text({"attachments": [{"fallback": "only this"}]}) == "only this"


def test_text_of_blocks_is_encoded_and_said_once() -> None:
    section = {"type": "section", "text": {"type": "plain_text", "text": "10.0.0.1<5>"}}
    message = {"text": "10.0.0.1&lt;5&gt;", "blocks": [section], "bot_id": "B1"}

    assert read_text(message) == "10.0.0.1&lt;5&gt;"


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["text", "type", "blocks", "elements", "attachments", "fields", "user",
                         "channel", "ts", "thread_ts", "subtype", "bot_id", "files"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["text", "blocks", "attachments", "channel", "ts", "user",
                                        "files", "subtype", "thread_ts"]), anything))  # fmt: skip
def test_no_payload_is_too_odd(event: dict[str, Any]) -> None:
    post = read_post(event, team="T1", bot_user="U1", bot_id="B1")

    assert post is None or isinstance(post.text, str)
