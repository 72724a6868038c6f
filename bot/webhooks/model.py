"""A failed job, whoever told of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

MOST_LOG = 2_000_000
"""Characters of a log that are kept: the end of it."""


class BadBodyError(ValueError):
    """The body cannot be used; the text tells the sender what is wrong."""


class JobFailure(BaseModel):
    """What a sender says of a job that failed; every field may be missing."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    key: str
    """The same each time the same failure is sent."""
    id: str | None = None
    name: str | None = None
    status: str = "failed"
    url: str | None = None
    cluster: str | None = None
    user: str | None = None
    hosts: tuple[str, ...] = ()
    exit_code: int | None = None
    signal: str | None = None
    finished_at: str | None = None
    text: str = ""
    """Log or error text to diagnose."""

    @property
    def label(self) -> str:
        """How the job is called: its name, its id, or both."""
        both = f"{self.name} ({self.id})" if self.name and self.id else None
        return both or self.name or self.id or "without a name"


class JobSuccess(BaseModel):
    """What a sender says of a job that succeeded."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    key: str
    """The same each time the same success is sent."""
    id: str
    cluster: str | None = None
