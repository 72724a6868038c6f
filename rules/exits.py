"""Exit codes, signals and timeouts as launchers, shells and schedulers print them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.joined import Joined

SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    10: "SIGUSR1",
    11: "SIGSEGV",
    12: "SIGUSR2",
    13: "SIGPIPE",
    15: "SIGTERM",
}
_NAMES = frozenset(SIGNALS.values())
WORDS = {
    "killed": "SIGKILL",
    "segmentation fault": "SIGSEGV",
    "bus error": "SIGBUS",
    "aborted": "SIGABRT",
    "floating point exception": "SIGFPE",
    "terminated": "SIGTERM",
    "illegal instruction": "SIGILL",
    "out of memory": "SIGKILL",
}
_CODE = re.compile(
    r"(?:exit ?code|exit[_ ]status|return ?code|exited with (?:code|status))"
    r"[ \t]{0,8}[:=]?[ \t]{0,12}(?:is )?(-?\d{1,5})(?![\d.:])",
    re.IGNORECASE,
)
_SIGNAL = re.compile(
    r"(SIG[A-Z]{2,4}[12]?)\b|(?i:signal:? ?(\d{1,2})\b)"
    rf"|(?i:(?:by signal: |tasks? [\d,-]{{1,60}}: )({'|'.join(WORDS)}))"
)
_TIMEOUT = re.compile(
    r"timeout\(ms\)=(?P<ms>\d{1,12})"
    r"|(?:timed out|times out|time-?out|stuck|waiting|Barrier in)(?: waiting| of| timeout)?"
    r"(?:[ \t]{0,2}[=:]?[ \t]{0,2}|[^\d\n(]{0,50}(?:after|for) )"
    r"(?:(?P<h>\d{1,4}):(?P<m>\d\d):(?P<s>\d\d)"
    r"|(?P<value>\d{1,12}(?:\.\d{1,3})?) ?(?P<unit>milliseconds|ms|seconds|secs?|s|minutes|mins?|hours?)\b)"
    r"|\(timeout: (?P<plain>\d{1,9})\)",
    re.IGNORECASE,
)
_UNITS = {"s": 1000, "m": 60_000, "h": 3_600_000}


def signal_of(code: int) -> str | None:
    """Name the signal behind an exit code: negative from Python, 128 + n from a shell."""
    return SIGNALS.get(-code if code < 0 else code - 128)


def read_exit_codes(post: Joined) -> tuple[int, ...]:
    """Exit codes in the order in which they are first printed."""
    return tuple(dict.fromkeys(int(match[1]) for match in post.read("exit", _CODE)))


def read_signals(post: Joined, codes: tuple[int, ...]) -> tuple[str, ...]:
    """Signals that are named, numbered or behind an exit code, without repeats."""
    found = [name for code in codes if (name := signal_of(code))]
    for match in post.read("signal", _SIGNAL):
        name, number, word = match.groups()
        if name in _NAMES:
            found.append(name)
        elif number and int(number) in SIGNALS:
            found.append(SIGNALS[int(number)])
        elif word:
            found.append(WORDS[word.lower()])
    return tuple(dict.fromkeys(found))


def read_timeout_ms(post: Joined) -> int | None:
    """Read the first timeout that ran out, in milliseconds."""
    match = post.read_first("timeout", _TIMEOUT)
    if match is None:
        return None
    if match["ms"]:
        return int(match["ms"])
    if match["plain"]:
        return int(match["plain"]) * 1000
    if match["h"]:
        return (int(match["h"]) * 3600 + int(match["m"]) * 60 + int(match["s"])) * 1000
    unit = match["unit"].lower()
    factor = 1 if unit in ("ms", "milliseconds") else _UNITS[unit[0]]
    return round(float(match["value"]) * factor)
