"""What is wrong with a signature's regular expression, in words that say how to mend it."""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as c  # type: ignore[attr-defined]  # no public parser exists
from typing import TYPE_CHECKING, Any

import re2

from rules.entry import LONGEST_PHRASE
from rules.pattern import PatternError, anchor_runs, loosen, parse, runs

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20
"""Bytes of a compiled program: an eighth of what RE2 grants, so that a thousand fit in memory."""
_SHARED = {c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN, c.AT}
_SHARED_PLACES = {c.AT_BEGINNING, c.AT_END, c.AT_BOUNDARY, c.AT_NON_BOUNDARY}
_OPEN_CLASSES = {c.CATEGORY_NOT_SPACE, c.CATEGORY_NOT_DIGIT, c.CATEGORY_NOT_WORD}


def find_faults(regex: str) -> list[str]:
    """All that keeps `regex` from running in linear time and bounded memory; none if it may run."""
    try:
        anchor_runs(regex)
    except PatternError as error:
        return [str(error)]
    faults = [f"{part} has no bound; write {{0,80}} or so" for part in _unbounded(parse(regex))]
    try:
        compile_once(regex)
    except re2.error as error:
        faults.append(f"RE2 refuses it: {_say(error)}")
    longest = max((len(run.text) for way in runs(regex) for run in way), default=0)
    if longest > LONGEST_PHRASE:
        faults.append(f"{longest} characters stand in a row; {LONGEST_PHRASE} are enough")
    return faults or list(_foreign(parse(regex)))


@lru_cache(maxsize=4096)
def compile_once(regex: str) -> Any:
    """Compile as the engine does; raises re2.error where it is refused or too large."""
    return re2.compile(loosen(regex), _OPTIONS)


def lone_periods(regex: str) -> int:
    """How many `.` stand for one character of any kind: mostly a full stop left unescaped."""
    try:
        return _count_periods(parse(regex))
    except re.error:
        return 0


def captures(regex: str) -> frozenset[str]:
    """Names of its groups; none where it does not parse."""
    try:
        return frozenset(parse(regex).state.groupdict)
    except re.error:
        return frozenset()


def _say(error: Exception) -> str:
    text = error.args[0] if error.args else error
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _foreign(tree: Any) -> Iterator[str]:
    """Tell what Hyperscan does not know, or reads in another way."""
    for op, argument in tree:
        if op in (c.MAX_REPEAT, c.MIN_REPEAT):
            yield from _foreign(argument[2])
        elif op is c.SUBPATTERN:
            yield from _foreign(argument[3])
        elif op is c.BRANCH:
            for branch in argument[1]:
                yield from _foreign(branch)
        elif op not in _SHARED or (op is c.AT and argument not in _SHARED_PLACES):
            yield f"Hyperscan has no {str(op).lower().replace('_', ' ')}"


def _unbounded(tree: Any) -> Iterator[str]:
    """Repeats that can run over a whole line; a run of digits or word characters ends by itself."""
    for op, argument in tree:
        if op in (c.MAX_REPEAT, c.MIN_REPEAT):
            low, high, inner = argument
            if high is c.MAXREPEAT and any(map(_is_open, inner)):
                yield "`.+`" if low else "`.*`"
            elif high is c.MAXREPEAT and inner[0][0] in (c.SUBPATTERN, c.MAX_REPEAT, c.MIN_REPEAT):
                yield "a repeated group"
            yield from _unbounded(inner)
        elif op is c.SUBPATTERN:
            yield from _unbounded(argument[3])
        elif op is c.BRANCH:
            for branch in argument[1]:
                yield from _unbounded(branch)


def _is_open(item: Any) -> bool:
    op, argument = item
    if op is c.IN:
        return argument[0][0] is c.NEGATE or any(a in _OPEN_CLASSES for _, a in argument)
    return op in (c.ANY, c.NOT_LITERAL)


def _count_periods(tree: Any) -> int:
    count = 0
    for op, argument in tree:
        if op is c.ANY:
            count += 1
        elif op is c.SUBPATTERN:
            count += _count_periods(argument[3])
        elif op is c.BRANCH:
            count += sum(map(_count_periods, argument[1]))
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT) and argument[2][0][0] is not c.ANY:
            count += _count_periods(argument[2])
    return count
