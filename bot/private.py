"""Answers that one person alone sees, and sharing them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.answering import examine, find_incident, make_answer, open_answer
from bot.core import Core, make_id
from bot.incidents import trace
from bot.publish import note_shown, view_of
from bot.slack.blocks.private import (
    NOT_SHARED,
    render_not_found,
    render_note,
    render_private,
    render_request,
)
from bot.store import answers as store, outbox
from bot.store.outbox import Outgoing
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.slack.blocks.parts import Json, Message
    from bot.store.answers import Answer
    from rules.learn import Rates
    from rules.model import Diagnosis


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asked, where, and the way back to them alone."""

    team: str
    channel: str
    person: str
    response_url: str | None
    key: str
    """Key of the delivery that asked."""
    thread: str | None = None
    """Thread that they asked in: what is said to them in the channel is not seen there."""


async def answer_privately(core: Core, asker: Asker, text: str, *, slack: bool = True) -> None:
    """Diagnose a text for one person; the answer's buttons vote."""
    rates = await core.ledger.rates(asker.team)
    await present(core, asker, await examine(core, text, rates, slack=slack, asked=True), rates)


async def present(core: Core, asker: Asker, diagnosis: Diagnosis | None, rates: Rates) -> None:
    """Tell one person what was found; none where nothing could be read."""
    if diagnosis is None:
        return await say_privately(core, asker, "not_found", render_not_found())
    core.metrics.posts.labels(f"asked_{diagnosis.kind}").inc()
    if diagnosis.kind is DiagnosisKind.SILENCE:
        return await say_privately(core, asker, "not_found", render_not_found(diagnosis.unread))
    assert diagnosis.entry is not None
    assert diagnosis.advice is not None
    if diagnosis.kind is DiagnosisKind.REQUEST:
        ask, unread = diagnosis.advice.ask, diagnosis.unread
        request = render_request(diagnosis.entry.title, ask, unread)
        return await say_privately(core, asker, "request", request)
    async with core.database.write() as connection:
        mark = trace(diagnosis, asker.person, core.now())
        incident, _ = await find_incident(core, connection, asker.team, diagnosis, mark)
        answer = make_answer(
            core,
            diagnosis,
            identity=make_id(asker.team, asker.key),
            team=asker.team,
            source="ask",
            incident=incident,
            channel=asker.channel,
            thread=None,
            poster=asker.person,
        )
        if not await store.add_answer(connection, answer):
            return None
        view = await view_of(core, connection, answer, rates)
        assert view is not None
        for step in view.steps[: answer.shown]:
            await note_shown(core, connection, view, step.step.id)
        await core.enqueue(connection, to_person(asker, "answer", render_private(view)))
    core.outbox.wake()
    return None


async def say_privately(core: Core, asker: Asker, what: str, message: Message) -> None:
    """Tell one person something."""
    async with core.database.write() as connection:
        await core.enqueue(connection, to_person(asker, what, message))
    core.outbox.wake()


def to_person(
    asker: Asker, what: str, message: Message, *, replace_original: bool = False
) -> Outgoing:
    """Return a message to one person: over the response address, else as an ephemeral message or a DM."""
    key = f"{what}:{asker.key}"[:255]
    if asker.response_url:
        body: Json = {
            **message.arguments,
            "url": asker.response_url,
            "response_type": "ephemeral",
            "replace_original": replace_original,
        }
        if asker.thread and not replace_original:
            body["thread_ts"] = asker.thread
        return Outgoing(asker.team, key, "respond", asker.channel, body, lane=asker.thread)
    if asker.channel == asker.person:
        return Outgoing(asker.team, key, "post", asker.person, message.arguments, part="line")
    body = {**message.arguments, "user": asker.person}
    return Outgoing(asker.team, key, "ephemeral", asker.channel, body, asker.thread)


async def share(core: Core, asker: Asker, answer: Answer) -> None:
    """Post a private answer as the bot's own message, where it was asked for."""
    rates = await core.ledger.rates(asker.team)
    identity = make_id(answer.team, answer.id, asker.key)
    shared = replace(
        answer,
        id=identity,
        source="share",
        root=f"answer:{identity}:head",
        thread=None,
        state="open",
        shown=min(1, len(answer.steps)),
        revision=0,
        at=core.now(),
    )
    sorry = render_note(NOT_SHARED).arguments
    failure = {**sorry, "url": asker.response_url, "response_type": "ephemeral"}
    async with core.database.write() as connection:
        if await _is_shared(connection, answer):
            return
        on_failure = {**failure, "replace_original": False} if asker.response_url else None
        await open_answer(core, connection, shared, rates, on_failure)
    core.outbox.wake()


async def _is_shared(connection: AsyncConnection, answer: Answer) -> bool:
    """Whether the channel has the answer already; a share that Slack refused may be tried again."""
    for other in await store.list_answers(connection, answer.team, answer.incident):
        if other.source == "share" and other.channel == answer.channel:
            head = await outbox.find_by_key(connection, other.team, other.head_key)
            if head is not None and head.status != "failed":
                return True
    return False
