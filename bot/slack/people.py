"""Who people are: who may vote (members who are no guests and no bots), who maintains."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import structlog
from slack_sdk.errors import SlackApiError

from bot.slack.groups import Groups
from bot.slack.workspaces import read_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.slack.workspaces import Workspace

Json = dict[str, Any]

log = structlog.get_logger(__name__)

REMEMBER_SECONDS = 3600.0
_GONE = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
_BARRED = ("is_bot", "is_restricted", "is_ultra_restricted")


class NoteStanding(Protocol):
    """Is told what Slack says of a person."""

    async def __call__(self, team: str, person: str, *, is_barred: bool) -> None:
        """Note whether the person is a guest or a bot."""


@dataclass(frozen=True, slots=True)
class _Standing:
    at: float
    may_vote: bool
    is_member: bool
    is_admin: bool = False
    name: str = "somebody"


class People:
    """Asks Slack who somebody is, once an hour."""

    def __init__(
        self,
        now: Callable[[], float] = time.time,
        note: NoteStanding | None = None,
        *,
        strangers_vote: bool = False,
    ) -> None:
        self._now = now
        self._strangers_vote = strangers_vote
        self._note = note
        self._known: dict[tuple[str, str], _Standing] = {}
        self.groups = Groups(now)

    async def may_vote(self, workspace: Workspace, person: str) -> bool:
        """Whether a person may vote. Raises what Slack or the network raise for a passing failure."""
        return (await self._look_up(workspace, person)).may_vote

    async def is_member(self, workspace: Workspace, person: str) -> bool:
        """Whether a person is a full member of the workspace. Raises as `may_vote` does."""
        return (await self._look_up(workspace, person)).is_member

    async def is_admin(self, workspace: Workspace, person: str) -> bool:
        """Whether a person administers the workspace. Raises as `may_vote` does."""
        return (await self._look_up(workspace, person)).is_admin

    async def find_name(self, workspace: Workspace, person: str) -> str:
        """Return what a person is called. Raises as `may_vote` does."""
        return (await self._look_up(workspace, person)).name

    async def _look_up(self, workspace: Workspace, person: str) -> _Standing:
        known = self._known.get((workspace.team, person))
        if known is None or not 0 <= self._now() - known.at < REMEMBER_SECONDS:
            known = await self._ask(workspace, person)
            self._known[workspace.team, person] = known
        return known

    async def _ask(self, workspace: Workspace, person: str) -> _Standing:
        if person == workspace.bot_user:
            return _Standing(self._now(), may_vote=False, is_member=False)
        try:
            answer = await workspace.client.users_info(user=person)
        except SlackApiError as error:
            reason = read_reason(error)
            if reason in _GONE:
                return _Standing(self._now(), may_vote=False, is_member=False)
            if reason == "missing_scope":
                log.warning("guests_unknown", hint="add the scope users:read and reinstall")
                return _Standing(self._now(), may_vote=True, is_member=True)
            raise
        user = answer["user"]
        member = is_member(user, workspace)
        may_vote = member or (self._strangers_vote and is_stranger(user))
        is_barred = any(user.get(flag) for flag in _BARRED)
        is_barred = is_barred or (is_stranger(user) and not may_vote)
        if self._note is not None:
            await self._note(workspace.team, person, is_barred=is_barred)
        admin = member and bool(user.get("is_admin") or user.get("is_owner"))
        return _Standing(self._now(), may_vote, member, admin, read_name(user))


def is_member(user: Json, workspace: Workspace) -> bool:
    """Whether a user object is of a full member of the workspace, or of its organization."""
    barred = (*_BARRED, "is_stranger", "deleted")
    if any(user.get(flag) for flag in barred):
        return False
    if user.get("team_id", workspace.team) == workspace.team:
        return True
    # In an Enterprise Grid `team_id` may be another workspace of the same organization.
    grid = user.get("enterprise_user") or {}
    is_ours = workspace.enterprise is not None and grid.get("enterprise_id") == workspace.enterprise
    return workspace.team in (grid.get("teams") or ()) or is_ours


def is_stranger(user: Json) -> bool:
    """Whether a user object is of a person from elsewhere, met in a channel of Slack Connect."""
    is_person = not any(user.get(flag) for flag in ("is_bot", "deleted"))
    return bool(user.get("is_stranger")) and is_person


def read_name(user: Json) -> str:
    """Return the name that Slack shows for a user object."""
    profile = user.get("profile") or {}
    shown = (profile.get("display_name"), profile.get("real_name"), user.get("name"))
    return str(next(filter(None, shown), "somebody"))
