"""Record vote -> re-render: reactions and buttons become votes, votes move rates and heads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.core import Core, at_epoch
from bot.dismissal import STEP_PART, fold_messages
from bot.guide import bring_next
from bot.publish import note_shown, read_context_of, refresh, view_of
from bot.slack.blocks.private import render_doubt
from bot.store import answers as store, events, outbox
from bot.store.outbox import Outgoing
from bot.thumbs import name_source, read_thumb
from bot.view import standing_vote
from rules.credit import Answer as Blame, resolve_down
from rules.entry import StepKind
from rules.votes import Act, Target, Thumb, Vote

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.answers import Answer
    from rules.learn import Rates


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction put on a message or taken off it."""

    team: str
    channel: str
    ts: str
    person: str
    name: str
    act: Act
    at: float


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button that votes."""

    team: str
    person: str
    answer: str
    kind: Target
    target: str
    value: Thumb
    act: Act
    at: float


async def is_about_ours(core: Core, reaction: Reaction) -> bool:
    """Whether a reaction can be a vote: a thumb on a message of ours, known or still to be known."""
    if read_thumb(reaction.name) is None:
        return False
    place = (reaction.team, reaction.channel)
    async with core.database.read() as connection:
        if await outbox.find_by_ts(connection, *place, reaction.ts) is not None:
            return True
        return await outbox.has_unsent(connection, *place)


async def record_reaction(core: Core, reaction: Reaction) -> None:
    """Count a reaction of somebody who may vote; one to a message not known yet is kept for it."""
    async with core.database.write() as connection:
        place = (reaction.team, reaction.channel)
        row = await outbox.find_by_ts(connection, *place, reaction.ts)
        if row is not None:
            await _apply(core, connection, row, reaction)
        elif await outbox.has_unsent(connection, *place):
            await events.keep_early(
                connection,
                team=reaction.team,
                channel=reaction.channel,
                ts=reaction.ts,
                person=reaction.person,
                reaction=reaction.name,
                act=reaction.act,
                at=reaction.at,
            )
    core.outbox.wake()


async def settle_sent(core: Core, connection: AsyncConnection, row: Row[Any], ts: str) -> None:
    """Settle a message that got its time stamp: its thread is known, and reactions that came early count."""
    if row.answer and row.part in {"head", "job"}:
        answer = await store.find_answer(connection, row.team, row.answer)
        if answer is not None and answer.root == row.key:
            await store.change_answer(connection, row.team, row.answer, thread=ts)
    for kept in await events.take_early(connection, row.team, row.channel, ts):
        reaction = Reaction(
            row.team, row.channel, ts, kept.person, kept.reaction, Act(kept.act), kept.at
        )
        await _apply(core, connection, row, reaction)


async def _apply(
    core: Core, connection: AsyncConnection, row: Row[Any], reaction: Reaction
) -> None:
    thumb = read_thumb(reaction.name)
    part = row.part or ""
    if thumb is None or row.answer is None or not (part == "head" or part.startswith(STEP_PART)):
        return
    answer = await store.find_answer(connection, row.team, row.answer)
    if answer is None:
        return
    kind = Target.HEAD if part == "head" else Target.STEP
    target = part.removeprefix(STEP_PART) if kind is Target.STEP else ""
    source = name_source(reaction.name, reaction.ts)
    press = Press(
        row.team, reaction.person, answer.id, kind, target, thumb, reaction.act, reaction.at
    )
    await _record(core, connection, answer, press, source)


async def record_press(core: Core, press: Press) -> Answer | None:
    """Count a press of a button; the answer it is about as it then stands, none if it is gone."""
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, press.team, press.answer)
        if answer is None:
            return None
        answer = await _record(core, connection, answer, press, "button")
    core.outbox.wake()
    return answer


async def record_blame(
    core: Core, team: str, person: str, answer_id: str, at: float
) -> Answer | None:
    """Record that the person who put a thumb down on the head says that a step failed."""
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, team, answer_id)
        if answer is None:
            return None
        rates, _ = await core.ledger.record(connection, team, [])
        checks = _list_checks(core, answer)
        shown = [step for step in answer.steps[: answer.shown] if step not in checks]
        voter = core.ledger.mask(person)
        votes = {s: standing_vote(rates, answer.incident, answer.entry, s, voter) for s in shown}
        voted = {step: vote for step, vote in votes.items() if vote is not None}
        blamed = resolve_down(Blame.STEP_FAILED, shown, voted)
        if blamed is None:
            return answer
        press = Press(team, person, answer_id, *blamed, Thumb.DOWN, Act.CAST, at)
        answer = await _record(core, connection, answer, press, "button")
    core.outbox.wake()
    return answer


async def _record(
    core: Core, connection: AsyncConnection, answer: Answer, press: Press, source: str
) -> Answer:
    vote = Vote(
        team=answer.team,
        incident=answer.incident,
        entry=answer.entry,
        kind=press.kind,
        target=press.target,
        voter=press.person,
        value=press.value,
        act=press.act,
        source=source,
        at=at_epoch(press.at),
        is_poster=core.ledger.mask(press.person) == core.ledger.mask(answer.poster),
        position=_position(answer, press.target),
        context=await read_context_of(connection, answer),
    )
    rates, new = await core.ledger.record(connection, answer.team, [vote])
    if not new:
        return answer
    core.metrics.votes.labels(press.kind, press.act).inc()
    if press.kind is Target.ENTRY and vote.is_poster:
        state = "wrong" if press.act is Act.CAST else "open"
        await store.change_answer(connection, answer.team, answer.id, state=state)
    elif press.kind is Target.STEP:
        answer = await _bring_next(core, connection, answer, press, rates)
    elif press.kind is Target.HEAD and press.value is Thumb.DOWN and press.act is Act.CAST:
        await _ask_back(core, connection, answer, press.person)
    await refresh(core, connection, answer.team, answer.incident, rates)
    return answer


async def _bring_next(
    core: Core, connection: AsyncConnection, answer: Answer, press: Press, rates: Rates
) -> Answer:
    """After the last step shown failed for somebody: the next one, or what is left after all."""
    voter = core.ledger.mask(press.person)
    standing = standing_vote(rates, answer.incident, answer.entry, press.target, voter)
    view = await view_of(core, connection, answer, rates)
    step = view.step(press.target) if view else None
    if view is None or step is None or standing is None:
        return answer
    # A thumb either way says that a check was done.
    if standing is False or step.is_check:
        return await bring_next(core, connection, view, press.target)
    return answer


async def show_all(core: Core, team: str, answer_id: str) -> Answer | None:
    """Note every step as shown to somebody who asked for all; the answer."""
    rates = await core.ledger.rates(team)
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, team, answer_id)
        view = await view_of(core, connection, answer, rates) if answer else None
        if view is None:
            return None
        for step in view.steps:
            await note_shown(core, connection, view, step.step.id)
    return view.answer


async def dismiss(core: Core, team: str, answer_id: str, person: str) -> bool:
    """Quiet an answer for its poster; false where it is somebody else's."""
    rates = await core.ledger.rates(team)
    async with core.database.write() as connection:
        answer = await store.find_answer(connection, team, answer_id)
        if answer is None or answer.poster != person:
            return False
        # Nothing shows any more what it quoted, and no edit of the post would reach it.
        facts = asdict(replace(answer.facts, quote="", stated=()))
        await store.change_answer(connection, team, answer_id, state="dismissed", facts=facts)
        await refresh(core, connection, team, answer.incident, rates)
        await fold_messages(core, connection, answer, rates)
    core.outbox.wake()
    return True


async def _ask_back(core: Core, connection: AsyncConnection, answer: Answer, person: str) -> None:
    checks = _list_checks(core, answer)
    can_blame = any(step not in checks for step in answer.steps[: answer.shown])
    question = render_doubt(answer.id, can_blame=can_blame)
    outgoing = Outgoing(
        team=answer.team,
        key=f"doubt:{answer.id}:{person}",
        method="ephemeral",
        channel=answer.channel,
        body={**question.arguments, "user": person},
        thread=answer.thread,
    )
    await core.enqueue(connection, outgoing)


def _list_checks(core: Core, answer: Answer) -> set[str]:
    """List the steps that repair nothing, so that none of them can have failed to."""
    entry = core.kb.entries.get(answer.entry)
    return {s.id for s in entry.workarounds if s.kind is StepKind.EVIDENCE} if entry else set()


def _position(answer: Answer, target: str) -> int | None:
    return answer.steps.index(target) + 1 if target in answer.steps else None
