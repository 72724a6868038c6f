"""Names that an entry uses: of other entries, and of its own parts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rules.entry import Role
from rules.lint.check import Check, Fault, Library, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry


class UnknownEntry(Check):
    """A reference that leads nowhere."""

    name = "unknown-entry"
    advice = "`nccl-bot kb search` finds the id; drop the line where the entry is gone for good"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look up every id in yields_to and answers."""
        for number, other in enumerate(entry.yields_to):
            if other not in library.entries:
                yield ("yields_to", number), f"yields to {other}, which does not exist"
        for number, sample in enumerate(entry.samples.no_match):
            if sample.answers and sample.answers not in library.entries:
                place = ("samples", "no_match", number, "answers")
                yield place, f"expects {sample.answers}, which does not exist"


class RingOfYields(Check):
    """Entries that each wait for the other."""

    name = "ring-of-yields"
    advice = "decide which of them is nearer to the cause and drop the arrow that leads back"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Find the shortest ring through the entry; its first member by id tells of it."""
        rings = [self._find_way(other, entry.id, library) for other in entry.yields_to]
        ring = min(filter(None, rings), key=len, default=())
        if ring and entry.id == min(ring):
            place = ("yields_to", entry.yields_to.index(ring[0]))
            yield place, f"yields in a ring: {' -> '.join((entry.id, *ring))}"

    def _find_way(self, start: str, goal: str, library: Library) -> tuple[str, ...]:
        ways: list[tuple[str, ...]] = [(start,)]
        seen = {start}
        while ways:
            way = ways.pop(0)
            if way[-1] == goal:
                return way
            entry = library.entries.get(way[-1])
            for step in entry.yields_to if entry else ():
                if step not in seen:
                    seen.add(step)
                    ways.append((*way, step))
        return ()


class NeedlessYield(Check):
    """A pair that the roles settle already."""

    name = "needless-yield"
    advice = "drop the line: a root beats a cascade and a cascade beats a wrapper by themselves"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Tell a name that stands twice or is the entry's own."""
        counts = Counter(entry.yields_to)
        for number, other in enumerate(entry.yields_to):
            if other == entry.id:
                yield ("yields_to", number), "yields to itself"
            elif counts[other] > 1:
                counts[other] = 0
                yield ("yields_to", number), f"names {other} twice"
            elif entry.role is Role.ROOT and other in library.entries:
                known = library.entries[other]
                if known.role is Role.WRAPPER:
                    yield ("yields_to", number), f"a root yields to the wrapper {other}"


class SameIdTwice(Check):
    """Two parts that votes could not tell apart."""

    name = "same-id-twice"
    advice = "give each step and dead end an id of its own, and never reuse one: votes hang on it"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count the ids of steps and dead ends together."""
        seen: set[str] = set()
        for field in ("workarounds", "dead_ends"):
            for number, part in enumerate(getattr(entry, field)):
                if part.id in seen:
                    yield (field, number, "id"), f"the id {part.id} stands twice"
                seen.add(part.id)
