"""A failed job -> a message in the configured channel, always; with its diagnosis where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.answering import examine, find_incident, make_answer, open_answer
from bot.core import Core, make_id
from bot.facts import say_facts
from bot.incidents import trace
from bot.outcomes import note_job
from bot.slack.blocks.job import render_job
from bot.slack.blocks.private import render_seen_before
from bot.store import answers as store
from bot.store.channels import find_job_feed
from bot.store.outbox import Outgoing
from bot.webhooks.model import JobFailure
from rules.clean import clean
from rules.model import DiagnosisKind
from rules.redact import redact

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.delivery import Delivery
    from rules.learn import Rates
    from rules.model import Diagnosis

TAIL_LINES = 8
_TELLING = (
    "error",
    "exception",
    "fatal",
    "failed",
    "traceback",
    "killed",
    "abort",
    "timeout",
    "nccl",
)


async def report_job(core: Core, delivery: Delivery) -> None:
    """Post a failed job."""
    job = JobFailure.model_validate(delivery.body)
    workspace = await core.workspaces.primary()
    async with core.database.read() as connection:
        channel = await find_job_feed(connection, workspace.team)
    channel = channel or core.settings.webhook_channel
    assert channel is not None
    rates = await core.ledger.rates(workspace.team)
    diagnosis = await examine(core, job.text, rates, slack=False, asked=True)
    known = diagnosis.kind is DiagnosisKind.ANSWER
    core.metrics.posts.labels("job_known" if known else "job_unknown").inc()
    tail = "" if known else pick_tail(job.text)
    facts = tuple(say_facts(diagnosis.evidence))
    root = Outgoing(
        team=workspace.team,
        key=f"job:{make_id(delivery.key)}",
        method="post",
        channel=channel,
        body=render_job(job, facts, tail, known=known).arguments,
        answer=make_id(workspace.team, delivery.key) if known else None,
        part="job",
    )
    async with core.database.write() as connection:
        if await core.enqueue(connection, root) and known:
            await _answer(
                core, connection, root, key=delivery.key, job=job, diagnosis=diagnosis, rates=rates
            )
    core.outbox.wake()


async def _answer(
    core: Core,
    connection: AsyncConnection,
    root: Outgoing,
    *,
    key: str,
    job: JobFailure,
    diagnosis: Diagnosis,
    rates: Rates,
) -> None:
    mark = trace(diagnosis, root.key, core.now())
    mark = replace(mark, job=mark.job or job.id, hosts=mark.hosts | set(job.hosts))
    incident, is_new = await find_incident(core, connection, root.team, diagnosis, mark)
    await note_job(core, connection, key, job, incident)
    if not is_new:
        count = await store.see_again(connection, root.team, incident, mark)
        for earlier in await store.list_answers(connection, root.team, incident):
            if earlier.channel == root.channel and earlier.thread and not earlier.is_private:
                workspace = await core.workspaces.primary()
                link = workspace.link(earlier.channel, earlier.thread)
                line = Outgoing(
                    team=root.team,
                    key=f"{root.key}:link",
                    method="post",
                    channel=root.channel,
                    body=render_seen_before(link, count).arguments,
                    thread_of=root.key,
                    part="line",
                )
                await core.enqueue(connection, line)
                return
    assert root.answer is not None
    answer = make_answer(
        core,
        diagnosis,
        identity=root.answer,
        team=root.team,
        source="webhook",
        incident=incident,
        channel=root.channel,
        thread=None,
        poster=root.key,
        root=root.key,
    )
    await open_answer(core, connection, answer, rates)


def pick_tail(text: str) -> str:
    """Return the last lines that tell of an error, else the last lines; redacted."""
    lines = [line.text for line in clean(text).lines if line.text.strip()]
    telling = [line for line in lines if any(word in line.lower() for word in _TELLING)]
    return redact("\n".join((telling or lines)[-TAIL_LINES:]))
