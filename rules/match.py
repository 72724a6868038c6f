"""Cleaned post + index -> findings: which entries the text shows, where and how."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.conditions import holds
from rules.entry import Role
from rules.seeds import is_slip
from rules.squeezed import views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rules.entry import SignatureKind
    from rules.index import Hit, Index, Rule
    from rules.model import CleanText, Line
    from rules.seeds import Resemblance
    from rules.squeezed import Squeezed

_LONGEST_LINE = 4_000
"""Characters of a line that a regular expression sees, on each side of its literal."""
_WRAPPED_LINES = 4
"""A message may run on over this many further lines."""
_WHOLE_WORD_BELOW = 18
"""A literal shorter than this must not start or end inside a word."""
_LEAST_TORN = 24
"""A shorter text that only resembles must stand in one line: the end of one line and the beginning
of the next look like many things."""
_MOST_LETTERS = 8
"""Letters beside a resemblance that are looked at: more make another word in any case."""
_UNHARMED = 0.999
_MOST_ATTEMPTS = 200
"""Places in one post at which a signature is tried: 512 ranks say nothing that 200 did not."""
_DIGIT = frozenset(b"0123456789")
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")


@dataclass(slots=True)
class Match:
    """A rule that fired, with every line on which it did."""

    rule: Rule
    how: SignatureKind
    score: float
    captures: Mapping[str, str]
    lines: list[Line] = field(default_factory=list)
    wrapped: bool = False
    """Only over a line break: the text was wrapped or torn."""
    wording: str = ""
    """The part of the first line that is the error itself."""


@dataclass(frozen=True, slots=True)
class Matches:
    """All that the matcher found in a post."""

    fired: tuple[Match, ...]
    gated: tuple[tuple[Match, str], ...]
    """Matches that a gate turned down, with the gate."""


def match(clean: CleanText, index: Index, *, fuzzy: bool = True) -> Matches:
    """Find every signature in `clean`; with `fuzzy` also those that it only resembles."""
    found: dict[int, Match] = {}
    seen: set[int] = set()
    all_views = views(clean)
    for view in all_views:
        hits = index.scan(view.data)
        seen.update(hit.literal for hit in hits)
        attempts: Counter[int] = Counter()
        for hit in hits:
            for rule in index.rules_of.get(hit.literal, ()):
                attempts[rule.number] += 1
                if attempts[rule.number] == 1 and not index.plausible(rule, view.data):
                    attempts[rule.number] = _MOST_ATTEMPTS
                if attempts[rule.number] < _MOST_ATTEMPTS:
                    _collect(found, _verify(rule, hit, view, index))
    if fuzzy and not _certain(found, index, seen):
        _resemble(found, all_views[0], index, seen)
    fired, gated = [], []
    for match_ in found.values():
        gate = _gate(match_.rule, index, seen)
        if gate:
            gated.append((match_, gate))
        else:
            fired.append(match_)
    return Matches(tuple(fired), tuple(gated))


def _certain(found: dict[int, Match], index: Index, seen: set[int]) -> bool:
    """Whether a root cause stands there word for word: then nothing needs to be guessed."""
    return any(
        match_.rule.entry.role is Role.ROOT
        and not match_.rule.entry.only_if_alone
        and _gate(match_.rule, index, seen) is None
        for match_ in found.values()
    )


def _collect(found: dict[int, Match], match_: Match | None) -> None:
    if match_ is None:
        return
    known = found.get(match_.rule.number)
    if known is None:
        found[match_.rule.number] = match_
        return
    if known.wrapped and not match_.wrapped:
        match_.lines = [*match_.lines, *(line for line in known.lines if line not in match_.lines)]
        found[match_.rule.number] = match_
        return
    line = match_.lines[0]
    if len(known.lines) < 1_000 and line.number not in {
        other.number for other in known.lines[-16:]
    }:
        known.lines.append(line)


def _verify(rule: Rule, hit: Hit, view: Squeezed, index: Index) -> Match | None:
    first, last = view.line_at(hit.start), view.line_at(hit.end - 1)
    if rule.signature.text is not None:
        if not _bounded(hit, view) or last - first > _WRAPPED_LINES:
            return None
        if last > first and hit.end - hit.start < _WHOLE_WORD_BELOW:
            return None
        match_ = Match(rule, "text", 1.0, {}, [view.lines[first]], wrapped=last > first)
        match_.wording = rule.signature.text
        return match_
    return _search(rule, hit, view, index)


def _bounded(hit: Hit, view: Squeezed) -> bool:
    data, start, end = view.data, hit.start, hit.end
    short = end - start < _WHOLE_WORD_BELOW
    for edge in (start, end):
        if not 0 < edge < len(data):
            continue
        before, after = data[edge - 1], data[edge]
        digits = before in _DIGIT and after in _DIGIT
        words = short and before in _WORD and after in _WORD
        if (digits or words) and view.inside_word(edge):
            return False
    return True


def _search(rule: Rule, hit: Hit, view: Squeezed, index: Index) -> Match | None:
    first, last = view.line_at(hit.start), view.line_at(hit.end - 1)
    low, high = _around(first, last, view)
    if not index.plausible(rule, view.data[low:high]):
        return None
    expression = index.expression(rule)
    for text, own, wrapped in _windows(first, last, hit, view):
        for found in expression.finditer(text):
            if found.end() <= own.start or found.start() >= own.stop:
                continue  # it stands on its neighbours alone: their own hits tell of it
            captures = {k: v.strip() for k, v in found.groupdict().items() if v is not None}
            if holds(rule.signature.when, captures):
                match_ = Match(rule, "regex", 1.0, captures, [view.lines[first]], wrapped=wrapped)
                match_.wording = found[0]
                return match_
    return None


def _around(first: int, last: int, view: Squeezed) -> tuple[int, int]:
    """Squeezed offsets of the lines that a match may take part of."""
    low = view.starts[max(0, first - _WRAPPED_LINES)]
    after = last + 1 + _WRAPPED_LINES
    high = view.starts[after] if after < len(view.starts) else len(view.data)
    return low, high


def _windows(first: int, last: int, hit: Hit, view: Squeezed) -> Iterator[tuple[str, range, bool]]:
    """Give the literal's line, then what it may have been wrapped into; and its own place there."""
    if first == last:
        line = view.lines[first].text
        if len(line) > 2 * _LONGEST_LINE:
            middle = (
                (hit.start - view.starts[first])
                * len(line)
                // max(1, len(view.data[view.starts[first] :][: len(line)]))
            )
            line = line[max(0, middle - _LONGEST_LINE) : middle + _LONGEST_LINE]
        yield line, range(len(line)), False
    low, high = max(0, first - _WRAPPED_LINES), last + 1 + _WRAPPED_LINES
    before = "".join(line.text[-_LONGEST_LINE:] for line in view.lines[low:first])
    parts = [line.text[:_LONGEST_LINE] for line in view.lines[first:high]]
    own = range(len(before), len(before) + sum(map(len, parts[: last + 1 - first])))
    if before or len(parts) > 1:
        yield before + "".join(parts), own, True


