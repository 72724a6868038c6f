"""Steps that can hurt others without saying so, and what must not be published."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.entry import Risk
from rules.lint.check import Check, Fault, Library
from rules.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.entry import Entry, Workaround
    from rules.source import Location


@dataclass(frozen=True, slots=True)
class Hazard:
    """A command that can hurt, and the words that would say so."""

    what: str
    command: re.Pattern[str]
    said: re.Pattern[str]
    """In the step's words, or `risk` is set."""


def _hazard(what: str, command: str, said: str) -> Hazard:
    return Hazard(what, re.compile(command, re.IGNORECASE), re.compile(said, re.IGNORECASE))


_NEVER = r"(?!)"
HAZARDS = (
    _hazard(
        "makes a file system or overwrites a disk",
        r"\bmkfs\b|\bdd\b.*\bof=/dev/(?!null\b)|\bwipefs\b",
        _NEVER,
    ),
    _hazard(
        "restarts the machine",
        r"(?:^|[;&|]|sudo )\s*(?:reboot|shutdown|poweroff|init 6)\b|power (?:cycle|reset)\b|systemctl reboot",
        _NEVER,
    ),
    _hazard("resets a GPU", r"nvidia-smi\b.*(?:--gpu-reset|\s-r\b)", _NEVER),
    _hazard("unloads a driver", r"\brmmod\b|\bmodprobe\s+-r\b", _NEVER),
    _hazard(
        "deletes what others may use",
        r"kubectl\s+delete\s+(?:node|pvc?|namespace|ns|daemonset|ds)\b|helm\s+(?:uninstall|delete)\b|docker\s+(?:system|volume)\s+prune",
        _NEVER,
    ),
    _hazard(
        "drains or takes out a node",
        r"kubectl\s+(?:drain|cordon)\b|scontrol\s+update\b.*\bstate=\s?(?:drain|down)",
        r"\bdrain|\bcordon|out of (?:service|rotation)|take .{0,20}\bout\b|exclud|set .{0,20}aside",
    ),
    _hazard(
        "deletes files",
        r"\brm\s+-\w*[rf]|\bfind\b.*-delete\b|\bgit\s+clean\b",
        r"delet|remov|clear|clean|wipe|empt|prune|free|purge|rebuild|drop|stale|prune",
    ),
    _hazard(
        "ends processes",
        r"\bp?kill(?:all)?\s+(?:-\w+\s+)*\S|\bscancel\b",
        r"\bkill|\bend\b|\bends\b|\bended\b|cancel|stop|terminat|left[- ]?over|stale|orphan",
    ),
    _hazard(
        "restarts a service",
        r"systemctl\s+(?:restart|stop)\b|service\s+\w+\s+(?:restart|stop)\b",
        r"\brestart|\bstop",
    ),
    _hazard("frees shared memory", r"\bipcrm\b", r"remov|delet|clear|clean|free"),
)
_FOREIGN = re.compile(
    r"example|invalid|localhost|your|\.svc\b|cluster\.local|my-?(?:domain|company|org)"
)
"""What is plainly made up."""
_HOST = re.compile(
    r"(?<![\w./@-])(?:[a-z0-9-]{1,40}\.){1,5}(?:internal|intra|local|lan|corp|private)\b(?![\w.(=/-])"
    r"|(?<![\w./@-])(?:[a-z]{2,12}-?)?(?:node|gpu|worker|host|dgx|login|compute|rack)[a-z]{0,8}-?\d{1,5}"
    r"(?:\.[a-z0-9-]{1,40}){1,5}\.[a-z]{2,10}\b"
)
_PUBLIC = frozenset({"8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9"})
"""Resolvers that everybody may ask."""
_TOKEN = re.compile(r"[A-Za-z0-9_+/=.-]{16,}")
_MAIL = re.compile(r"\b[\w.%+-]{1,64}@((?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,12})\b")
_ADDRESS = re.compile(r"(?<![\w.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\w.])")


class HiddenDanger(Check):
    """A step that hurts others without a word of warning."""

    name = "hidden-danger"
    advice = (
        "set `risk:` (restart: a node or service that others use; data-loss), and say in `do` or "
        "`details` what it ends or deletes"
    )

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look for commands that can hurt in each step that claims no risk."""
        for number, step in enumerate(entry.workarounds):
            if step.risk is Risk.NONE:
                for hazard in find_hazards(step):
                    yield (
                        ("workarounds", number),
                        f"the step {step.id} {hazard.what} and risk is none",
                    )


class Secret(Check):
    """A secret or an e-mail address."""

    name = "secret"
    advice = "replace it by a variable such as $TOKEN, or by a name that is plainly made up"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Compare each text with what redaction leaves of it."""
        for place, text in texts(entry.model_dump(mode="json"), ()):
            if has_secret(text):
                yield place, "holds what looks like a secret"
            for mail in _MAIL.finditer(text):
                if not mail[0].startswith("git@") and not _FOREIGN.search(mail[0]):
                    yield place, "holds an e-mail address"


class RealHost(Check):
    """A command with somebody's host or public address in it."""

    name = "real-host"
    advice = "use a variable such as $MASTER_ADDR, node-a, or an address of 10.0.0.0/8"

    def check(self, entry: Entry, library: Library) -> Iterator[Fault]:
        """Look for names and addresses in the commands, outside links."""
        for number, step in enumerate(entry.workarounds):
            run = re.sub(r"\w+://\S+", "", step.run or "")
            hosts = [m[0] for m in _HOST.finditer(run) if not _FOREIGN.search(m[0])]
            hosts += [m[0] for m in _ADDRESS.finditer(run) if not _is_private(m)]
            for host in hosts:
                yield ("workarounds", number, "run"), f"{host} looks like a real host"


def has_secret(text: str) -> bool:
    """Tell a value that redaction hides and that no name or word explains: letters and digits mixed."""
    hidden = redact(text)
    if hidden == text:
        return False
    return "PRIVATE KEY" in text or any(
        sum(map(str.isdigit, token)) >= 3 and any(map(str.isalpha, token))
        for token in _TOKEN.findall(text)
        if token not in hidden
    )


def find_hazards(step: Workaround) -> list[Hazard]:
    """Find what in the step can hurt and is not said in its words."""
    commands = "\n".join(line.partition(" #")[0] for line in (step.run or "").splitlines())
    words = f"{step.do} {step.details or ''}"
    return [h for h in HAZARDS if h.command.search(commands) and not h.said.search(words)]


def texts(value: object, place: Location) -> Iterator[tuple[Location, str]]:
    """Every text in `value` with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*place, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts(item, (*place, number))


def _is_private(match: re.Match[str]) -> bool:
    first, second = int(match[1]), int(match[2])
    documentation = match[0].startswith(("192.0.2.", "198.51.100.", "203.0.113."))
    private = first in (0, 10, 127, 169, 224, 239, 255) or (first, second) == (192, 168)
    return (
        private
        or documentation
        or match[0] in _PUBLIC
        or (first == 172 and 16 <= second < 32)
        or first > 223
    )
