"""Submissions of the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.private import Asker, answer_privately, present, say_privately
from bot.slack.blocks import channel, end
from bot.slack.blocks.form import check_form, read_form, read_origin, render_form
from bot.slack.blocks.private import render_note
from bot.slack.channels import take_settings
from bot.slack.commands import read_asker
from bot.slack.files import examine_file
from bot.slack.guided import take_fix
from bot.slack.messages import find_workspace
from bot.slack.visit import Visit
from bot.slack.workspaces import read_reason

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace

Json = dict[str, Any]
log = structlog.get_logger(__name__)

TRY_AGAIN = "The form did not open in time. Please press the button again."


def register(app: AsyncApp, core: Core, people: People) -> None:
    """Register the listener; the transport has answered with `check_form` already."""

    async def on_form(ack: Any, body: Json) -> None:
        await ack()
        await take_form(core, people, body)

    app.view(re.compile(".*"))(on_form)


async def open_form(
    core: Core, workspace: Workspace, asker: Asker, body: Json, origin: Json
) -> None:
    """Open the form; a trigger lives three seconds, and one that is used up is not tried again."""
    try:
        await workspace.client.views_open(trigger_id=body["trigger_id"], view=render_form(origin))
    except SlackApiError as error:
        reason = read_reason(error)
        log.warning("form_not_opened", reason=reason)
        await say_privately(core, asker, "note", render_note(TRY_AGAIN))


async def take_form(core: Core, people: People, body: Json) -> None:
    """Do what the form is for; a long log is answered to the person who sent it."""
    view = body.get("view") or {}
    workspace = await find_workspace(core, body)
    if workspace is None or check_form(view) is not None:
        return None
    visit = Visit(core, people, workspace, read_asker(body, workspace.team), body)
    if view.get("callback_id") == channel.CALLBACK:
        return await take_settings(visit)
    if view.get("callback_id") == end.FIX_CALLBACK:
        return await take_fix(visit)
    return await _diagnose(core, workspace, body)


async def _diagnose(core: Core, workspace: Workspace, body: Json) -> None:
    view = body["view"]
    origin, (text, files) = read_origin(view), read_form(view)
    person = str(body["user"]["id"])
    place = str(origin.get("channel") or person)
    asker = Asker(workspace.team, place, person, origin.get("response_url"), str(body["inbox_key"]))
    if text.strip() or not files:
        return await answer_privately(core, asker, text, slack=False)
    rates = await core.ledger.rates(asker.team)
    diagnosis = await examine_file(core, workspace, files[0], rates, asked=True)
    return await present(core, asker, diagnosis, rates)
