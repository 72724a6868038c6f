"""Answers that change with their posts: replaced in place, made sharper, or taken back."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from bot.answering import make_answer, render_request_of
from bot.publish import publish, refresh_head, view_of
from bot.slack.blocks.private import render_withdrawn
from bot.store import answers as store, events, life, outbox
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.blocks.parts import Message
    from bot.store.answers import Answer
    from rules.learn import Rates
    from rules.model import Diagnosis


async def revise(
    core: Core,
    connection: AsyncConnection,
    old: Answer,
    diagnosis: Diagnosis,
    *,
    incident: str,
    identity: str,
    rates: Rates,
) -> Answer:
    """Put another answer in the place of one: its head is edited, its steps follow below."""
    made = make_answer(
        core,
        diagnosis,
        identity=identity,
        team=old.team,
        source=old.source,
        incident=incident,
        channel=old.channel,
        thread=old.thread,
        poster=old.poster,
        root=old.root,
    )
    new = replace(made, head=old.head_key, revision=old.revision)
    if not await store.add_answer(connection, new):
        return new
    gone = asdict(replace(old.facts, quote="", stated=()))
    await store.change_answer(connection, old.team, old.id, state="replaced", facts=gone)
    await life.take_over(connection, old, new.id)
    if not await events.has_vote(connection, old.team, old.incident):
        # What somebody said of a step stays where they said it.
        await delete_messages(core, connection, old, await life.list_messages(connection, old))
    await _show(core, connection, new, rates)
    return new


async def _show(core: Core, connection: AsyncConnection, answer: Answer, rates: Rates) -> None:
    if answer.facts.kind == "request":
        await edit_head(core, connection, answer, render_request_of(core, answer))
        return
    view = await view_of(core, connection, answer, rates)
    assert view is not None
    # The head is there already under its key: only the steps are new.
    await publish(core, connection, view)
    await refresh_head(core, connection, answer, rates)


async def sharpen(
    core: Core, connection: AsyncConnection, answer: Answer, diagnosis: Diagnosis, rates: Rates
) -> None:
    """Show what the changed post states now; the diagnosis is the same."""
    made = make_answer(
        core,
        diagnosis,
        identity=answer.id,
        team=answer.team,
        source=answer.source,
        incident=answer.incident,
        channel=answer.channel,
        thread=answer.thread,
        poster=answer.poster,
    )
    changed = replace(answer, facts=replace(made.facts, solved=answer.facts.solved))
    if changed.facts == answer.facts:
        return
    await store.change_answer(connection, answer.team, answer.id, facts=asdict(changed.facts))
    if answer.facts.kind == "answer":
        await refresh_head(core, connection, changed, rates)
    else:
        await edit_head(core, connection, changed, render_request_of(core, changed))


async def stop_quoting(
    core: Core, connection: AsyncConnection, answer: Answer, rates: Rates
) -> None:
    """Take the quotes out of an answer that stands: one of the posts it read is gone."""
    facts = replace(answer.facts, quote="", stated=())
    await store.change_answer(connection, answer.team, answer.id, facts=asdict(facts))
    if answer.facts.kind == "answer":
        await refresh_head(core, connection, replace(answer, facts=facts), rates)


async def withdraw(core: Core, connection: AsyncConnection, answer: Answer, why: str) -> None:
    """Take an answer back with all it quotes; where others used it, what they said of it stays.

    The post that it answered is no longer on record as having it.
    """
    facts = replace(answer.facts, quote="", stated=(), tried=())
    await store.change_answer(
        connection, answer.team, answer.id, state="withdrawn", facts=asdict(facts)
    )
    is_used = await events.has_vote(connection, answer.team, answer.incident)
    if is_used or await life.count_posts(connection, answer.team, answer.id):
        entry = core.kb.entries.get(answer.entry)
        title = entry.title if entry else answer.entry
        await edit_head(core, connection, answer, render_withdrawn(title, why))
        return
    await life.forget_trace(connection, answer.team, answer.incident)
    await delete_messages(core, connection, answer, await life.list_messages(connection, answer))


async def edit_head(
    core: Core, connection: AsyncConnection, answer: Answer, message: Message
) -> None:
    """Show something else in the place of an answer's head."""
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


async def delete_messages(
    core: Core, connection: AsyncConnection, answer: Answer, rows: Iterable[Row[Any]]
) -> None:
    """Delete messages of the bot; one that was not sent yet is not sent at all."""
    for row in rows:
        await delete_message(core, connection, row, answer.root or answer.thread)


async def delete_message(
    core: Core, connection: AsyncConnection, row: Row[Any], lane: str | None
) -> None:
    """Delete one message of the bot, after all that waits in its lane."""
    if await life.cancel(connection, row.team, row.id):
        return
    gone = Outgoing(
        team=row.team,
        key=f"{row.key}:gone",
        method="delete",
        channel=row.channel,
        body={},
        target=row.key,
        lane=lane,
    )
    await core.enqueue(connection, gone)
