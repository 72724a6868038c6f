"""The parts of an answer: diagnosis, incident, record, message."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from bot.core import Core, make_id
from bot.facts import say_facts
from bot.incidents import find_same
from bot.publish import place, publish, view_of
from bot.slack.blocks.private import (
    render_request,
)
from bot.store import answers as store
from bot.store.answers import Answer, Facts
from bot.store.outbox import Outgoing
from rules.diagnose import diagnose
from rules.model import DiagnosisKind
from rules.votes import read_context

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.incidents import Trace
    from bot.posts import Post
    from bot.slack.blocks.parts import Json, Message
    from rules.learn import Rates
    from rules.model import Diagnosis

LARGE = 20_000
"""Characters from which a text is diagnosed beside the event loop."""
FIRST_SHOWN = 1


async def examine(
    core: Core,
    text: str,
    rates: Rates,
    *,
    slack: bool = True,
    asked: bool = False,
    threshold: float | None = None,
) -> Diagnosis:
    """Diagnose a text; a large one beside the event loop."""
    options: dict[str, Any] = {"slack": slack, "asked": asked, "threshold": threshold}
    with core.metrics.diagnosis.time():
        if len(text) < LARGE:
            return diagnose(text, core.kb, rates, **options)
        return await asyncio.to_thread(diagnose, text, core.kb, rates, **options)


def weigh_file(said: Diagnosis, attached: Diagnosis | None) -> Diagnosis:
    """Choose between what a post says and what is attached to it, which says more if anything."""
    if attached is None:
        return said
    if attached.kind is DiagnosisKind.SILENCE:
        return replace(said, unread=attached.unread)
    return attached


async def open_answer(
    core: Core,
    connection: AsyncConnection,
    answer: Answer,
    rates: Rates,
    on_failure: Json | None = None,
) -> None:
    """Record an answer and post it."""
    if not await store.add_answer(connection, answer):
        return
    if answer.facts.kind == "request":
        request = place(answer, answer.head_key, "request", render_request_of(core, answer))
        await core.enqueue(connection, request)
        return
    view = await view_of(core, connection, answer, rates)
    assert view is not None
    await publish(core, connection, view, on_failure)


def render_request_of(core: Core, answer: Answer) -> Message:
    """Render the line that asks for what is missing."""
    entry, facts = core.kb.entries.get(answer.entry), answer.facts
    return render_request(entry.title if entry else answer.entry, facts.ask, facts.unread)


async def find_incident(
    core: Core, connection: AsyncConnection, team: str, diagnosis: Diagnosis, mark: Trace
) -> tuple[str, bool]:
    """Find the incident that a diagnosed post belongs to, opened where it is a new one."""
    window = core.settings.incident_hours * 3600
    known = await store.list_incidents(connection, team, mark.fingerprint, mark.at - window)
    same = find_same(mark, known, window)
    if same is not None:
        return same.id, False
    identity = make_id(team, mark.fingerprint, mark.poster, mark.job or "", f"{mark.at:.6f}")
    assert diagnosis.entry is not None
    evidence = diagnosis.evidence
    await store.add_incident(
        connection,
        team=team,
        identity=identity,
        entry=diagnosis.entry.id,
        trace=mark,
        context=asdict(read_context(evidence.versions, evidence.gpu)),
    )
    return identity, True


async def say_in_thread(
    core: Core, connection: AsyncConnection, post: Post, what: str, message: Message
) -> None:
    """One line under a post; it is no answer and takes no votes."""
    outgoing = Outgoing(
        team=post.team,
        key=":".join(filter(None, (what, post.channel, post.ts, post.edited))),
        method="post",
        channel=post.channel,
        body=message.arguments,
        thread=post.root,
        part="line",
    )
    await core.enqueue(connection, outgoing)


def make_answer(
    core: Core,
    diagnosis: Diagnosis,
    *,
    identity: str,
    team: str,
    source: str,
    incident: str,
    channel: str,
    thread: str | None,
    poster: str,
    root: str | None = None,
) -> Answer:
    """Make the record of an answer: what it shows is fixed, its rates are not."""
    finding, advice = diagnosis.finding, diagnosis.advice
    assert finding is not None
    assert advice is not None
    is_request = diagnosis.kind is DiagnosisKind.REQUEST
    ends = [end.dead_end.id for end in advice.dead_ends]
    tried = [step.step.id for step in advice.steps if step.tried]
    tried += [end.dead_end.id for end in advice.dead_ends if end.tried]
    facts = Facts(
        kind="request" if is_request else "answer",
        quote=finding.quote,
        line=finding.line,
        how=finding.how,
        count=finding.count,
        confidence=round(diagnosis.confidence, 3),
        stated=tuple(say_facts(diagnosis.evidence)),
        consequences=tuple(f.entry.title for f in diagnosis.consequences[:4]),
        tried=tuple(tried),
        dead_ends=tuple(ends),
        ask=advice.ask,
        unread=diagnosis.unread,
    )
    return Answer(
        team=team,
        id=identity,
        source=source,
        incident=incident,
        entry=finding.entry.id,
        kb_version=diagnosis.kb_version,
        channel=channel,
        thread=thread,
        root=root,
        poster=poster,
        state="open",
        facts=facts,
        steps=() if is_request else tuple(step.step.id for step in advice.steps),
        shown=0 if is_request else min(FIRST_SHOWN, len(advice.steps)),
        revision=0,
        at=core.now(),
    )
