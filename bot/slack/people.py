"""Who may vote: members of the workspace who are no guests and no bots."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.slack.workspaces import Workspace

log = structlog.get_logger(__name__)

REMEMBER_SECONDS = 3600.0
_GONE = frozenset({"user_not_found", "user_not_visible", "users_not_found"})


class People:
    """Asks Slack who somebody is, once an hour."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._known: dict[tuple[str, str], tuple[float, bool]] = {}

    async def may_vote(self, workspace: Workspace, person: str) -> bool:
        """Whether a person may vote. Raises what Slack or the network raise for a passing failure."""
        known = self._known.get((workspace.team, person))
        if known and self._now() - known[0] < REMEMBER_SECONDS:
            return known[1]
        may = person != workspace.bot_user and await self._ask(workspace, person)
        self._known[workspace.team, person] = (self._now(), may)
        return may

    async def _ask(self, workspace: Workspace, person: str) -> bool:
        try:
            answer = await workspace.client.users_info(user=person)
        except SlackApiError as error:
            reason = error.response.get("error")
            if reason in _GONE:
                return False
            if reason == "missing_scope":
                log.warning("guests_unknown", hint="add the scope users:read and reinstall")
                return True
            raise
        return is_member(answer["user"], workspace.team)


def is_member(user: dict[str, Any], team: str) -> bool:
    """Whether a user object is of a full member of `team`."""
    barred = ("is_bot", "is_restricted", "is_ultra_restricted", "is_stranger", "deleted")
    return not any(user.get(flag) for flag in barred) and user.get("team_id", team) == team
