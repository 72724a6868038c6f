"""A foreign regular expression -> one that runs in linear time, or a reason why not."""

from __future__ import annotations

import re

from rules.interchange.result import FormError
from rules.regex import find_faults

_MOST = 100
"""Characters that a gap without a bound becomes."""
_TOKEN = re.compile(
    r"(?P<escaped>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<gap>\.)(?P<times>[*+]\??|\?|\{[^}]*\})?"
    r"|(?P<flags>\(\?[imsx]+\))",
    re.DOTALL,
)
_TIMES = re.compile(r"[*+]\??")


def bound(regex: str) -> str:
    """Put bounds on what may run over a whole line.

    Raises FormError where it cannot be bounded or nothing in it can be looked up.
    """
    bounded = _bound_sets(_TOKEN.sub(_replace, regex))
    faults = find_faults(bounded)
    if faults:
        raise FormError(f"the regex {regex!r} cannot be used: {faults[0]}")
    return bounded


def _replace(match: re.Match[str]) -> str:
    if match["flags"]:
        return ""
    if not match["gap"]:
        return match[0]
    times = match["times"] or ""
    if times.startswith("*"):
        return f".{{0,{_MOST}}}"
    if times.startswith("+"):
        return f".{{1,{_MOST}}}"
    # A lone period stays what it was: any one character.
    return f".{times}" if times else ".{1}"


def _bound_sets(regex: str) -> str:
    out: list[str] = []
    last = ""
    for part in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+]\??|.", regex, re.DOTALL):
        open_ended = last.startswith("[^") or last in (r"\S", r"\D", r"\W", ")")
        if open_ended and _TIMES.fullmatch(part):
            # A repeated group is costlier than a class: a few times are enough.
            most = 8 if last == ")" else _MOST
            out.append(f"{{{0 if part[0] == '*' else 1},{most}}}")
        else:
            out.append(part)
        last = part
    return "".join(out)