def _resemble(found: dict[int, Match], view: Squeezed, index: Index, seen: set[int]) -> None:
    open_ = [m for m in found.values() if _gate(m.rule, index, seen) is None]
    known = {match_.rule.entry.id for match_ in open_}
    told = {line.number for match_ in found.values() for line in match_.lines}
    for resemblance in index.seeds.resembling(view.data):
        rule = index.rules[resemblance.rule]
        first = view.line_at(resemblance.start)
        # A line that one signature fits word for word resembles its siblings too.
        if rule.entry.id in known or rule.signature.when or view.lines[first].number in told:
            continue
        # All literals are there unharmed: the expression refused the text for another reason.
        if rule.signature.regex is not None and resemblance.score > _UNHARMED:
            continue
        if not _stands_free(resemblance, view):
            continue
        wrapped = view.line_at(resemblance.end - 1) > first
        if wrapped and resemblance.end - resemblance.start < _LEAST_TORN:
            continue
        match_ = Match(rule, "fuzzy", resemblance.score, {}, [view.lines[first]], wrapped=wrapped)
        match_.wording = view.text_at(*resemblance.reach)
        found.setdefault(rule.number, match_)


def _stands_free(found: Resemblance, view: Squeezed) -> bool:
    """Whether the words round `found` are not parts of longer ones, and stand apart.

    `TUNER/Plugin` holds a slip of `NET/Plugin`; a label, a file's name or a constant may be made of
    an error's words.
    """
    apart = view.count_breaks(found.start, found.end)
    if 3 * apart < 2 * found.breaks:
        return False
    (first, at_first), (last, at_last) = found.first, found.last
    before = view.letters_before(found.start, _MOST_LETTERS)
    after = view.letters_after(found.end, _MOST_LETTERS)
    return (not first or is_slip(first, before + at_first)) and (
        not last or is_slip(last, at_last + after)
    )


def _gate(rule: Rule, index: Index, seen: set[int]) -> str | None:
    """Name the gate that turns `rule` down; none where it may fire."""
    near = index.near.get(rule.number)
    if near and seen.isdisjoint(near):
        return f"none of {list(rule.signature.near)} stands near it"
    shut = _first(index.gates.get(rule.entry.id, ()), seen)
    if shut is not None:
        return f"{index.literals[shut].decode(errors='replace')!r} shows something else"
    return None


def _first(numbers: Iterable[int], seen: set[int]) -> int | None:
    return next((number for number in numbers if number in seen), None)
