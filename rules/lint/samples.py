"""Samples: what an entry must win, and what it must leave to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault, Library, Severity
from rules.pattern import squeeze
from rules.prove import prove_match, prove_no_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry


class SampleLost(Check):
    """A sample that is not answered as it says."""

    name = "sample-lost"
    advice = (
        "`nccl-bot diagnose --explain` with the sample's text shows which signature won and why; "
        "mend the signature, the role or `yields_to`"
    )

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Let all entries answer each sample."""
        if entry.retired:
            return
        for number, sample in enumerate(entry.samples.match):
            for fault in prove_match(entry, sample, library.diagnose(sample.text)):
                yield ("samples", "match", number), fault
        for number, other in enumerate(entry.samples.no_match):
            for fault in prove_no_match(entry, other, library.diagnose(other.text)):
                yield ("samples", "no_match", number), fault


class FewSamples(Check):
    """An entry whose border nobody has drawn."""

    name = "few-samples"
    advice = (
        "give two posts that match, one of them as the software prints it with its `source`, and "
        "one near miss under no_match"
    )
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Count the samples of both sides."""
        samples = entry.samples
        if len(samples.match) < 2:
            yield ("samples", "match"), f"has {len(samples.match)} matching samples of 2"
        if not samples.no_match:
            yield ("samples",), "has no sample that must not match"
        if samples.match and not any(sample.source for sample in samples.match):
            yield ("samples", "match"), "names no source for any matching sample"


class SampleIsSignature(Check):
    """A sample that can only repeat what the signature says."""

    name = "sample-is-signature"
    advice = "paste the whole line or traceback, with what really stood before and after it"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare each sample with each literal."""
        wordings = {squeeze(s.text) for s in entry.signatures if s.text}
        whole = {squeeze(alias) for alias in entry.aliases}
        for number, sample in enumerate(entry.samples.match):
            text = squeeze(sample.text)
            if text in wordings and text not in whole and sample.source is None:
                yield ("samples", "match", number), "the sample is the signature again"


class SampleTwice(Check):
    """One sample that stands for two."""

    name = "sample-twice"
    advice = "replace one by a post of another version or shape"
    severity = Severity.WARNING

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare the samples of an entry with each other."""
        seen: set[bytes] = set()
        for side in ("match", "no_match"):
            for number, sample in enumerate(getattr(entry.samples, side)):
                text = squeeze(sample.text)
                if text in seen:
                    yield ("samples", side, number), "the same sample stands twice"
                seen.add(text)
