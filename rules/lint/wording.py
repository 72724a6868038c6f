"""Texts: whether they fit where they are shown, and whether links are safe to follow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault, Library, Severity
from rules.lint.danger import texts
from rules.source import FILL_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry

LONGEST_TITLE = 150
"""Characters of a Slack header block."""
LONGEST_STEP = 300
"""Characters of a step's title in the list of steps."""
LONGEST_DEAD_END = 200
LONGEST_DETAILS = 1_200
LONGEST_RUN = 2_400
LONGEST_BLOCK = 3_000
"""Characters of a Slack section after its escapes: & < > become entities."""
LONGEST_CAUSE = 400
"""Characters of the root cause in the head message: whole first sentences that fit."""
_SCHEME = re.compile(r"\b(?:javascript|data|vbscript|file)\s{0,4}:", re.IGNORECASE)
_PLAIN_HTTP = re.compile(
    r"(?<![\w$`'\"])http://(?!localhost|127\.|0\.0\.0\.0|10\.|\$|\{|<|node|[\w-]+:\d)\S+"
)


class TooLong(Check):
    """Text that would be cut where it is shown."""

    name = "too-long"
    advice = "say it shorter, or move a part of it into `details` or a step of its own"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Measure every text that an answer shows."""
        yield from _measure(entry.title, LONGEST_TITLE, ("title",))
        for number, step in enumerate(entry.workarounds):
            place = ("workarounds", number)
            yield from _measure(step.do, LONGEST_STEP, (*place, "do"))
            yield from _measure(step.details or "", LONGEST_DETAILS, (*place, "details"))
            yield from _measure(step.run or "", LONGEST_RUN, (*place, "run"))
            whole = escaped(step.do) + escaped(step.details or "") + escaped(step.run or "")
            if whole > LONGEST_BLOCK:
                yield place, f"the step has {whole} characters after escaping, of {LONGEST_BLOCK}"
        for number, end in enumerate(entry.dead_ends):
            yield from _measure(end.do, LONGEST_DEAD_END, ("dead_ends", number, "do"))


class Unfinished(Check):
    """A draft that nobody has completed."""

    name = "unfinished"
    advice = "replace each text that starts with FILL IN, and the id fill-in, by your own"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look for what `kb new` left open."""
        for place, text in texts(entry.model_dump(mode="json"), ()):
            if text.startswith(FILL_IN) or text == "fill-in":
                yield place, "is still to be filled in"
        if entry.category == "unknown" and entry.verification == "ai_generated" and not entry.extra:
            yield ("category",), "is still unknown"


class LongFirstSentence(Check):
    """A cause or reason whose first sentence alone does not fit the head message."""

    name = "long-first-sentence"
    advice = (
        "open with one sentence below 400 characters (a dead end's reason: 200); details after it"
    )
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Measure first sentences."""
        if len(_first_sentence(entry.root_cause)) > LONGEST_CAUSE:
            yield ("root_cause",), "the first sentence is too long for the head message"


class UnsafeLink(Check):
    """A link that may run code, or that somebody on the way may change."""

    name = "unsafe-link"
    advice = "link with https://"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look at all texts but samples, which are quotes."""
        parts = entry.model_dump(mode="json", exclude={"samples", "signatures", "extra"})
        for place, text in texts(parts, ()):
            if place[-1] == "run":
                continue
            scheme = _SCHEME.search(text)
            if scheme and ("](" in text or scheme[0].lower().startswith(("javas", "vbs"))):
                yield place, f"holds {scheme[0]!r}"
            if match := _PLAIN_HTTP.search(text):
                yield place, f"{match[0]} is not https"


def escaped(text: str) -> int:
    """Characters of `text` once Slack's three entities are written out."""
    return len(text) + 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))


def _measure(text: str, most: int, place: tuple[str | int, ...]) -> Iterator[Fault]:
    size = escaped(text)
    if size > most:
        yield place, f"has {size} characters after escaping, of {most}"


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) ", " ".join(text.split()), maxsplit=1)[0]
