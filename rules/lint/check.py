"""What a check is, what it is given and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from rules.diagnose import diagnose
from rules.pattern import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rules.entry import Entry, Signature
    from rules.load import KnowledgeBase, Reading
    from rules.model import Diagnosis
    from rules.source import Location


class Severity(StrEnum):
    """An error would mislead or fail in use; a warning leaves an entry poorer than it should be."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One thing to mend."""

    path: str
    line: int
    check: str
    message: str
    advice: str
    """How to mend it."""
    severity: Severity

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.severity}: {self.message} [{self.check}]"


@dataclass(frozen=True)
class Library:
    """All entries, and what several checks ask of them."""

    reading: Reading
    _known: dict[str, Diagnosis] = field(default_factory=dict, repr=False)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """All entries by id, retired ones too."""
        return self.reading.entries

    @property
    def base(self) -> KnowledgeBase:
        """The live ones, ready to answer."""
        return self.reading.base

    def live(self) -> Iterator[Entry]:
        """Go through the entries that can answer."""
        return iter(self.base.entries.values())

    def same_as(self, signature: Signature) -> tuple[str, ...]:
        """Ids of the live entries that have the same signature."""
        key = (wording(signature), signature.near, tuple(signature.when.items()))
        return self._by_signature.get(key, ())

    @cached_property
    def _by_signature(self) -> dict[object, tuple[str, ...]]:
        found: dict[object, tuple[str, ...]] = {}
        for entry in self.live():
            for signature in entry.signatures:
                key = (wording(signature), signature.near, tuple(signature.when.items()))
                found[key] = tuple(dict.fromkeys((*found.get(key, ()), entry.id)))
        return found

    def diagnose(self, text: str) -> Diagnosis:
        """Ask what the live entries make of `text`; each text is read once."""
        if text not in self._known:
            self._known[text] = diagnose(text, self.base)
        return self._known[text]


def wording(signature: Signature) -> bytes:
    """Return what two signatures of one meaning share."""
    return squeeze(signature.text) if signature.text else (signature.regex or "").encode()


Fault = tuple["Location", str]
"""Where in the entry, and what is wrong there."""

CHECKS: list[type[Check]] = []
"""Every check there is; defining one adds it."""


class Check(ABC):
    """One thing that can be wrong with an entry. A new check is one subclass with these parts."""

    name: ClassVar[str]
    advice: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR

    def __init_subclass__(cls) -> None:
        CHECKS.append(cls)

    @abstractmethod
    def check(self, entry: Entry, library: Library) -> Iterable[Fault]:
        """Tell each fault of `entry`."""

    def issues(self, entry: Entry, library: Library) -> Iterator[Issue]:
        """Tell each fault with its path and line."""
        source = library.reading.sources[entry.id]
        for location, message in self.check(entry, library):
            path, line = source.place(location)
            yield Issue(path, line, self.name, f"{entry.id}: {message}", self.advice, self.severity)
