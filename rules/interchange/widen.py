"""A literal signature -> a wider one, in which the values that a message names may be others."""

from __future__ import annotations

import re

from rules.pattern import squeeze
from rules.regex import find_faults

_LEAST = 14
"""Letters that the fixed words must have together."""
_CODE = re.compile(r"^[A-Z]{1,8}\d{2,6}: ")
_DETAIL = re.compile(r"\s*\([^()]{12,}\)\.?$")
_VALUE = re.compile(
    r"'[^']{1,80}'|\"[^\"]{1,80}\"|`[^`]{1,80}`|<[^<>]{1,40}>|\{[^{}]{1,40}\}|\[[^\[\]]{1,40}\]"
    r"|(?: of)? ?(?<![\w.])(?:0x[0-9a-f]+|\d[\d.,:]*)(?![\w]) ?(?:bytes|[KMGT]i?B|ms|seconds|s)?\b"
    r"|(?<!\S)(?:/[\w.-]+){2,}|\.\.\."
)


def widen(signature: str) -> str | None:
    """Make an expression of the fixed words of `signature`; none where there is nothing to widen."""
    bare = _DETAIL.sub("", _CODE.sub("", signature))
    parts = [part.strip() for part in _VALUE.split(bare)]
    fixed = [part for part in parts if len(squeeze(part)) >= 3]
    if bare == signature and len(parts) < 2:
        return None
    if sum(len(squeeze(part)) for part in fixed) < _LEAST:
        return None
    regex = ".{0,80}".join(re.escape(part).replace(r"\ ", " ") for part in fixed)
    return None if find_faults(regex) else regex
