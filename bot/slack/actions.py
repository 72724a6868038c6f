"""Presses of buttons."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.asking import close_question
from bot.guide import go_on
from bot.private import Asker, say_privately, share, to_person
from bot.publish import view_of
from bot.roles import Deed
from bot.slack.blocks.answer import MOST_DEAD_ENDS
from bot.slack.blocks.deadends import render_dead_ends
from bot.slack.blocks.private import render_note, render_private, render_thanks
from bot.slack.commands import read_asker
from bot.slack.forms import open_form
from bot.slack.guided import HANDLERS, visit_of
from bot.slack.messages import find_workspace
from bot.slack.reactions import read_seconds
from bot.slack.roles import note_name
from bot.store import answers as store
from bot.voting import Press, dismiss, record_blame, record_press, show_all
from rules.votes import Act, Target, Thumb

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_bolt.app.async_app import AsyncApp

    from bot.core import Core
    from bot.slack.people import People
    from bot.slack.workspaces import Workspace
    from bot.store.answers import Answer

Json = dict[str, Any]

GONE = "That answer is gone."
NOT_YOURS = "Only the person who posted the error can dismiss the answer."
NO_VOTE = "Only members of this workspace can vote."
CLOSED = "That answer is closed."
BELOW = "The next step is below already."
NOT_FOR_ALL = (
    "Only members of this workspace can bring the next step for all. *Show all steps*, above, "
    "shows them to you."
)
_ENTRY = "entry"
_DEAD_END = "end:"
"""Before the id of a dead end in the value of the button that takes a vote back."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """One press, with all that its handler needs."""

    core: Core
    people: People
    workspace: Workspace
    body: Json
    asker: Asker
    answer: str
    target: str
    value: str
    at: float


def register(app: AsyncApp, core: Core, people: People) -> None:
    """One dispatcher; a press of a button that nobody knows any more is acknowledged."""

    async def on_action(ack: Any, body: Json) -> None:
        await ack()
        await take_action(core, people, body)

    app.action(re.compile(".*"))(on_action)


async def take_action(core: Core, people: People, body: Json) -> None:
    """Do what the pressed buttons stand for."""
    workspace = await find_workspace(core, body)
    for action in body.get("actions") or ():
        handle = _HANDLERS.get(str(action.get("action_id")))
        if handle is None or workspace is None:
            continue
        answer, target, value = [*str(action.get("value") or "").split("|"), "", ""][:3]
        asker = read_asker(body, workspace.team)
        at = read_seconds(action.get("action_ts"))
        await handle(Pressed(core, people, workspace, body, asker, answer, target, value, at))


async def _vote(pressed: Pressed, kind: Target, value: Thumb, act: Act, thanks: str) -> None:
    if not await pressed.people.may_vote(pressed.workspace, pressed.asker.person):
        return await _say(pressed, NO_VOTE)
    await note_name(pressed.core, pressed.people, pressed.workspace, pressed.asker.person)
    press = Press(
        team=pressed.asker.team,
        person=pressed.asker.person,
        answer=pressed.answer,
        kind=kind,
        target="" if kind is Target.ENTRY else pressed.target,
        value=value,
        act=act,
        at=pressed.at,
    )
    answer = await record_press(pressed.core, press)
    if answer is None:
        return await _say(pressed, GONE)
    await _rerender(pressed, answer)
    mark = _DEAD_END if kind is Target.DEAD_END else ""
    undo = f"{pressed.answer}|{mark}{pressed.target or _ENTRY}|{value}"
    message = render_thanks(thanks, undo) if act is Act.CAST else render_note(thanks)
    return await say_privately(pressed.core, pressed.asker, "thanks", message)


async def _worked(pressed: Pressed) -> None:
    thanks = "Noted: this step worked. Thank you."
    await _vote(pressed, Target.STEP, Thumb.UP, Act.CAST, thanks)


async def _failed(pressed: Pressed) -> None:
    thanks = "Noted: this step did not help."
    await _vote(pressed, Target.STEP, Thumb.DOWN, Act.CAST, thanks)


async def _asked_worked(pressed: Pressed) -> None:
    await _worked(pressed)
    await _close_question(pressed)


async def _asked_failed(pressed: Pressed) -> None:
    await _failed(pressed)
    await _close_question(pressed)


async def _close_question(pressed: Pressed) -> None:
    async with pressed.core.database.read() as connection:
        answer = await store.find_answer(connection, pressed.asker.team, pressed.answer)
    may = await pressed.people.may_vote(pressed.workspace, pressed.asker.person)
    if may and answer is not None and pressed.target in answer.steps:
        await close_question(pressed.core, answer, answer.steps.index(pressed.target) + 1)


async def _wrong(pressed: Pressed) -> None:
    thanks = "Noted: wrong diagnosis. The steps' rates stay as they are."
    await _vote(pressed, Target.ENTRY, Thumb.DOWN, Act.CAST, thanks)


async def _dead_ends(pressed: Pressed) -> None:
    core, asker = pressed.core, pressed.asker
    rates = await core.ledger.rates(asker.team)
    async with core.database.read() as connection:
        answer = await store.find_answer(connection, asker.team, pressed.answer)
        view = await view_of(core, connection, answer, rates) if answer else None
    if view is None or not view.dead_ends:
        return await _say(pressed, GONE)
    message = render_dead_ends(pressed.answer, view.dead_ends[:MOST_DEAD_ENDS])
    return await say_privately(core, asker, "dead_ends", message)


async def _dead_end_worked(pressed: Pressed) -> None:
    thanks = "Noted: it did work for you. If others say so too, it stops being called a dead end."
    await _vote(pressed, Target.DEAD_END, Thumb.UP, Act.CAST, thanks)


async def _dead_end_failed(pressed: Pressed) -> None:
    thanks = "Noted: it failed here too."
    await _vote(pressed, Target.DEAD_END, Thumb.DOWN, Act.CAST, thanks)


async def _undo(pressed: Pressed) -> None:
    kind = Target.ENTRY if pressed.target == _ENTRY else Target.STEP
    if pressed.target.startswith(_DEAD_END):
        kind = Target.DEAD_END
        pressed = replace(pressed, target=pressed.target.removeprefix(_DEAD_END))
    value = Thumb.UP if pressed.value == Thumb.UP else Thumb.DOWN
    await _vote(pressed, kind, value, Act.RETRACT, "Your vote is taken back.")


async def _blame(pressed: Pressed) -> None:
    if not await pressed.people.may_vote(pressed.workspace, pressed.asker.person):
        return await _say(pressed, NO_VOTE)
    asker = pressed.asker
    answer = await record_blame(pressed.core, asker.team, asker.person, pressed.answer, pressed.at)
    return await _say(pressed, "Noted: the step did not help." if answer else GONE)


async def _show_all(pressed: Pressed) -> None:
    answer = await show_all(pressed.core, pressed.asker.team, pressed.answer)
    if answer is None:
        return await _say(pressed, GONE)
    whole = replace(answer, shown=len(answer.steps))
    return await _rerender(pressed, whole, always=True, replace_original=answer.is_private)


async def _next_step(pressed: Pressed) -> None:
    async with pressed.core.database.read() as connection:
        answer = await store.find_answer(connection, pressed.asker.team, pressed.answer)
    refusal = await _refuse_next(pressed, answer)
    if answer is None or refusal is not None:
        return await _say(pressed, refusal or GONE)
    after = await go_on(pressed.core, answer, pressed.target)
    if after is not None and after.is_private:
        await _rerender(pressed, after)
    return None


async def _refuse_next(pressed: Pressed, answer: Answer | None) -> str | None:
    """Say why no step follows; none where one may."""
    if answer is None:
        return GONE
    # Who may not vote asks for themselves; what a thread gets is for the others to say.
    may = await pressed.people.may_vote(pressed.workspace, pressed.asker.person)
    if not answer.is_private and not may:
        return NOT_FOR_ALL
    if answer.state != "open":
        return CLOSED
    is_last = answer.steps[answer.shown - 1 : answer.shown] == (pressed.target,)
    return None if is_last else BELOW


async def _dismiss(pressed: Pressed) -> None:
    asker = pressed.asker
    if not await dismiss(pressed.core, asker.team, pressed.answer, asker.person):
        await _say(pressed, NOT_YOURS)


async def _share(pressed: Pressed) -> None:
    async with pressed.core.database.read() as connection:
        answer = await store.find_answer(connection, pressed.asker.team, pressed.answer)
    if answer is None or answer.poster != pressed.asker.person:
        return await _say(pressed, GONE)
    if not await visit_of(pressed).may(Deed.SHARE, answer.channel):
        return None
    return await share(pressed.core, pressed.asker, answer)


async def _open_form(pressed: Pressed) -> None:
    origin = {"channel": pressed.asker.channel, "response_url": pressed.asker.response_url}
    await open_form(pressed.core, pressed.workspace, pressed.asker, pressed.body, origin)


async def _rerender(
    pressed: Pressed, answer: Answer, *, always: bool = False, replace_original: bool = True
) -> None:
    """Show a private answer as it stands now, in the place of the one that was pressed."""
    if not answer.is_private and not always:
        return
    rates = await pressed.core.ledger.rates(answer.team)
    async with pressed.core.database.write() as connection:
        view = await view_of(pressed.core, connection, answer, rates)
        if view is None:
            return
        message = to_person(
            pressed.asker, "again", render_private(view), replace_original=replace_original
        )
        await pressed.core.enqueue(connection, message)
    pressed.core.outbox.wake()


async def _say(pressed: Pressed, text: str) -> None:
    await say_privately(pressed.core, pressed.asker, "note", render_note(text))


_HANDLERS: dict[str, Callable[[Pressed], Awaitable[None]]] = {
    "worked": _worked,
    "failed": _failed,
    "asked_worked": _asked_worked,
    "asked_failed": _asked_failed,
    "wrong_diagnosis": _wrong,
    "dead_ends": _dead_ends,
    "dead_end_worked": _dead_end_worked,
    "dead_end_failed": _dead_end_failed,
    "undo": _undo,
    "blame_step": _blame,
    "show_all": _show_all,
    "next_step": _next_step,
    "dismiss": _dismiss,
    "share": _share,
    "open_form": _open_form,
    **HANDLERS,
}
