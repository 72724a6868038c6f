"""What can be told from a signature's regular expression without running it.

Signatures are written in the syntax that RE2 and Python share, without look-around, so the
standard library's parser reads them; only RE2 ever runs them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as c, _parser  # type: ignore[attr-defined]  # no public parser exists
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPACE_LITERALS = frozenset(map(ord, " \t\n"))
_MOST_ALTERNATIVES = 16
_SHORTEST_ANCHOR = 3
_SHARE_COST = 6
"""Characters that a run must be longer for each further signature that shares it."""
_WIDEST = 400
"""Characters that a gap without a bound is taken for."""


class PatternError(ValueError):
    """The expression cannot be used; the message says how to mend it."""


def squeeze(text: str) -> bytes:
    """Lower-case UTF-8 without white space: the form in which signatures are compared."""
    return b"".join(text.encode("utf-8", "replace").lower().split())


def loosen(regex: str) -> str:
    """Let each space of `regex` stand for any white space, or none, where a line was wrapped."""
    out: list[str] = []
    in_class = escaped = False
    for char in regex:
        if escaped:
            # `\s+` must match nothing too where a wrap took the space.
            out.append(r"\s" if char == "s" else "\\" + char)
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == " " and not in_class:
            out.append(r"\s*")
        elif char == "+" and out and out[-1] == r"\s" and not in_class:
            out.append("*")
        elif char == "{" and out and out[-1] == r"\s*" and not in_class:
            out[-1:] = [r"(?:\s*)", char]
        elif char in "?*+" and out and out[-1] == r"\s*" and not in_class:
            # The space may be missing anyway; a lazy one would end the match too early.
            continue
        else:
            in_class = (in_class or char == "[") and char != "]"
            out.append(char)
    return "(?i)" + "".join(out)


class Run(NamedTuple):
    """A literal piece of an expression; `gap` characters may lie before it at the most."""

    text: str
    gap: int = 0
    squeezed: bytes = b""
    """Set once the run is settled."""


@lru_cache(maxsize=1 << 16)
def runs(regex: str) -> tuple[tuple[Run, ...], ...]:
    """Literal runs of each way through `regex`, in order; white space in them is one space.

    Raises PatternError where the expression does not parse.
    """
    try:
        tree = parse(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"does not parse: {error}") from error
    return tuple(_settle(way) for way in _walk(tree))


@lru_cache(maxsize=256)
def parse(regex: str) -> Any:
    """Read `regex` as the standard library does; raises re.error where it does not parse."""
    return _parser.parse(regex, re.IGNORECASE)


def _settle(way: Sequence[Run]) -> tuple[Run, ...]:
    """Drop empty runs; their gaps go to the next."""
    settled, gap = [], 0
    for run in way:
        gap += run.gap
        if squeezed := squeeze(run.text):
            settled.append(Run(run.text, gap, squeezed))
            gap = 0
    return tuple(settled)


def anchor_runs(regex: str, sharing: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Choose runs of which at least one occurs in whatever `regex` matches, one for each way through it.

    A long one is taken, and one that few signatures share where `sharing` counts them.
    Raises PatternError where some way has no literal run of three characters.
    """
    chosen: list[str] = []
    for way in runs(regex):
        usable = [run for run in way if len(run.squeezed) >= _SHORTEST_ANCHOR]
        if not usable:
            raise PatternError("each alternative needs a literal run of at least 3 characters")
        shared = sharing or {}
        costs = [_SHARE_COST * shared.get(run.text, 0) - len(run.squeezed) for run in usable]
        chosen.append(usable[costs.index(min(costs))].text)
    return tuple(dict.fromkeys(chosen))


_Way = list[Run]
"""Runs in order; the last is open: what follows grows it."""


def _walk(tree: Any) -> list[_Way]:
    ways: list[_Way] = [[Run("")]]
    text: list[str] = []
    for op, argument in tree:
        if op is c.LITERAL:
            text.append(chr(argument))
            continue
        if text:
            _grow(ways, "".join(text))
            text.clear()
        if op is c.SUBPATTERN:
            ways = _join(ways, _walk(argument[3]))
        elif op is c.BRANCH:
            ways = _join(ways, [way for branch in argument[1] for way in _walk(branch)])
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            ways = _repeat(ways, argument)
        elif op is c.IN and _is_space(argument):
            _grow(ways, " ")
        elif op is not c.AT:
            _close(ways, 1)
    _grow(ways, "".join(text))
    return ways


def _repeat(ways: list[_Way], argument: Any) -> list[_Way]:
    low, high, inner = argument
    if all(op is c.LITERAL and a in _SPACE_LITERALS for op, a in inner) or (
        len(inner) == 1 and inner[0][0] is c.IN and _is_space(inner[0][1])
    ):
        _grow(ways, " ")
        return ways
    once = min(_WIDEST, inner.getwidth()[1])
    if low == 0:
        _close(ways, min(_WIDEST, once * high))
        return ways
    ways = _join(ways, _walk(inner))
    if high != 1:
        _close(ways, min(_WIDEST, once * (high - 1)))
    return ways


def _join(left: list[_Way], right: list[_Way]) -> list[_Way]:
    if len(left) * len(right) > _MOST_ALTERNATIVES:
        # Too many ways to follow: what is common to all of them still holds.
        _close(left, _WIDEST)
        return left
    return [
        [*a[:-1], Run(a[-1].text + b[0].text, a[-1].gap + b[0].gap), *b[1:]]
        for a in left
        for b in right
    ]


def _grow(ways: list[_Way], text: str) -> None:
    for way in ways:
        way[-1] = Run(way[-1].text + text, way[-1].gap)


def _close(ways: list[_Way], gap: int) -> None:
    for way in ways:
        way.append(Run("", gap))


def _is_space(items: Any) -> bool:
    return len(items) == 1 and items[0] == (c.CATEGORY, c.CATEGORY_SPACE)
