"""A log -> a draft of an entry: what a person would start with, to be filled in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from rules.clean import clean
from rules.entry import Entry, MatchSample, NoMatchSample, Role, Samples, Signature, Workaround
from rules.interchange.result import first_sentence
from rules.mask import mask
from rules.match import match
from rules.pattern import squeeze
from rules.pseudonyms import Pseudonyms
from rules.redact import redact
from rules.regex import find_faults
from rules.search import search
from rules.source import FILL_IN

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from rules.load import KnowledgeBase
    from rules.model import Line

"""How a text starts that a person must still write."""
_ERROR = re.compile(
    r"(?:^|\s|\.)[A-Za-z_]{0,60}(?:Error|Exception|Interrupt|Fault)\b(?:\[\d+\])?: ?\S"
)
_CUE = re.compile(
    r"(?i)\b(?:error|fatal|fail(?:ed|ure|s)?|abort(?:ed|ing)?|cannot|can't|could ?n.t|unable|timed? ?out"
    r"|denied|refused|not found|no such|mismatch|invalid|exceeded|killed|illegal|corrupt\w*|lost|unexpected)\b"
)
_LEVEL = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|WARN|panic)\b")
_FRAME = re.compile(r'^\s*(?:File "|at |frame #|Traceback|\^+$|#\d+ )')
_SHORTEST_PIECE, _LONGEST_SIGNATURE = 8, 120
_MOST_OF_IT = 0.8
"""Share of the stable text from which one piece can stand alone."""
_CONTEXT = 6
_LONGEST_SAMPLE = 1_500


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, and what a person should know who completes it."""

    entry: Entry
    line: int
    """Line of the log that seems to decide, from 1."""
    neighbours: tuple[str, ...]
    """Entries that are near: tell the new one apart from them."""
    answered_by: str | None
    """The entry that answers this log already."""


class DraftError(ValueError):
    """The log has no line to start from."""


def draft(identity: str, log: str, kb: KnowledgeBase, today: dt.date) -> Draft:
    """Propose an entry `identity` for `log`; raises DraftError where no line can be chosen."""
    cleaned = clean(log)
    matches = match(cleaned, kb.index, fuzzy=False).fired
    wrapped = {
        line.number for m in matches if m.rule.entry.role is Role.WRAPPER for line in m.lines
    }
    line = _choose([x for x in cleaned.lines if x.number not in wrapped] or cleaned.lines)
    known = dict.fromkeys(m.rule.entry.id for m in matches if line in m.lines)
    alike = search(kb.entries.values(), " ".join(re.findall(r"[A-Za-z]{4,}", line.text)[:12]), 4)
    neighbours = tuple(dict.fromkeys([*known, *(found.entry.id for found in alike)]))[:4]
    entry = Entry(
        id=identity,
        title=first_sentence(redact(line.text), 100),
        category="unknown",
        verification="ai_generated",
        verified_on=today,
        fix_rate=0.5,
        root_cause=f"{FILL_IN}: what happens, and how to tell its variants apart.",
        signatures=_propose(line.text),
        workarounds=(
            Workaround(
                id="fill-in",
                do=f"{FILL_IN}: one step, as an order; give it an id of its own.",
                success_rate=0.5,
            ),
        ),
        samples=Samples(
            match=(MatchSample(text=_sample(cleaned.lines, line)),),
            no_match=tuple(_near_misses(neighbours, kb)),
        ),
    )
    return Draft(entry, line.number, neighbours, next(iter(known), None))


def _choose(lines: Sequence[Line]) -> Line:
    scored = [(_weigh(line), -place, line) for place, line in enumerate(lines)]
    best = max(scored, key=lambda each: each[:2], default=None)
    if best is None or best[0] <= 0:
        raise DraftError("no line of it looks like an error; give the traceback or the WARN lines")
    return best[2]


def _weigh(line: Line) -> int:
    text = line.text
    if _FRAME.match(text) or len(squeeze(text)) < _SHORTEST_PIECE:
        return 0
    level = _LEVEL.search(text) or _LEVEL.search(line.prefix)
    return 3 * bool(_ERROR.search(text)) + 2 * bool(_CUE.search(text)) + bool(level)


def _propose(line: str) -> tuple[Signature, ...]:
    """Yield the stable pieces of `line`: the longest as it is, or several with gaps between them."""
    pieces = [piece for piece in _pieces(line) if len(squeeze(piece)) >= _SHORTEST_PIECE]
    longest = max(pieces, key=len, default=line.strip())
    share = len(longest) / max(1, sum(map(len, pieces)))
    if share >= _MOST_OF_IT or len(pieces) < 2:
        return (Signature(text=longest[:_LONGEST_SIGNATURE].strip()),)
    regex = ".{0,80}".join(re.escape(piece).replace(r"\ ", " ") for piece in pieces)
    return (Signature(text=longest),) if find_faults(regex) else (Signature(regex=regex),)


def _pieces(line: str) -> Iterator[str]:
    masked = mask(redact(line))
    for block in SequenceMatcher(None, line, masked, autojunk=False).get_matching_blocks():
        yield re.sub(r"^\W+(?=\w)|[\s(\[{<:=,.#-]+$", "", line[block.a : block.a + block.size])


def _sample(lines: Sequence[Line], deciding: Line) -> str:
    """Take the lines round the deciding one, without prefixes, secrets, hosts and users."""
    place = lines.index(deciding)
    kept = lines[max(0, place - _CONTEXT) : place + _CONTEXT]
    text = "\n".join(line.text for line in kept)
    if len(text) > _LONGEST_SAMPLE:
        text = deciding.text[:_LONGEST_SAMPLE]
    return Pseudonyms(b"draft").apply(redact(text))


def _near_misses(neighbours: Sequence[str], kb: KnowledgeBase) -> Iterator[NoMatchSample]:
    for identity in neighbours[:1]:
        for sample in kb.entries[identity].samples.match[:1]:
            yield NoMatchSample(text=sample.text, answers=identity, source=sample.source)
