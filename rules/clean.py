"""A post as it was pasted -> its lines without mark-up, escapes and log prefixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules import ansi, mrkdwn
from rules.columns import find_column
from rules.model import CleanText, Line
from rules.pieces import find_cuts, split_fences, split_line
from rules.prefix import strip_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.prefix import Stripped

_BOLD = re.compile(r"(?<![\w*/])(\*{1,3})(?=\S)([^*\n]{1,400}?)(?<=\S)\1(?![\w*])")
_ITALIC = re.compile(r"(?<!\w)_(?=[^\W_])([^_\n]{2,400}[^\s_])_(?!\w)")
# Without any of these a physical line is one written line.
_SIGNS = ("*", "\\n", " _", "\n_", "```", "\r", "&", "%20", "^", "#012", '{"')
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


def _read(text: str) -> list[Line]:
    physical = text.split("\n")
    column = find_column(physical)
    plain = not text.startswith("_") and not any(sign in text for sign in _SIGNS)
    fenced = False
    lines: list[Line] = []
    for number, whole in enumerate(physical, 1):
        lead = column.match(whole) if column else None
        rest = whole[lead.end() :] if lead else whole
        if plain:
            lines += _read_written(rest, number, lead, fenced=False)
            continue
        for part, inside in split_fences(rest, inside=fenced):
            fenced = inside
            for written in split_line(_drop_emphasis(part)):
                lines += _read_written(written, number, lead, fenced=inside)
    return lines


def _read_written(
    written: str, number: int, lead: re.Match[str] | None, *, fenced: bool
) -> list[Line]:
    """Take the prefixes off one written line, which may be torn into several writers' lines."""
    lines: list[Line] = []
    position, end = 0, len(written)
    cuts: Iterator[int] | None = None
    stop = 0
    while position < end:
        stripped = strip_prefix(written, position)
        cuts = cuts or iter((*find_cuts(written, stripped.start), end))
        while stop <= stripped.start and stop < end:
            stop = next(cuts)
        message = _undecorate(written[stripped.start : stop])
        if message:
            code = fenced or (message[0] == "`" and _is_inline_code(message))
            lines.append(_to_line(message, number, stripped, lead, fenced=code))
        position = stop
    return lines


def _to_line(
    message: str, number: int, stripped: Stripped, lead: re.Match[str] | None, *, fenced: bool
) -> Line:
    _, prefix, rank, host, time, gpu, source, quoted = stripped
    if lead:
        column = lead[0].rstrip()
        host, prefix, source = host or lead["host"], f"{column} {prefix}".rstrip(), column + source
    return Line(message, number, rank, host, time, prefix, quoted, fenced, gpu, source)


def _undecorate(message: str) -> str:
    """Take off what frames the message: box edges and a table's last bar."""
    message = message.rstrip() if message.isascii() else message.rstrip(_TRAILING)
    return message[:-2].rstrip() if message.endswith(" |") else message


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
    return len(message) > 2 and message[-1] == "`" and "`" not in message[1:-1]
