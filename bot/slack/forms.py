"""Submissions of the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.private import Asker, answer_privately, present, say_privately
from bot.slack.blocks.form import check_form, read_form, read_origin, render_form
from bot.slack.blocks.private import render_note
from bot.slack.files import examine_file
from bot.slack.messages import find_workspace

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.workspaces import Workspace

Json = dict[str, Any]
log = structlog.get_logger(__name__)

TRY_AGAIN = "The form did not open in time. Please press the button again."


def register(app: AsyncApp, core: Core) -> None:
    """Register the listener; the transport has answered with `check_form` already."""

    async def on_form(ack: Any, body: Json) -> None:
        await ack()
        await take_form(core, body)

    app.view(re.compile(".*"))(on_form)


async def open_form(
    core: Core, workspace: Workspace, asker: Asker, body: Json, origin: Json
) -> None:
    """Open the form; a trigger lives three seconds, and one that is used up is not tried again."""
    try:
        await workspace.client.views_open(trigger_id=body["trigger_id"], view=render_form(origin))
    except SlackApiError as error:
        reason = str(error.response.get("error"))
        log.warning("form_not_opened", reason=reason)
        await say_privately(core, asker, "note", render_note(TRY_AGAIN))


async def take_form(core: Core, body: Json) -> None:
    """Answer what the form holds to the person who sent it."""
    view = body.get("view") or {}
    workspace = await find_workspace(core, body)
    if workspace is None or check_form(view) is not None:
        return None
    origin, (text, files) = read_origin(view), read_form(view)
    person = str(body["user"]["id"])
    channel = str(origin.get("channel") or person)
    asker = Asker(
        workspace.team, channel, person, origin.get("response_url"), str(body["inbox_key"])
    )
    if text.strip() or not files:
        return await answer_privately(core, asker, text, slack=False)
    rates = await core.ledger.rates(asker.team)
    diagnosis = await examine_file(core, workspace, files[0], rates, asked=True)
    return await present(core, asker, diagnosis, rates)
