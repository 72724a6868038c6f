"""NVIDIA driver errors (Xid) in kernel logs, metrics and prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.model import Xid

if TYPE_CHECKING:
    from rules.joined import Joined

_PCI = r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9a-f])?"
_XID = re.compile(
    rf"(?<![A-Za-z])(?:xid ?\((?:PCI:)?(?P<pci>{_PCI})\)\s{{0,4}}:\s{{0,4}}(?P<logged>\d{{1,3}})\b"
    r"|xid_errors\{[^}\n]{0,600}\}\s(?P<metric>\d{1,3})\b"
    r"|xids?(?:[ _-]?(?:errors?|codes?|events?))?[ :=#-]{1,4}(?P<said>\d{1,3}\b(?!\.\d)"
    r"(?:\s?(?:[,/&+]\s?(?:and |or |then )?|and |or |then )(?:an? )?\d{1,3}\b(?!\.\d)){0,12}))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,3}")


def read_xids(post: Joined) -> tuple[Xid, ...]:
    """Xids in order of appearance; one that the log gives with an address is not repeated."""
    hits = list(post.read("xid", _XID))
    logged = {int(hit["logged"]) for hit in hits if hit["logged"]}
    found: dict[tuple[int, str | None], Xid] = {}
    for hit in hits:
        line = post.line_at(hit.start()).number
        if hit["logged"]:
            number, pci = int(hit["logged"]), hit["pci"].lower()
            found.setdefault((number, pci), Xid(number, pci, line))
            continue
        for number in map(int, _NUMBER.findall(hit["metric"] or hit["said"])):
            if number and number not in logged:
                found.setdefault((number, None), Xid(number, None, line))
    return tuple(found.values())
