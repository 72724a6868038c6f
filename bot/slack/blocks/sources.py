"""Names of sources that a person can read: the site, and what of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from bot.slack.blocks.parts import cut, link

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 2
LONGEST_NAME = 60
LONGEST_URL = 500
_THREAD = re.compile(r"/([^/]+/[^/]+)/(?:issues|pull|discussions)/(\d+)")
_FILE = re.compile(r"/([^/]+/[^/]+)/(?:blob|tree|raw)/[^/]+/(.+)")
_NO_NAME = re.compile(
    r"(?:index|latest|stable|main|master|en|docs?|html?|t|topic|questions|v?\d+(?:\.\d{1,3}){0,3}|)",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.(?:html?|md|rst|txt|php|aspx)$")


def link_sources(urls: Iterable[str], most: int = MOST) -> list[str]:
    """Return links to the first sources, in mrkdwn."""
    short = [url for url in urls if len(url) <= LONGEST_URL]
    return [link(url, name_source(url)) for url in short[:most]]


def name_source(url: str) -> str:
    """`NVIDIA/nccl#905`, `pytorch/pytorch: TCPStore.cpp`, `docs.nvidia.com: env`."""
    parts = urlsplit(url)
    site = parts.netloc.removeprefix("www.")
    path = unquote(parts.path).rstrip("/")
    if site == "github.com":
        return cut(_name_on_github(path), LONGEST_NAME)
    names = [_ENDING.sub("", each) for each in path.split("/")]
    telling = [each for each in names if not _NO_NAME.fullmatch(each)]
    name = next(reversed(telling or [each for each in names if each.isdigit()]), "")
    words = re.sub(r"[-_+]+", " ", name).strip()
    return cut(f"{site}: {words}" if words else site, LONGEST_NAME)


def _name_on_github(path: str) -> str:
    if thread := _THREAD.match(path):
        return f"{thread[1]}#{thread[2]}"
    if file := _FILE.match(path):
        return f"{file[1]}: {file[2].rpartition('/')[2]}"
    return "/".join(path.strip("/").split("/")[:2]) or "github.com"
