"""One question to the poster, a day later, where nobody voted: votes are what limits learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from slack_sdk.errors import SlackApiError

from bot.publish import place, view_of
from bot.slack.blocks.question import render_answered, render_question
from bot.slack.calls import Later, read_error
from bot.store import events, evidence, outbox
from bot.store.channels import read_channel
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.store.answers import Answer

log = structlog.get_logger(__name__)

DAY = 86_400.0
ASK_AFTER = DAY
ASK_WITHIN = 3 * DAY
"""A bot that was down for longer asks about nothing that old."""
AT_ONCE = 20


async def ask_posters(core: Core) -> None:
    """Ask about each answer that is due; what deserves no question is settled without one."""
    if not core.settings.ask_poster:
        return
    async with core.database.read() as connection:
        now = core.now()
        due = await evidence.list_unasked(connection, now - ASK_WITHIN, now - ASK_AFTER, AT_ONCE)
    for answer in due:
        await _ask(core, answer)
    if due:
        core.outbox.wake()


async def _ask(core: Core, answer: Answer) -> None:
    is_there = await _is_there(core, answer)
    rates = await core.ledger.rates(answer.team)
    async with core.database.write() as connection:
        outcome = await _decide(connection, answer, is_there=is_there)
        view = await view_of(core, connection, answer, rates)
        # A check repairs nothing, so that nobody can say whether it helped.
        if view is None or all(step.is_check for step in view.steps):
            outcome = "closed"
        if not await evidence.note_question(connection, answer, outcome, core.now()):
            return
        if outcome == "asked" and view is not None:
            question = place(answer, question_key(answer), "question", render_question(view))
            await core.enqueue(connection, question)
    core.metrics.questions.labels(outcome).inc()


async def _decide(connection: AsyncConnection, answer: Answer, *, is_there: bool) -> str:
    channel = await read_channel(connection, answer.team, answer.channel)
    if answer.state != "open" or answer.facts.kind != "answer" or channel.mode in {"off", "shadow"}:
        return "closed"
    if not answer.poster.startswith(("U", "W")) or not is_there:
        return "gone"
    return "voted" if await events.has_vote(connection, answer.team, answer.incident) else "asked"


async def _is_there(core: Core, answer: Answer) -> bool:
    """Whether the post and the answer's head still stand: nobody is asked about what was deleted.

    Raises what Slack or the network raise for a passing failure.
    """
    workspace = await core.workspaces.find(answer.team)
    async with core.database.read() as connection:
        head = await outbox.find_by_key(connection, answer.team, answer.head_key)
    if workspace is None or head is None or head.ts is None or answer.thread is None:
        return False
    try:
        found = await workspace.client.conversations_replies(
            channel=answer.channel, ts=answer.thread, oldest=head.ts, latest=head.ts,
            inclusive=True, limit=2,
        )  # fmt: skip
    except SlackApiError as error:
        if isinstance(read_error(error, "update"), Later):
            raise
        log.info("question_dropped", reason=error.response.get("error"))
        return False
    standing = {str(m["ts"]) for m in found["messages"] if m.get("subtype") != "tombstone"}
    return {head.ts, answer.thread} <= standing


async def close_question(core: Core, answer: Answer, place_of_step: int) -> None:
    """Show that the question was answered, in its place, so that nobody answers it again."""
    async with core.database.write() as connection:
        await evidence.note_reply(connection, answer.team, answer.incident)
        key = question_key(answer)
        update = Outgoing(
            team=answer.team,
            key=f"{key}:answered",
            method="update",
            channel=answer.channel,
            body=render_answered(place_of_step).arguments,
            target=key,
            answer=answer.id,
            part="question",
            lane=answer.root or answer.thread,
        )
        await core.enqueue(connection, update)
    core.metrics.questions.labels("answered").inc()
    core.outbox.wake()


def question_key(answer: Answer) -> str:
    """Return the key of the message that asks."""
    return f"ask:{answer.incident}"
