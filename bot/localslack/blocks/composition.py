"""Composition objects: text, confirmations, options, dispatch settings, filters, images.

Limits: docs.slack.dev/reference/block-kit/composition-objects
"""

from bot.localslack.blocks.rules import (
    Check,
    array,
    boolean,
    both,
    by_type,
    choice,
    distinct,
    exactly_one,
    shape,
    string,
)

URL = string(3_000)
IDENTIFIER = string(255)


def plain(most: int, least: int = 1) -> Check:
    """Check a plain_text object."""
    body = shape({"text!": string(most, least), "emoji": boolean})
    return by_type({"plain_text": body})


def text(most: int, least: int = 1) -> Check:
    """Check a plain_text or mrkdwn object."""
    markup = shape({"text!": string(most, least), "verbatim": boolean})
    body = shape({"text!": string(most, least), "emoji": boolean})
    return by_type({"plain_text": body, "mrkdwn": markup})


CONFIRM = shape(
    {
        "title!": plain(100),
        "text!": text(300),
        "confirm!": plain(30),
        "deny!": plain(30),
        "style": choice("primary", "danger"),
    }
)


def _option(words: Check, *, url: bool = False) -> Check:
    fields: dict[str, Check] = {"text!": words, "value!": string(150), "description": text(75)}
    return shape(fields | {"url": URL} if url else fields)


OPTION = _option(plain(75))
MARKED_OPTION = _option(text(75))
OVERFLOW_OPTION = _option(plain(75), url=True)
OPTIONS = both(array(OPTION, 100), distinct("value"))
OPTION_GROUPS = array(shape({"label!": plain(75), "options!": OPTIONS}), 100)

DISPATCH = shape(
    {"trigger_actions_on": array(choice("on_enter_pressed", "on_character_entered"), most=2)}
)
FILTER = shape(
    {
        "include": array(choice("im", "mpim", "private", "public"), most=4),
        "exclude_external_shared_channels": boolean,
        "exclude_bot_users": boolean,
    }
)
SLACK_FILE = shape({"id": string(255), "url": URL}, exactly_one("id", "url"))
IMAGE = shape(
    {"image_url": URL, "slack_file": SLACK_FILE, "alt_text!": string(2_000)},
    exactly_one("image_url", "slack_file"),
)
