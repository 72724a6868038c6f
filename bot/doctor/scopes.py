"""The scopes that the bot token needs, and what does not work without each.

The manifest asks for the same; a test holds one against the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.doctor.finding import Finding, fail, warn, well

if TYPE_CHECKING:
    from collections.abc import Collection

SCOPES = {
    "app_mentions:read": "mentions of the bot are not heard",
    "channels:history": "posts in public channels are not heard",
    "channels:read": "public channels are not greeted",
    "chat:write": "nothing can be answered",
    "commands": "/nccl and the shortcuts do not work",
    "files:read": "posted log files cannot be read",
    "groups:history": "posts in private channels are not heard",
    "groups:read": "private channels are not greeted",
    "im:history": "direct messages are not heard",
    "reactions:read": "thumbs put on as reactions are not counted",
    "usergroups:read": "no owners' group can be set for a channel",
    "users:read": "guests cannot be told from members, and may vote",
}
"""Scope -> what is missing without it."""
_REINSTALL = "add them under OAuth & Permissions (or paste deploy/slack-manifest.yaml), reinstall"


def compare_scopes(granted: Collection[str]) -> Finding:
    """Hold what was granted against what is needed."""
    missing = [f"{scope} ({lost})" for scope, lost in SCOPES.items() if scope not in granted]
    if missing:
        return fail("scopes", f"missing: {', '.join(missing)}", _REINSTALL)
    spare = sorted(set(granted) - set(SCOPES))
    if spare:
        mend = "take them away under OAuth & Permissions, unless another use needs them"
        return warn("scopes", f"more than needed: {', '.join(spare)}", mend)
    return well("scopes", f"all {len(SCOPES)} granted")
