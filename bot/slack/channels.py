"""What is set for a channel: settings by a form, snoozes, and the greeting."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.private import say_privately
from bot.roles import Deed, may, refuse
from bot.slack.blocks.channel import (
    MODES,
    NOBODY,
    read_values,
    render_hello,
    render_saved,
    render_settings,
    render_snoozed,
    render_woken,
)
from bot.slack.blocks.form import read_origin
from bot.slack.blocks.private import render_note
from bot.slack.messages import find_workspace
from bot.slack.nearest import say_no_entry
from bot.snoozes import LONGEST_DAYS, LONGEST_SECONDS, set_snooze
from bot.store import channels as store
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.visit import Visit
    from bot.store.channels import ChannelSettings

Json = dict[str, Any]
log = structlog.get_logger(__name__)

NOT_OPENED = "The form did not open in time. Please try again."
NOT_HERE = "I am not in this channel. Invite me with `/invite @nccl-bot` first."
FIND_ENTRY = "`/nccl search WORDS` finds its id."
NOT_SNOOZED = "That is not snoozed here, or no longer."


def register(app: AsyncApp, core: Core) -> None:
    """Register the listener for people and bots that join a channel."""

    async def on_join(body: Json, event: Json) -> None:
        await greet(core, body, event)

    app.event("member_joined_channel")(on_join)


async def greet(core: Core, body: Json, event: Json) -> None:
    """Say hello where the bot itself was invited, once a channel."""
    workspace = await find_workspace(core, body)
    channel = event.get("channel")
    if workspace is None or event.get("user") != workspace.bot_user or not isinstance(channel, str):
        return
    async with core.database.write() as connection:
        if await store.greet_once(connection, workspace.team, channel, core.now()):
            key = f"hello:{channel}"
            hello = render_hello().arguments
            message = Outgoing(workspace.team, key, "post", channel, hello, part="line")
            await core.enqueue(connection, message)
    core.outbox.wake()


async def open_settings(visit: Visit, channel: str) -> None:
    """Open the form for a channel, for those who may change it."""
    core, workspace = visit.core, visit.workspace
    role = await visit.find_role(channel)
    if not may(role, Deed.SET_CHANNEL):
        return await visit.say(refuse(Deed.SET_CHANNEL))
    async with core.database.read() as connection:
        settings = await store.read_channel(connection, workspace.team, channel)
    trusted = may(role, Deed.SET_TRUST)
    view = render_settings(
        channel,
        settings,
        await visit.people.groups.find_all(workspace) if trusted else (),
        trusted=trusted,
        has_shadow=core.settings.maintainer_channel is not None,
    )
    try:
        await workspace.client.views_open(trigger_id=visit.body["trigger_id"], view=view)
    except SlackApiError as error:
        log.warning("form_not_opened", reason=error.response.get("error"))
        await visit.say(NOT_OPENED)
    return None


async def take_settings(visit: Visit) -> None:
    """Keep what the form holds, if the person still may change it."""
    core, team = visit.core, visit.asker.team
    channel = str(read_origin(visit.body["view"]).get("channel") or "")
    role = await visit.find_role(channel)
    if not channel or not may(role, Deed.SET_CHANNEL):
        return await visit.say(refuse(Deed.SET_CHANNEL))
    values = read_values(visit.body["view"])
    async with core.database.write() as connection:
        before = await store.read_channel(connection, team, channel)
        after = read_settings(before, values, trusted=may(role, Deed.SET_TRUST))
        await store.write_channel(connection, team, channel, after)
    log.info(
        "channel_set", channel=channel, mode=after.mode, by=core.ledger.mask(visit.asker.person)
    )
    return await say_privately(core, visit.asker, "saved", render_saved(after))


def read_settings(
    before: ChannelSettings, values: dict[str, str | None], *, trusted: bool
) -> ChannelSettings:
    """Read the settings that a form asks for; what only the trusted may set stays for others."""
    mode = values.get("mode") or before.mode
    after = replace(
        before,
        mode=mode if mode in MODES else before.mode,
        threshold=_read_share(values.get("threshold")),
    )
    if not trusted:
        return after
    owners = values.get("owners")
    bots = (values.get("bots") or "").replace(",", " ").split()
    return replace(
        after,
        owners=None if owners in {None, NOBODY} else owners,
        bots=tuple(dict.fromkeys(bots)),
        jobs=values.get("jobs") == "yes",
    )


def _read_share(value: str | None) -> float | None:
    try:
        share = float(value) if value else None
    except ValueError:
        return None
    return share if share is not None and 0.0 <= share <= 1.0 else None


async def take_snooze(visit: Visit, entry: str, seconds: float) -> None:
    """Snooze an entry, or all where it is empty, in a channel; announced there. 0 ends it."""
    core, asker = visit.core, visit.asker
    if not await visit.may(Deed.SNOOZE_ENTRY if entry else Deed.SNOOZE_ALL, asker.channel):
        return
    # What left the knowledge base may still be snoozed.
    if seconds and entry and entry not in core.kb.entries:
        await visit.say(say_no_entry(core.kb, entry, FIND_ENTRY))
        return
    name, now = await visit.keep_name(), core.now()
    until = now + min(seconds, LONGEST_SECONDS)
    said = render_woken(name, entry)
    if seconds:
        longest = LONGEST_DAYS if seconds > LONGEST_SECONDS else None
        said = render_snoozed(name, entry, until, longest)
    body = said.arguments
    if asker.response_url:
        sorry = {**render_note(NOT_HERE).arguments, "response_type": "ephemeral"}
        body["on_failure"] = {**sorry, "url": asker.response_url, "replace_original": False}
    async with core.database.write() as connection:
        snoozed = await store.list_snoozed(connection, asker.team, asker.channel, now)
        is_set = bool(seconds) or entry in snoozed
        if is_set:
            await set_snooze(
                core,
                connection,
                asker.team,
                asker.channel,
                entry,
                until=until,
                notice=body,
                key=asker.key,
            )
    if not is_set:
        await visit.say(NOT_SNOOZED)
    core.outbox.wake()
