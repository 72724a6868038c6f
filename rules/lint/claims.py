"""What an entry claims: rates, sources, versions, roles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rules.entry import Role, StepKind, Verification
from rules.gate import contains
from rules.lint.check import Check, Fault, Library, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.entry import Entry

_ALIKE = 0.5
"""Share of a domain's stated rates that one value may have."""
_ENOUGH = 12
"""Rates below which a domain is too small to say that they are alike."""


class NoSource(Check):
    """A claim that nobody can look up."""

    name = "no-source"
    advice = "link what says so, or set verification: ai_generated, which is shown as an estimate"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count the links of the entry and of its parts."""
        if entry.verification is not Verification.AI_GENERATED and not _links(entry):
            yield ("verification",), f"is said to be {entry.verification} but has no source"


class FewSources(Check):
    """An entry that stands on one leg."""

    name = "few-sources"
    advice = "link a second source, the vendor's documentation or a thread where it was confirmed"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count the links of the whole entry."""
        count = len(_links(entry))
        if count < 2:
            yield ("sources",), f"has {count} sources in all"


class FewSteps(Check):
    """Too little to try, or nothing to avoid."""

    name = "few-steps"
    advice = "give at least two workarounds and one dead end with why it fails"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count steps and dead ends."""
        if len(entry.workarounds) < 2:
            yield ("workarounds",), "has only one workaround"
        if not entry.dead_ends:
            yield ("dead_ends",), "has no dead end"


class RatesAlike(Check):
    """Stated rates that say nothing about what to try first."""

    name = "rates-alike"
    advice = "set each rate by how often the sources report success; say less where they are thin"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare the rates of an entry's repairs, and of its whole domain."""
        rates = _rates(entry)
        if len(rates) > 2 and len(set(rates)) == 1:
            yield ("workarounds",), f"all {len(rates)} repairs are stated at {rates[0]:.2f}"
        domain = [e for e in library.entries.values() if e.domain == entry.domain]
        counts = Counter(rate for each in domain for rate in _rates(each))
        total = sum(counts.values())
        rate, count = max(counts.items(), key=lambda pair: pair[1], default=(0.0, 0))
        if total >= _ENOUGH and count > _ALIKE * total and entry.id == min(e.id for e in domain):
            yield (
                ("workarounds",),
                f"{count} of {total} repairs in {entry.domain}/ stand at {rate:.2f}",
            )


class UnreadableVersions(Check):
    """A range that the version gate cannot use."""

    name = "unreadable-versions"
    advice = 'write ranges in quotes, such as ">=2.1,<2.4" or "==2.3.*"'

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Read the ranges of the entry and of its steps."""
        yield from self._read(entry.versions, ())
        for number, step in enumerate(entry.workarounds):
            yield from self._read(step.versions, ("workarounds", number))

    def _read(self, versions: Mapping[str, str], place: tuple[str | int, ...]) -> Iterator[Fault]:
        for name, span in versions.items():
            if contains(span, "1.0") is None:
                yield (*place, "versions", name), f"cannot read the range {span!r} of {name}"


class RoleAtOdds(Check):
    """A role that contradicts how the entry answers."""

    name = "role-at-odds"
    advice = (
        "a wrapper asks for what is missing, so it needs `ask`; a notice that answers only alone "
        "is a root, since wrappers and cascades give way by themselves"
    )

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare role, ask and only_if_alone."""
        if entry.role is Role.WRAPPER and not entry.ask:
            yield ("role",), "is a wrapper but asks for nothing"
        if entry.role is Role.WRAPPER and entry.only_if_alone:
            yield ("only_if_alone",), "is a wrapper and only_if_alone"


class RateOverSteps(Check):
    """A share of solved incidents below that of a single step."""

    name = "rate-over-steps"
    advice = (
        "fix_rate is the share of incidents that some step solves: no step alone can solve more"
    )
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare fix_rate with the best step."""
        best = max(_rates(entry), default=0.0)
        if best > entry.fix_rate + 0.10:
            yield ("fix_rate",), f"is {entry.fix_rate:.2f}, below its best step at {best:.2f}"


def _rates(entry: Entry) -> list[float]:
    return [s.success_rate for s in entry.workarounds if s.kind is StepKind.FIX]


def _links(entry: Entry) -> set[str]:
    steps = {link for step in entry.workarounds for link in step.sources}
    return {*entry.sources, *steps, *(link for end in entry.dead_ends for link in end.sources)}
