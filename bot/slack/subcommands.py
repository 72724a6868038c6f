"""What is typed after `/nccl`: a subcommand where the whole line is one, else an error. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.slack.rates import read_query

_ENTRY = r"`?(?P<argument>[a-z0-9-]+/[a-z0-9-]+)`?"
_HELP = re.compile(r"help|\?|")
_BARE = re.compile(r"(?P<name>stats|settings|search|show|snooze)")
_SHOW = re.compile(rf"(?P<name>show)\s+{_ENTRY}")
# A text with other signs than these is more likely an error that begins with the word.
_SEARCH = re.compile(r"(?P<name>search)(?P<argument>(?: +[\w.+/-]{1,40}){1,8})")
_SNOOZE = re.compile(
    rf"snooze\s+(?:all|{_ENTRY})\s+(?:off|(?P<count>\d{{1,3}})\s?(?P<unit>[mhdw])(?:in|r|rs|ours?|ays?|eeks?)?)"
)
_HALF_TYPED = re.compile(
    r"(?P<name>show|search|snooze|rates|stats|settings|help)[ \t]+(?P<argument>[^\r\n]{1,120})"
)
_SECONDS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand with what it is about; nothing but its name asks how it is used."""

    name: str
    argument: str = ""
    """An entry, or words; empty with `snooze` for all entries."""
    seconds: float | None = None
    """How long to snooze; 0 ends it."""


def read_command(text: str) -> Command | None:
    """Read the subcommand that the whole line is; none where it is an error to diagnose."""
    line = text.strip()
    lower = line.lower()
    if _HELP.fullmatch(lower):
        return Command("help")
    if (query := read_query(line)) is not None:
        return Command("rates", query)
    if found := _BARE.fullmatch(lower):
        return Command(found["name"])
    if found := _SHOW.fullmatch(lower) or _SEARCH.fullmatch(lower):
        return Command(found["name"], found["argument"].strip())
    if found := _SNOOZE.fullmatch(lower):
        seconds = float(found["count"]) * _SECONDS[found["unit"]] if found["count"] else 0.0
        return Command("snooze", found["argument"] or "", seconds)
    return None


def read_half_typed(text: str) -> Command | None:
    """Read which subcommand a line that is none begins with, and what follows that word."""
    found = _HALF_TYPED.fullmatch(text.strip().lower())
    return Command(found["name"], found["argument"].strip()) if found else None
