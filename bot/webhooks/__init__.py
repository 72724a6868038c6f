"""Job failures from outside. A sender is one module: its name, its form, its authentication.

A module makes a `Sender` named SENDER; `list_senders` finds it by importing what is in this folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bot.settings import Settings
    from bot.webhooks.model import JobFailure, JobSuccess


@dataclass(frozen=True, slots=True)
class Sender:
    """One kind of sender, reached at /hooks/<name>."""

    name: str
    read: Callable[[bytes, Mapping[str, str]], list[JobFailure]]
    """Failures in a body, none where it tells of none. Raises BadBodyError."""
    may: Callable[[Settings, Mapping[str, str], bytes], bool]
    """Whether a request is authentic, by its raw bytes."""
    grant_time: Callable[[Settings, Mapping[str, str]], float]
    """Seconds for the body of a request, by its headers; 0 where they show that it is not authentic."""
    is_open: Callable[[Settings], bool]
    """Whether it is set up; a sender without authentication stays closed."""
    succeeded: Callable[[bytes], list[JobSuccess]] | None = None
    """Jobs that a body says succeeded, by an id that the failure had too; asked where that is wanted."""


def list_senders() -> Iterator[Sender]:
    """Every sender that a module here defines."""
    for module in pkgutil.iter_modules(__path__):
        sender = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SENDER", None)
        if isinstance(sender, Sender):
            yield sender
