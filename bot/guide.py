"""The guided run's end: no step is left, and what can be done then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core import make_id
from bot.publish import SOMEBODY, place, refresh, refresh_head, show_next, view_of
from bot.slack.blocks.end import End, render_call, render_end
from bot.store import answers as store, guided, outbox
from bot.store.channels import read_channel
from bot.store.outbox import Outgoing
from rules.redact import redact

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.blocks.parts import Message
    from bot.store.answers import Answer
    from bot.view import AnswerView


async def bring_next(
    core: Core, connection: AsyncConnection, view: AnswerView, step: str
) -> Answer:
    """After a step, if it is the last one shown: the next one, or what is left after all."""
    answer = view.answer
    if answer.steps[answer.shown - 1 : answer.shown] != (step,):
        return answer
    if view.has_next:
        return await show_next(core, connection, view)
    await offer_end(core, connection, view)
    return answer


async def go_on(core: Core, answer: Answer, step: str) -> Answer | None:
    """Bring what follows a check that was done; the answer as it then stands, none if it is gone."""
    rates = await core.ledger.rates(answer.team)
    async with core.database.write() as connection:
        found = await store.find_answer(connection, answer.team, answer.id)
        view = await view_of(core, connection, found, rates) if found else None
        if view is None:
            return None
        answer = await bring_next(core, connection, view, step)
        if not answer.is_private:
            await refresh_head(core, connection, answer, rates)
    core.outbox.wake()
    return answer


async def offer_end(core: Core, connection: AsyncConnection, view: AnswerView) -> None:
    """After the last step: say so once, with what is left to do."""
    answer = view.answer
    if answer.state != "open" or answer.is_private:
        return
    message = await _render(connection, answer)
    await core.enqueue(connection, place(answer, end_key(answer), "end", message))


async def call_owners(core: Core, team: str, identity: str) -> bool:
    """Mention the channel's owners in the thread, once; false where none are set or it is gone."""
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, team, identity)
        if answer is None or answer.is_private:
            return False
        owners = (await read_channel(connection, team, answer.channel)).owners
        if owners is None:
            return False
        call = place(answer, call_key(answer), "line", render_call(owners))
        await core.enqueue(connection, call)
        await _refresh_end(core, connection, answer)
    core.outbox.wake()
    return True


async def save_unsolved(core: Core, team: str, identity: str, person: str) -> bool:
    """Save the answer's thread as unsolved; false where the answer is gone."""
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, team, identity)
        if answer is None:
            return False
        voter = core.ledger.mask(person)
        if await guided.save_unsolved(connection, answer, voter, core.now()):
            await _refresh_end(core, connection, answer)
    core.outbox.wake()
    return True


async def record_fix(
    core: Core, answer: Answer, person: str, text: str, ts: str | None = None
) -> None:
    """Record what solved the incident otherwise, redacted; the heads say so."""
    rates = await core.ledger.rates(answer.team)
    async with core.database.write() as connection:
        voter = core.ledger.mask(person)
        is_new = await guided.add_fix(
            connection,
            answer=answer,
            identity=make_id(answer.team, answer.incident, ts or voter, "" if ts else text),
            voter=voter,
            text=redact(text.strip()),
            ts=ts,
            at=core.now(),
        )
        if is_new:
            await refresh(core, connection, answer.team, answer.incident, rates)
    core.outbox.wake()


async def _refresh_end(core: Core, connection: AsyncConnection, answer: Answer) -> None:
    if await outbox.find_by_key(connection, answer.team, end_key(answer)) is None:
        return
    message = await _render(connection, answer)
    update = Outgoing(
        team=answer.team,
        key=f"{end_key(answer)}:{make_id(message.text)}",
        method="update",
        channel=answer.channel,
        body=message.arguments,
        target=end_key(answer),
        answer=answer.id,
        part="end",
        lane=answer.root or answer.thread,
    )
    await outbox.replace_pending(connection, core.seal, update, core.now())


async def _render(connection: AsyncConnection, answer: Answer) -> Message:
    channel = await read_channel(connection, answer.team, answer.channel)
    saved = await guided.find_saver(connection, answer.team, answer.id)
    names = await guided.list_names(connection, answer.team, [saved] if saved else [])
    called = await outbox.find_by_key(connection, answer.team, call_key(answer)) is not None
    end = End(
        answer=answer.id,
        has_owners=channel.owners is not None,
        was_called=called,
        saved_by=names.get(saved, SOMEBODY) if saved else None,
    )
    return render_end(end)


def end_key(answer: Answer) -> str:
    """Return the key of the message that says that no step is left."""
    return f"answer:{answer.id}:end"


def call_key(answer: Answer) -> str:
    """Return the key of the message that calls the owners."""
    return f"answer:{answer.id}:call"
