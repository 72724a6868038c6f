"""Hosts, addresses and users behind names that stay the same for one key."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORT = 6
_ALIAS = re.compile(r"(?:host|addr|user)-[0-9a-f]{6}")
_HOST = re.compile(
    r"(?<![\w./-])(?:"
    r"[A-Za-z0-9](?:[\w-]{0,62}\.){1,6}(?:local|internal|lan|corp|cluster|svc|intra|private|ibnet|novalocal)"
    r"(?![\w.-])"
    r"|(?:node|worker|gpu|host|trainer|master|compute|dgx|ip|launcher|machine|server|login|head|nid|cn)"
    r"(?:[-_](?=[\w-]{0,40}\d)[\w-]++|\d[\w-]*+)(?:\.[\w-]++)*+"
    r")"
)
_NAMED_HOST = re.compile(
    r"((?<!\w)host {0,8}: {0,2}|hostname[=:] ?|\bon (?:node|host) |srun: error: |slurmstepd-| ON )"
    r"([A-Za-z0-9][\w.-]*+)"
)
_PID_HOST = re.compile(r"(?<![\w.-])([A-Za-z0-9][\w.-]*+)(?=:\d{1,8}:\d{1,8} \[\d)")
_GROUP = r"[0-9a-fA-F]{1,4}"
_ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]|-\d++(?![\w.]))"
    r"|(?<![\w:.])(?:"
    rf"(?:{_GROUP}:){{7}}{_GROUP}"
    rf"|(?=[0-9a-fA-F:]{{0,39}}\d){_GROUP}(?::{_GROUP}){{0,6}}::(?:{_GROUP}(?::{_GROUP}){{0,6}})?"
    r"|::ffff:(?:\d{1,3}\.){3}\d{1,3})(?![\w:])"
)
_USER = re.compile(
    r"(/(?:home|Users)/|/scratch/|/user/|(?<!\w)(?:user|username|USER|LOGNAME|owner)[=:] ?|(?<![\w.])~)"
    r"([A-Za-z_][\w.-]*+)"
)
_LOOPBACK = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255", "::ffff:127.0.0.1"})  # noqa: S104
_NO_HOST = frozenset({"localhost", "none", "unknown"})


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Hides what a workspace wants hidden: the same host is the same `host-3f2a1c` everywhere.

    Names are cut from HMAC-SHA-256 under `key`, so they cannot be undone without it.
    """

    key: bytes
    hosts: bool = True
    addresses: bool = True
    users: bool = True

    def apply(self, text: str, known_hosts: Iterable[str] = ()) -> str:
        """Replace hosts (also the `known_hosts` of the evidence), addresses and users. Idempotent."""
        if self.users:
            text = _USER.sub(lambda user: user[1] + self._alias("user", user[2]), text)
        if self.hosts:
            text = self._hide_hosts(text, known_hosts)
        if self.addresses:
            text = _ADDRESS.sub(self._hide_address, text)
        return text

    def _hide_hosts(self, text: str, known_hosts: Iterable[str]) -> str:
        known = sorted({host for host in known_hosts if len(host) > 1}, key=len, reverse=True)
        if known:
            names = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, known))})(?![\w-])")
            text = names.sub(lambda host: self._alias("host", host[0]), text)
        text = _NAMED_HOST.sub(lambda host: host[1] + self._alias("host", host[2]), text)
        text = _PID_HOST.sub(lambda host: self._alias("host", host[1]), text)
        return _HOST.sub(lambda host: self._alias("host", host[0]), text)

    def _hide_address(self, match: re.Match[str]) -> str:
        address = match[0]
        return address if address in _LOOPBACK else self._alias("addr", address)

    def _alias(self, kind: str, name: str) -> str:
        if _ALIAS.fullmatch(name) or name.lower() in _NO_HOST:
            return name
        if kind == "host" and _ADDRESS.fullmatch(name):
            # Left to the setting for addresses, so that one address has one name.
            return name
        digest = hmac.digest(self.key, f"{kind}:{name.lower()}".encode(), "sha256")
        return f"{kind}-{digest.hex()[:_SHORT]}"
