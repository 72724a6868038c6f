"""What a reload of the knowledge base changes, and whom it tells when it fails."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from bot.core import make_id
from bot.slack.blocks.refused import render_refused
from bot.store.outbox import Outgoing

if TYPE_CHECKING:
    from bot.core import Core
    from bot.reload import Reloaded

log = structlog.get_logger(__name__)


class Reloads:
    """Puts a new set to use, or says in the log, the metrics and to the maintainers why not."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._version = core.kb.version
        self._tasks: set[asyncio.Task[None]] = set()

    def note(self, attempt: Reloaded) -> None:
        """Take what came of an attempt."""
        if attempt.errors:
            self._core.metrics.reloads.labels("refused").inc()
            log.error("kb_refused", in_use=attempt.version, errors=attempt.errors)
            task = asyncio.get_running_loop().create_task(self._tell(attempt))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif attempt.version != self._version:
            self._core.metrics.reloads.labels("used").inc()
            log.info("kb_reloaded", before=self._version, version=attempt.version)
            self._version = attempt.version
            self._core.ledger.use(self._core.kb)

    async def _tell(self, attempt: Reloaded) -> None:
        channel = self._core.settings.maintainer_channel
        if channel is None:
            return
        body = render_refused(attempt.errors, attempt.version).arguments
        team = (await self._core.workspaces.primary()).team
        key = f"reload:{make_id(*attempt.errors)}"
        async with self._core.database.write() as connection:
            message = Outgoing(team, key, "post", channel, body, part="line")
            await self._core.enqueue(connection, message)
        self._core.outbox.wake()
