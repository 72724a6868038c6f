"""What comes in: one delivery of Slack or of a webhook sender, and what makes it the same again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Json = dict[str, Any]


class Kind(StrEnum):
    """How a delivery is worked."""

    EVENT = "event"
    INTERACTIVE = "interactive"
    SLASH = "slash"
    WEBHOOK = "webhook"
    SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery; `key` is the same each time it is delivered."""

    team: str
    kind: Kind
    key: str
    body: Json


def read_delivery(kind: Kind, body: Json) -> Delivery:
    """Read a delivery of Slack from its payload."""
    return Delivery(find_team(body), kind, identify(kind, body), body)


def find_team(body: Json) -> str:
    """Find the workspace in which the app is installed; empty where the payload names none."""
    authorizations = body.get("authorizations") or [{}]
    first = authorizations[0] if isinstance(authorizations[0], dict) else {}
    team = body.get("team")
    team_of_user = body.get("user")
    return str(
        first.get("team_id")
        or body.get("team_id")
        or (team.get("id") if isinstance(team, dict) else None)
        or (team_of_user.get("team_id") if isinstance(team_of_user, dict) else None)
        or ""
    )


def identify(kind: Kind, body: Json) -> str:
    """Return the key of a delivery: what Slack keeps the same when it delivers again."""
    if kind is Kind.EVENT and isinstance(body.get("event_id"), str):
        return f"event:{body['event_id']}"
    view = body.get("view")
    if body.get("type") == "view_submission" and isinstance(view, dict):
        return f"view:{view.get('id')}:{view.get('hash')}"
    if isinstance(body.get("trigger_id"), str):
        return f"{kind}:{body['trigger_id']}"[:255]
    plain = json.dumps(body, sort_keys=True, default=str).encode()
    return f"{kind}:{hashlib.sha256(plain).hexdigest()}"
