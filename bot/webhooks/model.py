"""A failed job, whoever told of it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from bot.delivery import scrub
from rules.redact import redact

MOST_LOG = 2_000_000
"""Characters of a log that are kept: the end of it."""

MOST_SAID = 300
_MOST_READ = 20 * MOST_SAID


def _tell(value: Any) -> Any:
    # Redacted before it is cut: half a secret is not known for one.
    return redact(scrub(value[:_MOST_READ]))[:MOST_SAID] if isinstance(value, str) else value


Said = Annotated[str, BeforeValidator(_tell)]
"""A word of a sender that is shown or kept: a line without secrets, and text that a database takes."""


class BadBodyError(ValueError):
    """The body cannot be used; the text tells the sender what is wrong."""


class JobFailure(BaseModel):
    """What a sender says of a job that failed; every field may be missing."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    key: str
    """The same each time the same failure is sent; kept longer than the rest, so a hash."""
    id: Said | None = None
    name: Said | None = None
    status: Said = "failed"
    url: Said | None = None
    cluster: Said | None = None
    user: Said | None = None
    hosts: tuple[Said, ...] = ()
    exit_code: int | None = None
    signal: Said | None = None
    finished_at: Said | None = None
    text: Annotated[str, BeforeValidator(scrub)] = ""
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
    id: Said
    cluster: Said | None = None
