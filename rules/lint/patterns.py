"""Signatures: whether they can run, whether they can fire, and whether they can win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault, Library, Severity, wording
from rules.pattern import squeeze
from rules.regex import find_faults, lone_periods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry, Signature

_SHORTEST_TEXT = 6
"""Letters below which a literal alone stands in too much that is no error."""


class RegexCannotRun(Check):
    """An expression that is refused, unbounded, too large, or has nothing to be found by."""

    name = "regex-cannot-run"
    advice = (
        "keep to what RE2 and Hyperscan share: no look-around, no back-references, bounded "
        "`.{0,80}`, and in each alternative a literal of at least 3 characters"
    )

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compile each expression with both engines."""
        for number, signature in enumerate(entry.signatures):
            for fault in find_faults(signature.regex) if signature.regex else ():
                yield ("signatures", number), f"{signature.regex}: {fault}"


class UnescapedPeriod(Check):
    """A full stop that matches any character."""

    name = "unescaped-period"
    advice = r"write `\.` for a full stop, and `.{1}` where any one character is meant"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count the periods that no repeat follows."""
        for number, signature in enumerate(entry.signatures):
            if signature.regex and lone_periods(signature.regex):
                yield ("signatures", number), f"a period without a backslash in {signature.regex}"


class TooShort(Check):
    """A literal that ordinary text holds."""

    name = "signature-too-short"
    advice = "take more of the line, or add `near:` texts of which one must stand in the post too"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Measure literals that nothing else guards."""
        for number, signature in enumerate(entry.signatures):
            short = signature.text and len(squeeze(signature.text)) < _SHORTEST_TEXT
            if short and not signature.near:
                yield ("signatures", number), f"{signature.text!r} is too short to stand alone"


class SameSignature(Check):
    """A signature that stands twice: the second can never decide anything."""

    name = "same-signature"
    advice = "leave it in the entry that is nearer to the cause, or tell the two apart with `near:`"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare with the entry's own signatures and with those of all others."""
        for number, signature in enumerate(entry.signatures):
            if any(_same(signature, other) for other in entry.signatures[:number]):
                yield ("signatures", number), f"{_name(signature)} stands twice in this entry"
            for other in library.same_as(signature):
                if other > entry.id:
                    yield (
                        ("signatures", number),
                        f"{_name(signature)} is a signature of {other} too",
                    )


class DeadSignature(Check):
    """A wording that another entry always answers."""

    name = "dead-signature"
    advice = (
        "drop it, or make it longer by what tells the two apart; where the other should give way, "
        "say so with its `yields_to`, `unless` or role"
    )

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Let all entries answer the literal alone."""
        if entry.retired:
            return
        for number, signature in enumerate(entry.signatures):
            if signature.text is None or signature.near or signature.when:
                continue
            found = library.diagnose(signature.text).finding
            if found and found.entry.id != entry.id and found.how != "fuzzy":
                message = f"{signature.text!r} is answered by {found.entry.id}"
                yield ("signatures", number), message
            elif found is None:
                yield ("signatures", number), f"{signature.text!r} does not match itself"


class GateShutsItself(Check):
    """An `unless` that every match of a signature holds."""

    name = "gate-shuts-itself"
    advice = "shorten the signature or drop the gate: as it is the signature can never answer"
    severity = Severity.ERROR

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look for each gate in each literal."""
        for place, gate in enumerate(entry.unless):
            for signature in entry.signatures:
                if signature.text and squeeze(gate) in squeeze(signature.text):
                    yield ("unless", place), f"{gate!r} stands in the signature {signature.text!r}"


def _name(signature: Signature) -> str:
    return repr(signature.text or signature.regex)


def _same(one: Signature, other: Signature) -> bool:
    return wording(one) == wording(other) and one.near == other.near and one.when == other.when
