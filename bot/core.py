"""What every part of the bot works with, put together once by the composition root."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.store.outbox import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.ledger import Ledger
    from bot.metrics import Metrics
    from bot.outbox import Outbox
    from bot.reload import Knowledge
    from bot.seal import Seal
    from bot.settings import Settings
    from bot.slack.workspaces import Workspaces
    from bot.store.database import Database
    from bot.store.outbox import Outgoing
    from rules.load import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Core:
    """The parts, and nothing that decides."""

    settings: Settings
    database: Database
    seal: Seal
    knowledge: Knowledge
    ledger: Ledger
    workspaces: Workspaces
    outbox: Outbox
    metrics: Metrics
    now: Callable[[], float]

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base in use now; a reload puts another in its place."""
        return self.knowledge.current

    @property
    def moment(self) -> dt.datetime:
        """The present, aware."""
        return dt.datetime.fromtimestamp(self.now(), dt.UTC)

    async def enqueue(self, connection: AsyncConnection, message: Outgoing) -> bool:
        """Put a message into the outbox as part of a transaction; whether its key was new."""
        return await enqueue(connection, self.seal, message, self.now())


def make_id(*parts: str) -> str:
    """Make a short id that is the same for the same parts, so that work done twice is done once."""
    return hashlib.blake2b("\x00".join(parts).encode(), digest_size=8).hexdigest()


def at_epoch(seconds: float) -> dt.datetime:
    """Unix seconds as an aware time."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC)
