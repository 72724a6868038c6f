"""Layout blocks, their limits and the surfaces that show them.

Limits: docs.slack.dev/reference/block-kit/blocks
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.localslack.blocks.composition import IDENTIFIER, IMAGE, SLACK_FILE, URL, plain, text
from bot.localslack.blocks.elements import (
    BUTTON,
    IN_ACTIONS,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    IN_SECTION,
)
from bot.localslack.blocks.rich import RICH_TEXT
from bot.localslack.blocks.rules import (
    Check,
    array,
    at_least_one,
    boolean,
    both,
    by_type,
    choice,
    distinct,
    exactly_one,
    fault,
    integer,
    shape,
    string,
)

EVERYWHERE = frozenset({"message", "modal", "home"})
_MESSAGE = frozenset({"message"})
_MODAL = frozenset({"modal"})
TABLE_CHARACTERS = 10_000
_ID: dict[str, Check] = {"block_id": IDENTIFIER}
_TEXTS = {"plain_text": text(3_000), "mrkdwn": text(3_000)}
_ACTION_IDS = distinct("action_id")


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of block: its check and where it may stand."""

    check: Check
    surfaces: frozenset[str] = EVERYWHERE


def _block(fields: Mapping[str, Check], *rules: Check) -> Check:
    return shape(_ID | dict(fields), *rules)


def _text_length(node: Any) -> int:
    if isinstance(node, dict):
        own = len(node["text"]) if isinstance(node.get("text"), str) else 0
        return own + sum(_text_length(each) for key, each in node.items() if key != "text")
    if isinstance(node, list):
        return sum(map(_text_length, node))
    return 0


def _table_fits(value: Any, pointer: str) -> Iterator[str]:
    if _text_length(value.get("rows")) > TABLE_CHARACTERS:
        yield fault(f"must be less than {TABLE_CHARACTERS + 1} characters in all", pointer)


_CELL = by_type(
    {
        "raw_text": shape({"text!": string(TABLE_CHARACTERS)}),
        "raw_number": shape({"value!": lambda *_: iter(()), "text": string(255)}),
        "rich_text": RICH_TEXT,
    }
)
_COLUMN = shape({"align": choice("left", "center", "right"), "is_wrapped": boolean})
_TASK = shape(
    _ID
    | {
        "task_id!": string(255),
        "title!": string(2_000),
        "details": by_type({"rich_text": RICH_TEXT}),
        "output": by_type({"rich_text": RICH_TEXT}),
        "sources": array(by_type({"url": shape({"url!": URL, "text!": string(2_000)})}), 100),
        "status": choice("pending", "in_progress", "complete", "error"),
    }
)
_PICTURE = by_type({"image": IMAGE})
_CARD = shape(
    _ID
    | {
        "hero_image": _PICTURE,
        "icon": _PICTURE,
        "title": text(150),
        "subtitle": text(150),
        "body": text(200),
        "actions": array(by_type({"button": BUTTON}), 25),
    },
    at_least_one("hero_image", "title", "actions", "body"),
)

LAYOUTS: dict[str, Layout] = {
    "section": Layout(
        _block(
            {
                "text": text(3_000),
                "fields": array(text(2_000), 10),
                "accessory": by_type(IN_SECTION),
                "expand": boolean,
            },
            at_least_one("text", "fields"),
        )
    ),
    "header": Layout(_block({"text!": plain(150), "level": integer(1, 4)})),
    "divider": Layout(_block({})),
    "image": Layout(
        _block(
            {
                "image_url": URL,
                "slack_file": SLACK_FILE,
                "alt_text!": string(2_000),
                "title": plain(2_000),
            },
            exactly_one("image_url", "slack_file"),
        )
    ),
    "context": Layout(_block({"elements!": array(by_type(_TEXTS | {"image": IMAGE}), 10)})),
    "actions": Layout(_block({"elements!": both(array(by_type(IN_ACTIONS), 25), _ACTION_IDS)})),
    "context_actions": Layout(
        _block({"elements!": both(array(by_type(IN_CONTEXT_ACTIONS), 5), _ACTION_IDS)}), _MESSAGE
    ),
    "input": Layout(
        _block(
            {
                "label!": plain(2_000),
                "element!": by_type(IN_INPUT),
                "hint": plain(2_000),
                "optional": boolean,
                "dispatch_action": boolean,
            }
        )
    ),
    "rich_text": Layout(RICH_TEXT),
    # Its length is counted over the whole payload, so only its presence is checked here.
    "markdown": Layout(_block({"text!": string(10**9)}), _MESSAGE),
    "table": Layout(
        _block(
            {
                "rows!": array(array(_CELL, 20), 100),
                "column_settings": array(_COLUMN, 20),
            },
            _table_fits,
        ),
        _MESSAGE,
    ),
    "task_card": Layout(_TASK, _MESSAGE),
    "plan": Layout(
        _block({"title!": string(2_000), "tasks": array(by_type({"task_card": _TASK}), 50)}),
        _MESSAGE,
    ),
    "card": Layout(_CARD, _MESSAGE),
    "carousel": Layout(_block({"elements!": array(by_type({"card": _CARD}), 10)}), _MESSAGE),
    "alert": Layout(
        _block(
            {
                "text!": text(200),
                "level": choice("default", "info", "warning", "error", "success"),
            }
        ),
        _MODAL,
    ),
}
