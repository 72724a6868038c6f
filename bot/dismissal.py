"""What stays in the thread of an answer that its poster dismissed: one line for each message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.publish import view_of
from bot.slack.blocks.private import render_note
from bot.slack.blocks.step import render_folded
from bot.store import life, outbox
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.blocks.parts import Message
    from bot.store.answers import Answer
    from bot.view import AnswerView
    from rules.learn import Rates

STEP_PART = "step:"
DISMISSED = "_Dismissed._"


async def fold_messages(
    core: Core, connection: AsyncConnection, answer: Answer, rates: Rates
) -> None:
    """Fold all that follows an answer's head, with what can be pressed; what waits goes unsent.

    The messages stay: what people said of a step hangs on its own one.
    """
    view = await view_of(core, connection, answer, rates)
    for row in await life.list_messages(connection, answer):
        part = row.part or ""
        if not (part.startswith(STEP_PART) or part in {"end", "question"}):
            continue
        if await life.cancel(connection, row.team, row.id):
            continue
        folded = _fold(view, part.removeprefix(STEP_PART)) if view else render_note(DISMISSED)
        update = Outgoing(
            team=row.team,
            key=f"{row.key}:folded",
            method="update",
            channel=row.channel,
            body=folded.arguments,
            target=row.key,
            answer=answer.id,
            part=part,
            lane=answer.root or answer.thread,
        )
        await outbox.replace_pending(connection, core.seal, update, core.now())


def _fold(view: AnswerView, identity: str) -> Message:
    step = view.step(identity)
    return render_folded(step) if step else render_note(DISMISSED)
