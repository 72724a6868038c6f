"""The form for a long log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.slack.blocks.parts import Json

CALLBACK = "paste_log"
LONGEST_INPUT = 3000


def render_form(origin: Json) -> Json:
    """Render the form; `origin` (channel, response_url) comes back with it."""
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": {"type": "plain_text", "text": "Diagnose a log"},
        "submit": {"type": "plain_text", "text": "Diagnose"},
        "close": {"type": "plain_text", "text": "Cancel"},
        "private_metadata": json.dumps(origin),
        "blocks": [
            {
                "type": "input",
                "block_id": "text",
                "optional": True,
                "label": {"type": "plain_text", "text": "Error or log"},
                "hint": {
                    "type": "plain_text",
                    "text": "The first rank's traceback says most. Up to 3,000 characters.",
                },
                "element": {
                    "type": "plain_text_input",
                    "action_id": "text",
                    "multiline": True,
                    "max_length": LONGEST_INPUT,
                },
            },
            {
                "type": "input",
                "block_id": "file",
                "optional": True,
                "label": {"type": "plain_text", "text": "Or the log as a file"},
                "hint": {
                    "type": "plain_text",
                    "text": "Slack takes 10 MB here. Post a larger one in a channel or to me.",
                },
                "element": {"type": "file_input", "action_id": "file", "max_files": 1},
            },
        ],
    }


def check_form(view: Json) -> Json | None:
    """Check the answer that an acknowledgement carries: what is wrong with the form; none if nothing."""
    if view.get("callback_id", CALLBACK) != CALLBACK:
        return None
    text, files = read_form(view)
    if text.strip() or files:
        return None
    return {"response_action": "errors", "errors": {"text": "Paste an error or add a file."}}


def read_form(view: Json) -> tuple[str, list[Json]]:
    """Text and files of a form; empty where a field is."""
    text, files = "", []
    for block in _dicts((view.get("state") or {}).get("values")):
        for field in _dicts(block):
            text = text or str(field.get("value") or "")
            files += [f for f in field.get("files") or () if isinstance(f, dict)]
    return text, files


def read_origin(view: Json) -> Json:
    """Where the form was opened from."""
    try:
        origin = json.loads(view.get("private_metadata") or "{}")
    except ValueError:
        return {}
    return origin if isinstance(origin, dict) else {}


def _dicts(value: Any) -> list[Json]:
    return [v for v in value.values() if isinstance(v, dict)] if isinstance(value, dict) else []
