"""Times in which the database takes nothing: what is said of them, and what they leave to catch up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable

log = structlog.get_logger(__name__)

SAY_SECONDS = 60.0


class Outage:
    """Whether what comes in can be stored, and since when not."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._said_at: float | None = None
        self._begun: float | None = None
        self._missed: float | None = None
        self.size = 0
        """Bytes of the delivery that could not be stored last."""

    @property
    def is_on(self) -> bool:
        """Whether the last attempt to store something failed."""
        return self._begun is not None

    def note(self, error: Exception, size: int = 0) -> None:
        """Note a failure; said once a minute at the most."""
        now = self._now()
        self._begun = now if self._begun is None else self._begun
        self._missed = now if self._missed is None else self._missed
        self.size = max(self.size, size)
        if self._said_at is None or abs(now - self._said_at) >= SAY_SECONDS:
            self._said_at = now
            hint = "what comes in is not acknowledged, so that it comes again"
            log.error("database_unavailable", error=error, code=read_code(error), hint=hint)

    def end(self) -> None:
        """Note that something was stored."""
        if self._begun is not None:
            log.info("database_available", seconds=round(self._now() - self._begun))
            self._begun, self.size = None, 0

    def take_missed(self, age: float) -> float | None:
        """Since when something may be missing that nobody delivers again, told once.

        None while it goes on, and until it is `age` seconds ago, when the last retry is over.
        """
        missed = self._missed
        if missed is None or self.is_on or self._now() - missed <= age:
            return None
        self._missed = None
        return missed


def read_code(error: Exception) -> str | None:
    """Read the driver's name for what is wrong, such as SQLITE_FULL; it quotes nothing."""
    cause = getattr(error, "orig", None)
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    return str(code) if code else None
