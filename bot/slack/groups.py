"""User groups: whom a channel may call its owners, and who is in them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from slack_sdk.errors import SlackApiError

from bot.slack.workspaces import read_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.slack.workspaces import Workspace

log = structlog.get_logger(__name__)

REMEMBER_SECONDS = 600.0
_CLOSED = frozenset({"missing_scope", "paid_teams_only", "plan_upgrade_required"})
"""A workspace on the free plan has no user groups."""


@dataclass(frozen=True, slots=True)
class Group:
    """A user group that can be mentioned."""

    id: str
    handle: str
    users: frozenset[str]


class Groups:
    """Asks Slack for the user groups of a workspace, every ten minutes."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._known: dict[str, tuple[float, tuple[Group, ...]]] = {}

    async def find_all(self, workspace: Workspace) -> tuple[Group, ...]:
        """List them by handle; none where Slack has none. Raises for a passing failure."""
        at, groups = self._known.get(workspace.team, (float("-inf"), ()))
        if not 0 <= self._now() - at < REMEMBER_SECONDS:
            groups = await _ask(workspace)
            self._known[workspace.team] = (self._now(), groups)
        return groups


async def _ask(workspace: Workspace) -> tuple[Group, ...]:
    try:
        answer = await workspace.client.usergroups_list(include_users=True)
    except SlackApiError as error:
        if read_reason(error) not in _CLOSED:
            raise
        log.info("groups_unknown", reason=read_reason(error))
        return ()
    found = [
        Group(each["id"], each["handle"], frozenset(each.get("users") or ()))
        for each in answer["usergroups"]
        if not each.get("date_delete")
    ]
    return tuple(sorted(found, key=lambda group: group.handle))
