"""The knowledge base in use, read anew when a file changes or a reload is asked for.

All or nothing: a set with any error leaves the running one in place, and the report says why.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import structlog

from rules.folder import list_files
from rules.load import KnowledgeBaseError, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rules.load import KnowledgeBase

log = structlog.get_logger(__name__)

INTERVAL = 2.0
"""Seconds between two looks at the files."""


class Knowledge(Protocol):
    """Whatever holds the knowledge base in use."""

    @property
    def current(self) -> KnowledgeBase:
        """The set in use now."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A knowledge base that stays as it is."""

    current: KnowledgeBase


State = tuple[tuple[str, int, int, int], ...]
"""Path, times of change in ns (of the text, and of the mode and owner too) and size of each file."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What came of an attempt: another version in use, or errors and the old one."""

    version: str
    """Of the knowledge base in use now."""
    errors: tuple[str, ...] = ()
    """Each with path and line; none where the new set is in use."""


@dataclass
class LiveKnowledge:
    """Holds the knowledge base of `directories`; `report` hears of each attempt to replace it."""

    directories: Sequence[Path]
    report: Callable[[Reloaded], None]
    interval: float = INTERVAL
    current: KnowledgeBase = field(init=False)
    """The set in use; what holds it keeps it whole for as long as one post takes."""
    _seen: State = field(init=False)
    _asked: asyncio.Event = field(init=False, default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Read the first set; raises KnowledgeBaseError where it cannot be used."""
        self._seen = self._look()
        self.current = prepare(self.directories)

    def ask(self) -> None:
        """Ask for a reload now, as a SIGHUP handler does; `watch` carries it out."""
        self._asked.set()

    async def watch(self) -> None:
        """Reload on change and on demand until cancelled."""
        while True:
            asked = await self._wait()
            try:
                seen = await asyncio.to_thread(self._look)
                if asked or seen != self._seen:
                    self._seen = seen
                    await self._reload()
            except Exception:  # Whatever it is, the next change is taken up.
                log.exception("kb_watch_failed")

    async def _wait(self) -> bool:
        try:
            await asyncio.wait_for(self._asked.wait(), self.interval)
        except TimeoutError:
            return False
        self._asked.clear()
        return True

    async def _reload(self) -> None:
        try:
            fresh = await asyncio.to_thread(prepare, self.directories)
        except KnowledgeBaseError as error:
            errors = tuple(map(str, error.errors))
            self.report(Reloaded(self.current.version, errors))
            return
        except Exception as error:  # An entry did what nobody foresaw: the running set stays.
            log.exception("kb_reload_failed")
            said = f"kb:0: cannot be used: {type(error).__name__}: {error}"
            self.report(Reloaded(self.current.version, (said,)))
            return
        if fresh.version != self.current.version:
            self.current = fresh
        self.report(Reloaded(self.current.version))

    def _look(self) -> State:
        found = []
        for directory in self.directories:
            listing = list_files(directory)
            # What cannot be read counts too: that it can be, or is gone, is a change.
            found += [(str(path), 0, 0, 0) for path, _ in listing.unread]
            found += [_stamp(path) for path in listing.files]
        return tuple(found)


def _stamp(path: Path) -> tuple[str, int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0, 0)
    return (str(path), status.st_mtime_ns, status.st_ctime_ns, status.st_size)


def prepare(directories: Sequence[Path]) -> KnowledgeBase:
    """Load and compile everything, so that no post waits for it; raises KnowledgeBaseError."""
    fresh = load(directories)
    _ = (fresh.index.seeds, fresh.scanner, fresh.stated_rates)
    return fresh
