"""Diagnose -> incident -> store -> answer."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import structlog

from bot.core import Core, make_id
from bot.facts import say_facts
from bot.incidents import find_same, trace
from bot.publish import place, publish, view_of
from bot.slack.blocks.private import (
    NOT_FOUND,
    render_note,
    render_request,
    render_seen_before,
)
from bot.store import answers as store
from bot.store.answers import Answer, Facts
from bot.store.channels import read_channel
from bot.store.outbox import Outgoing
from rules.diagnose import diagnose
from rules.model import DiagnosisKind
from rules.votes import read_context

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.incidents import Trace
    from bot.posts import Post
    from bot.slack.blocks.parts import Json, Message
    from rules.learn import Rates
    from rules.model import Diagnosis

log = structlog.get_logger(__name__)

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


async def answer_post(
    core: Core, post: Post, read_files: Callable[[], Awaitable[Diagnosis | None]] | None = None
) -> None:
    """Look at a post, once, and answer it where it deserves an answer.

    `read_files` diagnoses what is attached; it is asked where the text shows nothing.
    """
    async with core.database.read() as connection:
        if await store.was_looked_at(connection, post):
            return
        channel = await read_channel(connection, post.team, post.channel)
    if channel.mode == "off" or (channel.mode == "asked" and not post.asked):
        return
    rates = await core.ledger.rates(post.team)
    threshold = None if post.asked else (channel.threshold or core.settings.threshold)
    diagnosis = await examine(core, post.text, rates, asked=post.asked, threshold=threshold)
    if diagnosis.kind is not DiagnosisKind.ANSWER and post.files and read_files:
        diagnosis = await read_files() or diagnosis
    async with core.database.write() as connection:
        if not await store.add_post(connection, post, core.now()):
            return
        outcome = await _answer(core, connection, post, diagnosis, rates)
    core.metrics.posts.labels(outcome).inc()
    core.outbox.wake()


async def _answer(
    core: Core, connection: AsyncConnection, post: Post, diagnosis: Diagnosis, rates: Rates
) -> str:
    """Decide and enqueue; what the post got."""
    if diagnosis.kind is DiagnosisKind.SILENCE:
        if post.asked:
            await say_in_thread(core, connection, post, "not_found", render_note(NOT_FOUND))
        return "silence"
    if post.thread and not await _may_answer_in(connection, post, diagnosis):
        await store.set_outcome(connection, post, "same_thread", diagnosis.fingerprint)
        return "same_thread"
    mark = trace(diagnosis, post.poster, core.now())
    incident, is_new = await find_incident(core, connection, post.team, diagnosis, mark)
    earlier = None if is_new or post.asked else await _answered_here(connection, post, incident)
    if earlier is not None:
        await _link(core, connection, post, earlier, await _count(connection, post, incident, mark))
        await store.set_outcome(connection, post, "linked", diagnosis.fingerprint, earlier.id)
        return "linked"
    if not is_new:
        await store.see_again(connection, post.team, incident, mark)
    answer = make_answer(
        core,
        diagnosis,
        identity=make_id(post.team, post.channel, post.ts),
        team=post.team,
        source="post",
        incident=incident,
        channel=post.channel,
        thread=post.root,
        poster=post.poster,
    )
    await store.set_outcome(connection, post, answer.facts.kind, diagnosis.fingerprint, answer.id)
    await open_answer(core, connection, answer, rates)
    return answer.facts.kind


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
        title = core.kb.entries[answer.entry].title
        request = render_request(title, answer.facts.ask)
        await core.enqueue(connection, place(answer, answer.head_key, "request", request))
        return
    view = await view_of(core, connection, answer, rates)
    assert view is not None
    await publish(core, connection, view, on_failure)


async def _may_answer_in(connection: AsyncConnection, post: Post, diagnosis: Diagnosis) -> bool:
    """Whether a reply may get an answer in a thread that has one: when it brings what was missing."""
    assert post.thread is not None
    earlier = await store.find_in_thread(connection, post.team, post.channel, post.thread)
    if earlier is None:
        return True
    if earlier.state == "dismissed" and not post.asked:
        return False
    is_request = earlier.facts.kind == "request"
    is_news = diagnosis.entry is not None and diagnosis.entry.id != earlier.entry
    return is_news and (is_request or post.asked)


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


async def _answered_here(connection: AsyncConnection, post: Post, incident: str) -> Answer | None:
    """Return the incident's answer that a reader of this channel can follow a link to."""
    for answer in await store.list_answers(connection, post.team, incident):
        is_here = answer.channel == post.channel and answer.thread not in {None, post.root}
        if is_here and not answer.is_private and answer.state != "wrong":
            return answer
    return None


async def _count(connection: AsyncConnection, post: Post, incident: str, mark: Trace) -> int:
    return await store.see_again(connection, post.team, incident, mark)


async def _link(
    core: Core, connection: AsyncConnection, post: Post, earlier: Answer, count: int
) -> None:
    workspace = await core.workspaces.find(post.team)
    assert workspace is not None
    assert earlier.thread is not None
    line = render_seen_before(workspace.link(earlier.channel, earlier.thread), count)
    await say_in_thread(core, connection, post, "link", line)


async def say_in_thread(
    core: Core, connection: AsyncConnection, post: Post, what: str, message: Message
) -> None:
    """One line under a post; it is no answer and takes no votes."""
    outgoing = Outgoing(
        team=post.team,
        key=f"{what}:{post.channel}:{post.ts}",
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
