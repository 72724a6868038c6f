"""NVIDIA driver errors (Xid) in kernel logs, metrics and prose."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from rules.model import Xid

if TYPE_CHECKING:
    from rules.joined import Joined

_PCI = r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9a-f])?"
_LOGGED = re.compile(
    rf"Xid ?\((?:PCI:)?(?P<pci>{_PCI})\)\s{{0,4}}:\s{{0,4}}(?P<number>\d{{1,3}})\b", re.IGNORECASE
)
_SAID = re.compile(
    r"\bxids?(?:[ _-]?(?:errors?|codes?|events?))?[ :=#-]{1,4}(?P<first>\d{1,3})\b(?!\.\d| of )"
    r"(?P<more>(?:\s?(?:[,/&+]|and|or|then)\s?(?:a\s|then\s)?\d{1,3}\b(?!\.\d)){0,12})",
    re.IGNORECASE,
)
_METRIC = re.compile(r"XID_ERRORS\{[^}\n]{0,600}\}\s(?P<number>\d{1,3})\b")
_DIGITS = re.compile(r"\d{1,3}")


def read_xids(post: Joined) -> tuple[Xid, ...]:
    """Xids in order of appearance; one that the log gives with an address is not repeated."""
    if "xid" not in post.lowered:
        return ()
    text = post.text
    hits = [(m.start(), int(m["number"]), m["pci"].lower()) for m in _LOGGED.finditer(text)]
    logged = {number for _, number, _ in hits}
    said: list[tuple[int, int, str | None]] = [
        (match.start(), int(number), None)
        for match in _SAID.finditer(text)
        for number in (match["first"], *_DIGITS.findall(match["more"]))
    ]
    said += [(match.start(), int(match["number"]), None) for match in _METRIC.finditer(text)]
    hits_all = hits + [hit for hit in said if hit[1] and hit[1] not in logged]
    found: dict[tuple[int, str | None], Xid] = {}
    for at, number, pci in sorted(hits_all, key=itemgetter(0)):
        found.setdefault((number, pci), Xid(number, pci, post.line_at(at).number))
    return tuple(found.values())
