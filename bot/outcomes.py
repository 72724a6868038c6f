"""Jobs that succeed after their failure was answered: weak evidence, kept apart from votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.publish import refresh
from bot.store import evidence
from bot.view import read_stored_context
from bot.webhooks.model import JobSuccess
from rules.votes import Outcome, Shown

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.delivery import Delivery
    from bot.webhooks.model import JobFailure
    from rules.learn import Rates

DAY = 86_400.0
WITHIN = 14 * DAY
"""A job of that name and number that succeeds later is taken for another one."""


async def note_job(
    core: Core, connection: AsyncConnection, key: str, job: JobFailure, incident: str
) -> None:
    """Note which incident a failed job belongs to, where outcomes are wanted and it has an id."""
    if core.settings.outcomes == "off" or job.id is None:
        return
    await evidence.add_job(
        connection,
        team=(await core.workspaces.primary()).team,
        sender=read_sender(key),
        cluster=job.cluster or "",
        job=job.id,
        incident=incident,
        at=core.now(),
    )


async def take_success(core: Core, delivery: Delivery) -> None:
    """Record that a job succeeded, where its failure was answered and a step shown before."""
    job = JobSuccess.model_validate(delivery.body)
    team = (await core.workspaces.primary()).team
    async with core.database.write() as connection:
        found = await evidence.list_job_incidents(
            connection,
            team=team,
            sender=read_sender(delivery.key),
            cluster=job.cluster or "",
            job=job.id,
            since=core.now() - WITHIN,
        )
        for row in found:
            outcome = Outcome(
                team=team,
                incident=row.id,
                entry=row.entry,
                at=core.moment,
                context=read_stored_context(row.context),
            )
            rates, _ = await core.ledger.record(connection, team, [])
            if _was_shown(rates, row.entry, row.id):
                rates, _ = await core.ledger.record(connection, team, [outcome])
                await refresh(core, connection, team, row.id, rates)
    core.outbox.wake()


def read_sender(key: str) -> str:
    """Return the sender in a webhook delivery's key: `hook:<sender>:<job's own key>`."""
    return key.split(":", 2)[1]


def _was_shown(rates: Rates, entry: str, incident: str) -> bool:
    return any(
        isinstance(event, Shown) and event.incident == incident
        for event in rates.logs.get(entry, ())
    )
