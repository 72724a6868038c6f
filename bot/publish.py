"""What an answer puts into its thread, and how it changes as votes come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.slack.blocks.answer import render_head
from bot.slack.blocks.private import render_note
from bot.slack.blocks.step import render_step
from bot.store import answers as store, guided, outbox
from bot.store.outbox import Outgoing
from bot.view import AnswerView, Fix, list_voters, look, read_stored_context
from rules.votes import Shown, Target

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.blocks.parts import Json, Message
    from bot.store.answers import Answer
    from rules.learn import Rates
    from rules.votes import Context


SOMEBODY = "somebody"


async def read_context_of(connection: AsyncConnection, answer: Answer) -> Context:
    """Where the answer's incident happened."""
    incident = await store.find_incident(connection, answer.team, answer.incident)
    return read_stored_context(incident.context if incident else {})


async def view_of(
    core: Core, connection: AsyncConnection, answer: Answer, rates: Rates
) -> AnswerView | None:
    """View the answer as it stands; none where its entry is gone from the knowledge base."""
    entry = core.kb.entries.get(answer.entry)
    if entry is None:
        return None
    context = await read_context_of(connection, answer)
    found = await guided.list_fixes(connection, answer.team, answer.incident)
    people = list_voters(rates, answer.incident, entry) | {fix.voter for fix in found}
    names = await guided.list_names(connection, answer.team, people)
    fixes = tuple(Fix(names.get(fix.voter, SOMEBODY), fix.text) for fix in found)
    return look(answer, entry, rates, context, core.moment, names=names, fixes=fixes)


async def publish(
    core: Core, connection: AsyncConnection, view: AnswerView, on_failure: Json | None = None
) -> None:
    """Post the head and the first step; `on_failure` is said where Slack refuses the head."""
    head = place(view.answer, view.answer.head_key, "head", render_head(view))
    if on_failure:
        head = replace(head, body={**head.body, "on_failure": on_failure})
    await core.enqueue(connection, head)
    for step in view.steps[: view.answer.shown]:
        await _post_step(core, connection, view, step.step.id)


async def show_next(core: Core, connection: AsyncConnection, view: AnswerView) -> Answer:
    """Post the step after the last one shown, if there is one; the answer with it."""
    answer = view.answer
    if answer.shown >= len(view.steps) or answer.state != "open":
        return answer
    shown = answer.shown + 1
    await store.change_answer(connection, answer.team, answer.id, shown=shown)
    if not answer.is_private:
        await _post_step(core, connection, view, view.steps[shown - 1].step.id)
    else:
        await note_shown(core, connection, view, view.steps[shown - 1].step.id)
    found = await store.find_answer(connection, answer.team, answer.id)
    assert found is not None
    return found


async def _post_step(
    core: Core, connection: AsyncConnection, view: AnswerView, identity: str
) -> None:
    step = view.step(identity)
    assert step is not None
    key = f"answer:{view.answer.id}:step:{identity}"
    message = place(view.answer, key, f"step:{identity}", render_step(view, step))
    await core.enqueue(connection, message)
    await note_shown(core, connection, view, identity)


async def note_shown(
    core: Core, connection: AsyncConnection, view: AnswerView, identity: str
) -> None:
    """Log that a step was shown in full."""
    step = view.step(identity)
    assert step is not None
    event = Shown(
        team=view.answer.team,
        incident=view.answer.incident,
        entry=view.entry.id,
        kind=Target.STEP,
        target=identity,
        position=step.place,
        at=core.moment,
    )
    await core.ledger.record(connection, view.answer.team, [event])


def place(answer: Answer, key: str, part: str, message: Message) -> Outgoing:
    """Return a message in the answer's thread; the head of a shared answer is its root."""
    is_root = answer.root == key
    return Outgoing(
        team=answer.team,
        key=key,
        method="post",
        channel=answer.channel,
        body=message.arguments,
        thread=None if answer.root else answer.thread,
        thread_of=None if is_root else answer.root,
        answer=answer.id,
        part=part,
        lane=answer.root or answer.thread,
    )


async def refresh(
    core: Core, connection: AsyncConnection, team: str, incident: str, rates: Rates
) -> None:
    """Edit the heads of an incident's answers in place."""
    for answer in await store.list_answers(connection, team, incident):
        if not answer.is_private and answer.facts.kind == "answer":
            await refresh_head(core, connection, answer, rates)


async def refresh_head(
    core: Core, connection: AsyncConnection, answer: Answer, rates: Rates
) -> None:
    """Edit the head of one answer in place."""
    view = await view_of(core, connection, answer, rates)
    if view is None:
        return
    quiet = answer.state == "dismissed"
    message = render_note("_Dismissed: not helpful here._") if quiet else render_head(view)
    revision = answer.revision + 1
    await store.change_answer(connection, answer.team, answer.id, revision=revision)
    update = Outgoing(
        team=answer.team,
        key=f"{answer.head_key}:{revision}",
        method="update",
        channel=answer.channel,
        body=message.arguments,
        target=answer.head_key,
        answer=answer.id,
        part="head",
        lane=answer.root or answer.thread,
    )
    await outbox.replace_pending(connection, core.seal, update, core.now())
