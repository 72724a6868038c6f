"""A post as it was pasted -> its lines without mark-up, escapes and log prefixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules import ansi, mrkdwn
from rules.model import CleanText, Line
from rules.pieces import find_tear, split_fences, split_line
from rules.prefix import strip_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOLD = re.compile(r"(?<![\w*/])(\*{1,3})(?=\S)([^*\n]{1,400}?)(?<=\S)\1(?![\w*])")
_ITALIC = re.compile(r"(?<!\w)_(?=[^\W_])([^_\n]{2,400}[^\s_])_(?!\w)")
_TRAILING = " \t│┃║╎┆╭╮╰╯┌┐└┘├┤─━═╔╚╠╗╝╣"


def clean(text: str, *, slack: bool = False) -> CleanText:
    """Clean a post. `slack` says that it still holds Slack's mark-up and entities.

    White space may change; of a message's other characters none is added or dropped. Blank lines
    are left out; line numbers are those of the post.
    """
    if slack:
        text = mrkdwn.decode(text)
    elif "<http" in text or "<@" in text or "<#" in text:
        text = mrkdwn.decode_links(text)
    return CleanText(tuple(_read(ansi.normalise(text))))


def _read(text: str) -> Iterator[Line]:
    fenced = False
    has_fence = "```" in text
    for number, physical in enumerate(text.split("\n"), 1):
        if not has_fence:
            yield from _read_physical(physical, number, fenced=False)
            continue
        for part, inside in split_fences(physical, inside=fenced):
            yield from _read_physical(part, number, fenced=inside)
            fenced = inside


def _read_physical(physical: str, number: int, *, fenced: bool) -> Iterator[Line]:
    for raw in split_line(_drop_emphasis(physical)):
        position, end = 0, len(raw)
        while position < end:
            stripped = strip_prefix(raw, position)
            tear = find_tear(raw, stripped.start)
            stop = end if tear is None else tear[0] if tear[0] > stripped.start else tear[1]
            message = _undecorate(raw[stripped.start : stop])
            if message:
                yield Line(
                    message,
                    number,
                    stripped.rank,
                    stripped.host,
                    stripped.time,
                    stripped.prefix,
                    stripped.quoted,
                    fenced or _is_inline_code(message),
                    stripped.gpu,
                    stripped.source,
                )
            position = stop


def _undecorate(message: str) -> str:
    """Take off what frames the message: box edges and a table's last bar."""
    message = message.rstrip(_TRAILING)
    if message.endswith(" |"):
        message = message[:-2].rstrip()
    return message


def _drop_emphasis(raw: str) -> str:
    if "*" in raw:
        raw = _BOLD.sub(r"\2", raw)
    if raw.startswith("_") or " _" in raw:
        raw = _ITALIC.sub(_plain_italic, raw)
    return raw


def _plain_italic(match: re.Match[str]) -> str:
    # A name such as `_C_` is no emphasis; emphasis of a log line holds a blank.
    return match[1] if " " in match[1] else match[0]


def _is_inline_code(message: str) -> bool:
    return len(message) > 2 and message[0] == message[-1] == "`" and "`" not in message[1:-1]
