"""The Bolt app: one listener a kind of event, and none of Slack's events unhandled."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.delivery import Delivery, Kind
from bot.inbox import UnworkableError
from bot.slack import (
    actions,
    channels,
    commands,
    forms,
    home,
    lifecycle,
    messages,
    reactions,
    shortcuts,
)
from bot.slack.workspaces import authorize_as, make_client

if TYPE_CHECKING:
    from collections.abc import Sequence

    import aiohttp

    from bot.core import Core
    from bot.slack.people import People

ANYTHING = re.compile(".*")
_UNHANDLED = 404


def build_app(core: Core, people: People, session: aiohttp.ClientSession) -> AsyncApp:
    """Build an app whose deliveries come from the inbox: verified, stored and acknowledged already."""

    async def authorize(team_id: str | None) -> Any:
        workspace = await core.workspaces.find(team_id or "")
        return authorize_as(workspace) if workspace else None

    quiet = logging.getLogger("slack_bolt")
    app = AsyncApp(
        logger=quiet,
        client=make_client(None, core.settings.slack_api_url, session),
        authorize=authorize,
        signing_secret="unused",  # noqa: S106
        request_verification_enabled=False,
        # The inbox has acknowledged; a delivery is done when its listener has returned.
        process_before_response=True,
    )
    messages.register(app, core)
    reactions.register(app, core, people)
    commands.register(app, core, people)
    actions.register(app, core, people)
    shortcuts.register(app, core, people)
    forms.register(app, core, people)
    channels.register(app, core)
    home.register(app, core, people)
    lifecycle.register(app, core)

    async def ignore(ack: Any) -> None:
        await ack()

    app.event(ANYTHING)(ignore)
    app.view_closed(ANYTHING)(ignore)
    app.options(ANYTHING)(ignore)

    async def fail(error: Exception) -> None:
        # Listeners' errors are the inbox's to handle: it works the delivery again.
        raise error

    app.error(fail)
    return app


async def work(app: AsyncApp, delivery: Delivery) -> None:
    """Hand a delivery to its listener. Raises what the listener raised.

    Raises UnworkableError for a payload that no listener takes.
    """
    body = {**delivery.body, "inbox_key": delivery.key}
    headers: dict[str, str | Sequence[str]] = {"content-type": ["application/json"]}
    request = AsyncBoltRequest(mode="socket_mode", body=body, headers=headers)
    response = await app.async_dispatch(request)
    if response.status == _UNHANDLED:
        kind = delivery.body.get("type") or (delivery.kind if delivery.kind is Kind.SLASH else "?")
        raise UnworkableError(f"no listener for {kind}")
    if response.status >= 500:
        raise RuntimeError(f"listener answered {response.status}")
