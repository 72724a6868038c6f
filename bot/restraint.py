"""Where the bot holds an answer back: what is snoozed, and channels that only rehearse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.answering import make_answer
from bot.core import make_id
from bot.publish import view_of
from bot.slack.blocks.answer import render_head
from bot.slack.blocks.rehearsal import render_rehearsal
from bot.store import answers as store
from bot.store.channels import ALL, list_snoozed, read_channel
from bot.store.outbox import Outgoing
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.posts import Post
    from rules.learn import Rates
    from rules.model import Diagnosis


async def hold_back(
    core: Core, connection: AsyncConnection, post: Post, diagnosis: Diagnosis, rates: Rates
) -> str | None:
    """Return why a post gets no answer, noted as its outcome; none where it may get one."""
    if diagnosis.kind is DiagnosisKind.SILENCE and not post.asked:
        return None
    channel = await read_channel(connection, post.team, post.channel)
    outcome = None
    if channel.mode == "shadow":
        outcome = "shadow"
        if diagnosis.kind is DiagnosisKind.ANSWER:
            await _rehearse(core, connection, post, diagnosis, rates)
    elif not post.asked and diagnosis.entry is not None:
        snoozed = await list_snoozed(connection, post.team, post.channel, core.now())
        if ALL in snoozed or diagnosis.entry.id in snoozed:
            outcome = "snoozed"
    if outcome is not None:
        await store.set_outcome(connection, post, outcome, diagnosis.fingerprint)
    return outcome


async def _rehearse(
    core: Core, connection: AsyncConnection, post: Post, diagnosis: Diagnosis, rates: Rates
) -> None:
    """Tell the maintainers' channel what would have been answered, once an incident."""
    workspace = await core.workspaces.find(post.team)
    channel = core.settings.maintainer_channel
    if channel is None or workspace is None:
        return
    answer = make_answer(
        core,
        diagnosis,
        identity=make_id(post.team, post.channel, post.ts),
        team=post.team,
        source="post",
        incident="",
        channel=post.channel,
        thread=post.root,
        poster=post.poster,
    )
    view = await view_of(core, connection, answer, rates)
    assert view is not None
    link = workspace.link(post.channel, post.ts, post.thread)
    message = Outgoing(
        team=post.team,
        key=name_rehearsal(core, post, diagnosis.fingerprint, core.now()),
        method="post",
        channel=channel,
        body=render_rehearsal(post.channel, link, render_head(view)).arguments,
        part="line",
    )
    await core.enqueue(connection, message)


def name_rehearsal(core: Core, post: Post, fingerprint: str, at: float) -> str:
    """Return the key of the message that rehearses an answer, one an incident."""
    period = int(at // (core.settings.incident_hours * 3600))
    incident = make_id(post.team, fingerprint, post.poster)
    return f"shadow:{make_id(post.channel, incident, str(period))}"
