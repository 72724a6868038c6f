"""Version gates: whether the versions that a post states rule a step out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

if TYPE_CHECKING:
    from collections.abc import Mapping

RELEASE = re.compile(r"[vV]?(\d+(?:\.\d+)*)")


def admits(gate: Mapping[str, str], versions: Mapping[str, str]) -> bool:
    """Tell whether no stated version lies outside its range; what the post does not state passes."""
    return all(
        contains(span, versions[name]) is not False
        for name, span in gate.items()
        if name in versions
    )


@lru_cache(maxsize=4096)
def contains(span: str, version: str) -> bool | None:
    """Tell whether a version lies in a range such as ">=2.1,<2.4"; None where either is unreadable.

    Only the release numbers count: vendors ship 2.4.0a0+nv24.07 for 2.4 and 5.15.0-1034-aws for
    5.15.0, and a gate drops a step only where it is surely outside.
    """
    release = RELEASE.match(version.strip())
    if release is None:
        return None
    try:
        return SpecifierSet(span).contains(release[1], prereleases=True)
    except InvalidSpecifier:
        return None
