"""Buttons of the guided run and of self-service, and fixes found otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import structlog
from slack_sdk.errors import SlackApiError

from bot.guide import call_owners, record_fix, save_unsolved
from bot.roles import Deed
from bot.slack.blocks.end import render_fix_form
from bot.slack.blocks.form import read_origin
from bot.slack.channels import NOT_OPENED, open_settings, take_snooze
from bot.slack.reading import read_text
from bot.slack.visit import Visit
from bot.store import answers as store, outbox
from bot.voting import Press, record_press
from rules.votes import Act, Target, Thumb

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.slack.actions import Pressed
    from bot.store.answers import Answer

log = structlog.get_logger(__name__)

GONE = "That answer is gone."
NO_OWNERS = "No owners are set for this channel: `/nccl settings`."
SAVED = "Saved as unsolved: it stands in my App Home until somebody records what solved it."
RECORDED = "Recorded, thank you. The answer in the thread says so."
RECORDED_ALONE = "Recorded, thank you."
NO_ANSWER = "I have no answer in this thread, so there is nothing that this could have solved."
NOT_A_REPLY = "Use it on the reply that says what solved it, in the thread of my answer."


def visit_of(pressed: Pressed) -> Visit:
    """Return the visit that a press is."""
    return Visit(pressed.core, pressed.people, pressed.workspace, pressed.asker, pressed.body)


async def _call_owners(pressed: Pressed) -> None:
    if not await visit_of(pressed).may(Deed.CALL_OWNERS, pressed.asker.channel):
        return
    if not await call_owners(pressed.core, pressed.asker.team, pressed.answer):
        await visit_of(pressed).say(NO_OWNERS)


async def _save_unsolved(pressed: Pressed) -> None:
    if not await visit_of(pressed).may(Deed.SAVE_UNSOLVED, pressed.asker.channel):
        return
    asker = pressed.asker
    saved = await save_unsolved(pressed.core, asker.team, pressed.answer, asker.person)
    await visit_of(pressed).say(SAVED if saved else GONE)


async def _solved_otherwise(pressed: Pressed) -> None:
    view = render_fix_form(pressed.answer, pressed.asker.response_url)
    try:
        trigger = pressed.body["trigger_id"]
        await pressed.workspace.client.views_open(trigger_id=trigger, view=view)
    except SlackApiError as error:
        log.warning("form_not_opened", reason=error.response.get("error"))
        await visit_of(pressed).say(NOT_OPENED)


async def _wake(pressed: Pressed) -> None:
    await take_snooze(visit_of(pressed), "" if pressed.answer == "all" else pressed.answer, 0.0)


async def _settings_for(pressed: Pressed) -> None:
    for action in pressed.body["actions"]:
        if isinstance(channel := action.get("selected_conversation"), str):
            await open_settings(visit_of(pressed), channel)


HANDLERS: dict[str, Callable[[Pressed], Awaitable[None]]] = {
    "call_owners": _call_owners,
    "save_unsolved": _save_unsolved,
    "solved_otherwise": _solved_otherwise,
    "wake": _wake,
    "settings_for": _settings_for,
}


async def take_fix(visit: Visit) -> None:
    """Record what the form says solved it."""
    view = visit.body["view"]
    values = (view.get("state") or {}).get("values") or {}
    text = str(((values.get("fix") or {}).get("fix") or {}).get("value") or "")
    origin = read_origin(view)
    identity = str(origin.get("answer") or "")
    async with visit.core.database.read() as connection:
        answer = await store.find_answer(connection, visit.asker.team, identity)
    if answer is None or not text.strip():
        return await visit.say(GONE)
    # A form has no place of its own: what it brings is confirmed where it was opened.
    there = replace(visit.asker, channel=answer.channel, thread=answer.thread)
    if answer.is_private:
        there = replace(there, response_url=origin.get("response_url"))
    return await _record(replace(visit, asker=there), answer, text)


async def take_reply(visit: Visit) -> None:
    """Record a reply as what solved the incident of its thread's answer."""
    asker, message = visit.asker, visit.body.get("message") or {}
    thread, ts = message.get("thread_ts"), str(message.get("ts"))
    if not thread or thread == ts:
        return await visit.say(NOT_A_REPLY)
    async with visit.core.database.read() as connection:
        answer = await store.find_in_thread(connection, asker.team, asker.channel, str(thread))
        own = await outbox.find_by_ts(connection, asker.team, asker.channel, ts)
    if answer is None or answer.facts.kind != "answer":
        return await visit.say(NO_ANSWER)
    if own is not None:
        return await _vote_for(visit, answer, str(own.part or "").removeprefix("step:"))
    return await _record(visit, answer, read_text(message), ts)


async def _vote_for(visit: Visit, answer: Answer, step: str) -> None:
    """Count the shortcut on a step of ours as the button that says that it worked."""
    if step not in answer.steps:
        return await visit.say(NOT_A_REPLY)
    if not await visit.may(Deed.VOTE, answer.channel):
        return None
    press = Press(
        team=visit.asker.team,
        person=visit.asker.person,
        answer=answer.id,
        kind=Target.STEP,
        target=step,
        value=Thumb.UP,
        act=Act.CAST,
        at=visit.core.now(),
    )
    await record_press(visit.core, press)
    return await visit.say(RECORDED if answer.state == "open" else RECORDED_ALONE)


async def _record(visit: Visit, answer: Answer, text: str, ts: str | None = None) -> None:
    if await visit.may(Deed.RECORD_FIX, answer.channel):
        await record_fix(visit.core, answer, visit.asker.person, text, ts)
        is_shown = not answer.is_private and answer.state in {"open", "wrong"}
        await visit.say(RECORDED if is_shown else RECORDED_ALONE)
