"""One physical line into the lines that were written: fences, escapes, bars and torn ranks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEWLINE = re.compile(r"(?:\\{1,4}r)?\\{1,4}n")
_SURE_NEWLINE = re.compile(r"(?:\\{1,4}r)?\\{1,4}n(?=[\s\"'\\A-Z\[(]|$)")
_WINDOWS_PATH = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\|\.\.?\\\w")
_TAB = re.compile(r"\\{1,4}t(?![a-z])")
_ENVELOPE = re.compile(r'[\[,]?\s{0,8}\{"(?:log|stream_name|stream)":\s{0,4}"')
_ENTITY = re.compile(r"&(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);")
_ENTITIES = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&#x27;": "'",
    "&apos;": "'",
    "&nbsp;": " ",
    "&amp;": "&",
}
_FENCE_LANGUAGE = re.compile(r"[A-Za-z][\w+-]{0,15}$")
_CARETS = re.compile(r"\^{2,}|(?<!\S)\^|\^(?!\S)")
_COUNT = r"[\d.?]{1,12}[kMGT]?i?B?"
# A progress bar, a rank's prefix, a logger's or NCCL's one: where another writer's text begins.
_CUT = re.compile(
    rf"(?P<bar>\d{{1,3}}%(?:\|[^|\n]{{0,400}}\|| )\s{{0,8}}{_COUNT}/{_COUNT}\s{{0,4}}\[[^\]\n]{{0,80}}\])"
    r"|\[rank\d{1,6}\]:"
    r"|\[[DIWEF]\d{3,4} \d\d:\d\d:\d\d\.\d{1,9} "
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - "
    r"|(?<=[\s\])>])[\w.-]{1,80}+:\d{1,8}:\d{1,8} \[\d{1,3}\] (?=(?:[\w./]{1,80}+:\d{1,5} )?NCCL )"
)
_SIGNS = ("[rank", "] NCCL ", ".cc:", " - ", "[E", "[W", "%|", "% ")


def split_line(raw: str) -> Sequence[str]:
    """Undo the encodings that put several written lines into one physical line."""
    if raw.startswith(("{", ",{", "[{")) and _ENVELOPE.match(raw):
        raw = _open_envelope(raw)
    if "%20" in raw:
        raw = _decode_percent(raw)
    if "&" in raw and "<" not in raw and _ENTITY.search(raw):
        raw = _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], raw)
    if "#012" in raw:
        raw = raw.replace("#012", "\n").replace("#011", " ")
    if "^" in raw and ("^^" in raw or not raw.strip(" ^")):
        # Marks under a traceback's line; torn ranks leave them between words.
        raw = _CARETS.sub(" ", raw)
    if "\\n" in raw:
        raw = _unescape(raw)
    return raw.replace("\r", "\n").split("\n") if "\r" in raw or "\n" in raw else (raw,)


def split_fences(raw: str, *, inside: bool) -> Sequence[tuple[str, bool]]:
    """Cut a line at its code fences; each part comes with whether it stands inside one."""
    if "```" not in raw:
        return ((raw, inside),)
    parts: list[tuple[str, bool]] = []
    for index, part in enumerate(raw.split("```")):
        within = inside ^ (index % 2 == 1)
        is_language = index and within and _FENCE_LANGUAGE.match(part)
        parts.append(("" if is_language else part, within))
    return parts


def find_cuts(line: str, start: int = 0) -> Sequence[int]:
    """Offsets from `start` on where another writer's text or a progress bar begins, or a bar ends."""
    rest = line[start:]
    if not any(sign in rest for sign in _SIGNS):
        return ()
    cuts: list[int] = []
    for cut in _CUT.finditer(line, start):
        cuts += cut.span() if cut["bar"] else (cut.start(),)
    return cuts


def _open_envelope(raw: str) -> str:
    """Take the text out of one JSON record of a container runtime or notebook log."""
    try:
        record = json.loads(raw.strip().lstrip("[,").rstrip(",]"))
    except ValueError:
        return raw
    text = record.get("log", record.get("data", record.get("text")))
    return text if isinstance(text, str) else raw


def _decode_percent(raw: str) -> str:
    """Decode a line that was pasted from an address bar: encoded spaces and hardly a real one."""
    if raw.count("%20") < 3 or raw.count(" ") > raw.count("%20"):
        return raw
    return unquote(raw, errors="replace")


def _unescape(raw: str) -> str:
    """Turn printed line feeds into real ones; a back slash of a Windows path is none."""
    if not _SURE_NEWLINE.search(raw):
        return raw
    newline = _SURE_NEWLINE if _WINDOWS_PATH.search(raw) else _NEWLINE
    return _TAB.sub(" ", newline.sub("\n", raw)).replace('\\\\"', '"').replace('\\"', '"')
