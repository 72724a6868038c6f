"""What comes in: one delivery of Slack or of a webhook sender, and what makes it the same again."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Json = dict[str, Any]

_TEAM = re.compile("[A-Z0-9]{1,32}")
_KEY = re.compile("[!-~]{1,240}")


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
    """Read a delivery of Slack from its payload. Raises RecursionError for one without bottom."""
    body = {str(name): scrub(value) for name, value in body.items()}
    return Delivery(find_team(body), kind, identify(kind, body), body)


def scrub(value: Any) -> Any:
    """Put a question mark for what no database takes as text: half characters and NUL."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "?")
    if isinstance(value, list):
        return [scrub(item) for item in value]
    if isinstance(value, dict):
        return {scrub(name): scrub(item) for name, item in value.items()}
    return value


def find_team(body: Json) -> str:
    """Find the workspace in which the app is installed; empty where the payload names none.

    In a shared channel the outer team may be another one than that of the app, which the
    authorization or the view names (docs.slack.dev/apis/slack-connect); with an installation in a
    whole organization `team` is null, and the user's or the view's is all there is.
    """
    authorizations = body.get("authorizations")
    first = authorizations[0] if isinstance(authorizations, list) and authorizations else None
    named = (
        (body.get("view"), "app_installed_team_id"),
        (first, "team_id"),
        (body, "team_id"),
        (body.get("team"), "id"),
        (body.get("user"), "team_id"),
        (body.get("view"), "team_id"),
    )
    for place, name in named:
        team = place.get(name) if isinstance(place, dict) else None
        if isinstance(team, str) and _TEAM.fullmatch(team):
            return team
    return ""


def identify(kind: Kind, body: Json) -> str:
    """Return the key of a delivery: what Slack keeps the same when it delivers again."""
    view = body.get("view")
    if kind is Kind.EVENT and isinstance(body.get("event_id"), str):
        key = f"event:{body['event_id']}"
    elif body.get("type") == "view_submission" and isinstance(view, dict):
        key = f"view:{view.get('id')}:{view.get('hash')}"
    elif isinstance(body.get("trigger_id"), str):
        key = f"{kind}:{body['trigger_id']}"
    else:
        key = ""
    if _KEY.fullmatch(key):
        return key
    plain = json.dumps(body, sort_keys=True, default=str).encode()
    return f"{kind}:{hashlib.sha256(plain).hexdigest()}"
