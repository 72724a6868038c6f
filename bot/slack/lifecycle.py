"""The app is removed from a workspace: nothing of that workspace stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.departures import delete_workspace
from bot.slack.messages import find_workspace
from bot.slack.workspaces import read_reason

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.workspaces import Workspace

log = structlog.get_logger(__name__)

_DEAD = frozenset({"account_inactive", "token_revoked", "invalid_auth", "token_expired"})


def register(app: AsyncApp, core: Core) -> None:
    """Both events come, in any order, and may come again after the app was installed anew."""

    async def on_end(body: dict[str, Any]) -> None:
        await take_end(core, body)

    app.event("app_uninstalled")(on_end)
    app.event("tokens_revoked")(on_end)


async def take_end(core: Core, body: dict[str, Any]) -> None:
    """Delete what is kept of a workspace whose bot token Slack no longer takes.

    Raises what the network raises. The token of a workspace that installed anew is good: an event
    about the time before changes nothing.
    """
    workspace = await find_workspace(core, body)
    if workspace is None or not await _is_over(workspace):
        return
    if not core.settings.installs:
        hint = "install the app again and set the new SLACK_BOT_TOKEN"
        log.error("uninstalled", team=workspace.team, hint=hint)
        return
    await delete_workspace(core, workspace.team)
    log.info("uninstalled", team=workspace.team)


async def _is_over(workspace: Workspace) -> bool:
    try:
        await workspace.client.auth_test()
    except SlackApiError as error:
        if read_reason(error) in _DEAD:
            return True
        raise
    return False
