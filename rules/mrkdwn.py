"""Slack mark-up back to the text that was typed or pasted."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"<(?:(?P<mention>[@#!][^<>|\n]{1,200})|(?P<link>(?:https?|ftp|mailto|tel|slack):[^<>|\n]{1,3000}))"
    r"(?:\|(?P<label>[^<>\n]{0,3000}))?>"
)
_DATE = "!date^"
_TITLE = 3
"""Words from which on a link's label is a title, not a name that Slack took for an address."""


def decode(text: str) -> str:
    """Replace Slack's tokens by what people see, then its three entities, `&amp;` last.

    Source: https://docs.slack.dev/messaging/formatting-message-text/. A name that Slack took for a
    host (`train.py`) comes back as its label.
    """
    if "<" in text:
        text = _TOKEN.sub(_show, text)
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text


def decode_links(text: str) -> str:
    """Replace the tokens alone: for texts copied out of Slack, and Markdown's `<https://...>`."""
    return _TOKEN.sub(_show, text)


def _show(token: re.Match[str]) -> str:
    label, link = token["label"], token["link"]
    if link is not None:
        if label and len(label.split()) >= _TITLE:
            # The title of another page, which its words are quoted from.
            return f'"{label}"'
        return label or link.removeprefix("mailto:").removeprefix("tel:")
    mention: str = token["mention"]
    if mention.startswith(_DATE):
        return label or ""
    if mention[0] == "!":
        return label or "@" + mention[1:].partition("^")[0]
    return label if label and label[0] in "@#" else mention[0] + (label or mention[1:])
