"""Exit codes, signals and timeouts as launchers, shells and schedulers print them."""

from __future__ import annotations

import re

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
_WORDS = {
    "killed": "SIGKILL",
    "segmentation fault": "SIGSEGV",
    "bus error": "SIGBUS",
    "aborted": "SIGABRT",
    "floating point exception": "SIGFPE",
    "terminated": "SIGTERM",
    "illegal instruction": "SIGILL",
}
_CODE = re.compile(
    r"(?:exit ?code|exit[_ ]status|return ?code|returncode|exited with (?:code|status))"
    r"[ \t]{0,8}[:=]?[ \t]{0,3}(?:is )?(-?\d{1,5})(?![\d.:])"
    r"|exitcode[ \t]{0,8}:[ \t]{0,3}(-?\d{1,5})",
    re.IGNORECASE,
)
_SIGNAL_NUMBER = re.compile(r"\b(?:got |on |with |Signal )?signal:? ?(\d{1,2})\b", re.IGNORECASE)
_SIGNAL_NAME = re.compile(r"\bSIG[A-Z]{2,4}[12]?\b")
_SIGNAL_WORD = re.compile(
    r"(?:by signal: |task \d{1,6}: |tasks [\d,-]{1,60}: |signal \d{1,2} \()(" + "|".join(_WORDS) + ")",
    re.IGNORECASE,
)
_TIMEOUT = re.compile(
    r"timeout\(ms\)=(?P<ms>\d{1,12})"
    r"|(?:timed out|time-?out|timeout|stuck|waiting|wait|in|out)(?: out| of)?"
    r"[ \t]{0,2}(?:[=:]|after|for|waiting|in)?[ \t]{0,2}"
    r"(?:(?P<h>\d{1,4}):(?P<m>\d\d):(?P<s>\d\d)"
    r"|(?P<value>\d{1,12}(?:\.\d{1,3})?) ?(?P<unit>milliseconds|ms|seconds|secs?|s|minutes|mins?|hours?)\b)"
    r"|\(timeout: (?P<plain>\d{1,9})\)",
    re.IGNORECASE,
)
_UNITS = {"s": 1000, "m": 60_000, "h": 3_600_000}


def signal_of(code: int) -> str | None:
    """The signal behind an exit code: negative from Python, 128 + n from a shell."""
    return SIGNALS.get(-code if code < 0 else code - 128)


def read_exit_codes(text: str, lowered: str) -> tuple[int, ...]:
    """Exit codes in the order in which they are first printed."""
    if "code" not in lowered and "status" not in lowered:
        return ()
    return tuple(dict.fromkeys(int(a or b) for a, b in _CODE.findall(text)))


def read_signals(text: str, lowered: str, codes: tuple[int, ...]) -> tuple[str, ...]:
    """Signals that are named, numbered or behind an exit code, without repeats."""
    found = [name for code in codes if (name := signal_of(code))]
    if "SIG" in text:
        found += [name for name in _SIGNAL_NAME.findall(text) if name in _NAMES]
    if "signal" in lowered:
        numbers = map(int, _SIGNAL_NUMBER.findall(text))
        found += [SIGNALS[number] for number in numbers if number in SIGNALS]
    if "signal" in lowered or "task" in lowered:
        found += [_WORDS[word.lower()] for word in _SIGNAL_WORD.findall(text)]
    return tuple(dict.fromkeys(found))


def read_timeout_ms(text: str, lowered: str) -> int | None:
    """The first timeout that ran out, in milliseconds."""
    if "time" not in lowered and "stuck" not in lowered and "waiting" not in lowered:
        return None
    match = _TIMEOUT.search(text)
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
