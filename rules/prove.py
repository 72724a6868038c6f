"""Samples against the whole knowledge base: each entry wins its own and leaves the others'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.diagnose import diagnose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry, MatchSample, NoMatchSample
    from rules.load import KnowledgeBase
    from rules.model import Diagnosis


def prove(entry: Entry, kb: KnowledgeBase) -> Iterator[str]:
    """Tell which samples of `entry` are not answered as they say."""
    for sample in entry.samples.match:
        yield from prove_match(entry, sample, diagnose(sample.text, kb))
    for other in entry.samples.no_match:
        yield from prove_no_match(entry, other, diagnose(other.text, kb))


def prove_silence(text: str, kb: KnowledgeBase) -> Iterator[str]:
    """Tell which entry answers a text in which nothing is wrong."""
    found = diagnose(text, kb)
    if found.entry is not None and found.finding is not None:
        yield f"{found.entry.id} answers line {found.finding.line}, {_start(found.finding.quote)}"


def prove_match(entry: Entry, sample: MatchSample, found: Diagnosis) -> Iterator[str]:
    """Tell in what `found` differs from `entry` answering `sample` with its captures."""
    if found.entry is None:
        best = f", best {found.finding.entry.id}" if found.finding else ""
        yield f"silence (confidence {found.confidence:.2f}{best}) for {_start(sample.text)}"
        return
    if found.entry.id != entry.id:
        yield f"{found.entry.id} answers {_start(sample.text)}"
        return
    captures = found.finding.captures if found.finding else {}
    for name, value in sample.captures.items():
        if captures.get(name) != value:
            yield f"captures {name}={captures.get(name)!r}, not {value!r}, in {_start(sample.text)}"


def prove_no_match(entry: Entry, sample: NoMatchSample, found: Diagnosis) -> Iterator[str]:
    """Tell in what `found` differs from the entry named, or silence, answering `sample`."""
    answer = found.entry.id if found.entry else None
    if answer == sample.answers:
        return
    if answer == entry.id:
        yield f"answers {_start(sample.text)}, which it must not"
    elif answer is None:
        yield f"silence (confidence {found.confidence:.2f}) for {_start(sample.text)}, not {sample.answers}"
    else:
        yield f"{answer} answers {_start(sample.text)}, not {sample.answers or 'silence'}"


def _start(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"{line[:79]}…")
