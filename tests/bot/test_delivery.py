"""What a delivery is: any JSON has a workspace and a key that a database takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.delivery import Kind, find_team, read_delivery
from bot.seal import Seal

KEY = "A" * 43 + "="
NAMES = ("authorizations", "team", "team_id", "user", "view", "event_id", "trigger_id", "type")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "id", "hash", "app_installed_team_id"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.sampled_from(list(Kind)), st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_payload_has_a_workspace_and_a_key_that_fit(kind: Kind, body: dict[str, Any]) -> None:
    delivery = read_delivery(kind, body)

    assert len(delivery.team) <= 32
    assert 0 < len(delivery.key) <= 255
    assert (delivery.team + delivery.key).isprintable()
    assert read_delivery(kind, body) == delivery


@pytest.mark.parametrize(
    ("body", "team"),
    [
        ({"team_id": "T1", "authorizations": [{"team_id": "T2"}]}, "T2"),
        ({"team_id": "T1", "authorizations": [{"enterprise_id": "E1", "team_id": None}]}, "T1"),
        ({"team_id": "T1", "authorizations": []}, "T1"),
        ({"team": {"id": "T1"}, "view": {"app_installed_team_id": "T2", "team_id": "T1"}}, "T2"),
        ({"team": None, "enterprise": {"id": "E1"}, "user": {"id": "W1", "team_id": "T3"}}, "T3"),
        ({"team": None, "user": {"id": "W1"}, "view": {"team_id": "T4"}}, "T4"),
        ({"team_id": "T1", "enterprise_id": "E1", "is_enterprise_install": "false"}, "T1"),
        ({"team_id": "T1\x00"}, ""),
    ],
)
def test_the_workspace_is_the_one_that_has_the_app(body: dict[str, Any], team: str) -> None:
    assert find_team(body) == team


def test_half_characters_and_nothing_in_words_are_kept_out() -> None:
    body = {"text": "lone \ud800 half", "event": {"text": "nothing \x00 here"}}
    seal = Seal(KEY)
    opened = seal.open(seal.close(read_delivery(Kind.EVENT, body).body))

    assert opened == {"text": "lone ? half", "event": {"text": "nothing ? here"}}
