"""Version gates: whether the versions that a post states rule a step out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Release = tuple[int, ...]

_RELEASE = re.compile(r"[vV]?(\d{1,9}(?:\.\d{1,9}){0,7})")
_CLAUSE = re.compile(r"(?![~<>].*\*)(~=|==|!=|<=|>=|<|>)\s*[vV]?(\d{1,9}(?:\.\d{1,9}){0,7})(\.\*)?")


def admits(gate: Mapping[str, str], versions: Mapping[str, str]) -> bool:
    """Tell whether no stated version is surely outside its range; what is not stated passes."""
    return all(
        contains(span, versions[name]) is not False
        for name, span in gate.items()
        if name in versions
    )


@lru_cache(maxsize=4096)
def contains(span: str, version: str) -> bool | None:
    """Tell whether a version may lie in a range such as ">=2.1,<2.4"; None if one is unreadable.

    The operators are those of PEP 440, on release numbers alone: vendors ship 2.4.0a0+nv24.07 for
    2.4 and 5.15.0-1034-aws for 5.15.0. A version that leaves digits out may be any with those it
    has: 2.27 may be 2.27.3, so ">=2.27.3" lets it pass.
    """
    stated = _RELEASE.match(version.strip())
    clauses = [_CLAUSE.fullmatch(clause.strip()) for clause in span.split(",")]
    if stated is None or not all(clauses):
        return None
    release = _split(stated[1])
    return all(
        _allows(clause[1], _split(clause[2]), release, any_patch=bool(clause[3]))
        for clause in clauses
        if clause
    )


def _allows(sign: str, bound: Release, release: Release, *, any_patch: bool) -> bool:
    if any_patch:
        same = _starts(release, bound)
        return same if sign == "==" else not (same and len(release) >= len(bound))
    return _ALLOWS[sign](release, bound)


def _reaches(release: Release, bound: Release) -> bool:
    shared = bound[: len(release)]
    return _pad(release) >= _pad(shared)


def _may_equal(release: Release, bound: Release) -> bool:
    if len(release) < len(bound):
        return _starts(release, bound)
    return _pad(release) == _pad(bound)


def _surely_equal(release: Release, bound: Release) -> bool:
    return len(release) >= len(bound) and _pad(release) == _pad(bound)


def _starts(release: Release, prefix: Release) -> bool:
    length = min(len(release), len(prefix))
    return release[:length] == prefix[:length]


def _pad(release: Release) -> Release:
    return release + (0,) * (8 - len(release))


def _split(text: str) -> Release:
    return tuple(int(part) for part in text.split("."))


_ALLOWS: dict[str, Callable[[Release, Release], bool]] = {
    "==": _may_equal,
    "!=": lambda release, bound: not _surely_equal(release, bound),
    ">=": _reaches,
    ">": lambda release, bound: _reaches(release, bound) and not _surely_equal(release, bound),
    "<": lambda release, bound: _pad(release) < _pad(bound),
    "<=": lambda release, bound: _pad(release) <= _pad(bound),
    "~=": lambda release, bound: _reaches(release, bound) and _starts(release, bound[:-1]),
}
