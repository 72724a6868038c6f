"""Who is a member: people of the workspace, and of its organization in an Enterprise Grid."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.people import is_member, is_stranger
from bot.slack.workspaces import Workspace

ALONE = Workspace("T1", "U0", "B0", "https://one.example/", AsyncWebClient())
IN_GRID = Workspace("T1", "U0", "B0", "https://one.example/", AsyncWebClient(), "E1")


def grid(team: str, *teams: str, enterprise: str = "E1") -> dict[str, Any]:
    """A user object as an Enterprise Grid shows it."""
    return {"team_id": team, "enterprise_user": {"enterprise_id": enterprise, "teams": [*teams]}}


@pytest.mark.parametrize(
    ("user", "workspace", "member"),
    [
        ({"team_id": "T1"}, ALONE, True),
        ({}, ALONE, True),
        ({"team_id": "T2"}, ALONE, False),
        (grid("T2", "T2", "T1"), IN_GRID, True),
        (grid("T2", "T2"), IN_GRID, True),
        (grid("T2", "T2", enterprise="E2"), IN_GRID, False),
        (grid("T2", "T2"), ALONE, False),
        ({**grid("T2", "T1"), "is_stranger": True}, IN_GRID, False),
        ({"team_id": "T1", "is_restricted": True}, ALONE, False),
        ({"team_id": "T1", "is_bot": True}, ALONE, False),
        ({"team_id": "T1", "deleted": True}, ALONE, False),
    ],
)
def test_membership(user: dict[str, Any], workspace: Workspace, member: bool) -> None:  # noqa: FBT001
    assert is_member(user, workspace) is member


def test_a_bot_from_elsewhere_is_no_person() -> None:
    assert is_stranger({"is_stranger": True})
    assert not is_stranger({"is_stranger": True, "is_bot": True})
    assert not is_stranger({"is_stranger": True, "deleted": True})
