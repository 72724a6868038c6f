"""Posted files: fetched when they are read, within a cap, and never kept."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import structlog
from slack_sdk.errors import SlackApiError

from bot.logfile import unpack
from bot.slack.calls import Refused, read_error
from bot.slack.workspaces import read_reason
from rules.diagnose import diagnose_log

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from bot.core import Core
    from bot.slack.workspaces import Workspace
    from rules.learn import Rates
    from rules.model import Diagnosis
    from rules.scan import Readable

Json = dict[str, Any]
log = structlog.get_logger(__name__)

CHUNK = 1 << 16
IN_MEMORY = 1 << 20
LINKED = "linked_in"
"""Key of a file that is only linked to: the channel where."""
MOST_LINKED = 3
UNPACKED = 20
"""As many times what is fetched of a file may be unpacked from it: reading takes no room."""
READ_SECONDS = 20.0
NOT_UNPACKED = "I could not unpack the file: it is cut or damaged."
DAMAGED = "The packed file is cut or damaged: I read it up to there."
_LINK = re.compile(r"<(?P<url>https?://[^/|>]+/files/[UWB]\w+/(?P<id>F\w+)[^|>]*)")
_UNREADABLE = ("image/", "video/", "audio/", "font/")
_MODES = frozenset({"snippet", "hosted", None})


def is_readable(file: Json) -> bool:
    """Whether a file may be a log: it is there, and no picture, sound or film."""
    mimetype = str(file.get("mimetype") or "")
    return file.get("mode") in _MODES and not mimetype.startswith(_UNREADABLE)


async def examine_file(
    core: Core, workspace: Workspace, file: Json, rates: Rates, *, asked: bool
) -> Diagnosis | None:
    """Return the diagnosis of a posted file, packed or plain; none where it cannot be had."""
    most = core.settings.max_file_mb << 20
    opened = await open_file(workspace, file, most)
    if opened is None:
        return None
    spool, is_cut = opened
    with spool:
        unpacked = unpack(cast("BinaryIO", spool))
        log = Capped(unpacked, most * UNPACKED)
        diagnosis = await asyncio.to_thread(diagnose_log, log, core.kb, rates, asked=asked)
    unread = say_unread(log.size, is_cut=is_cut or log.is_cut, is_damaged=unpacked.damaged)
    return replace(diagnosis, unread=unread)


def say_unread(size: int, *, is_cut: bool, is_damaged: bool) -> str:
    """Say what was left out of a file of which `size` bytes were read; empty where nothing was."""
    if is_damaged and not size:
        return NOT_UNPACKED
    if is_cut:
        return f"I read only the first {size >> 20} MiB of the file."
    return DAMAGED if is_damaged else ""


async def open_file(workspace: Workspace, file: Json, most: int) -> tuple[IO[bytes], bool] | None:
    """Open a posted file as a temporary one that vanishes when closed; at most `most` bytes of it.

    With it whether the file has more. None where Slack gives something else than the file. The token is shown to Slack's hosts alone.
    """
    if file.get("file_access") == "check_file_info" or not file.get("url_private_download"):
        found = await _look_up(workspace, file)
        if found is None or not is_readable(found):
            return None
        file = found
    url = str(file.get("url_private_download") or file.get("url_private") or "")
    if not may_fetch(url, workspace.client.base_url):
        log.warning("file_not_fetched", reason="host")
        return None
    headers = {"Authorization": f"Bearer {workspace.client.token}"}
    session = workspace.client.session
    assert session is not None
    async with session.get(url, headers=headers, allow_redirects=False) as response:
        # Without the scope Slack answers 200 with its sign-in page.
        is_page = response.content_type == "text/html" and file.get("mimetype") != "text/html"
        if response.status != 200 or is_page:
            log.warning("file_not_fetched", status=response.status, hint="scope files:read")
            return None
        spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        left, is_cut = most, False
        async for chunk in response.content.iter_chunked(CHUNK):
            spool.write(chunk[:left])
            is_cut = len(chunk) > left
            if is_cut:
                break
            left -= len(chunk)
    spool.seek(0)
    return spool, is_cut


async def _look_up(workspace: Workspace, file: Json) -> Json | None:
    """Ask Slack for a file of which an event showed the id; none where it gives none.

    Raises what Slack and the network raise for a passing failure. A file that somebody only links to
    is read where those who read the link may open it: a link gives nobody away.
    """
    try:
        answer = await workspace.client.files_info(file=file["id"])
    except SlackApiError as error:
        if not isinstance(read_error(error, "update"), Refused):
            raise
        log.info("file_not_fetched", reason=read_reason(error))
        return None
    found: Json = answer["file"]
    shared = {place for name in ("channels", "groups", "ims") for place in found.get(name) or ()}
    is_open = LINKED not in file or found.get("is_public") or file[LINKED] in shared
    return found if is_open else None


def list_linked(text: str, channel: str, home: str) -> list[Json]:
    """List files of Slack that a text links to, as an event shows those it cannot describe.

    `home` is the workspace's own address; those of an organization are Slack's too.
    """
    found = []
    for link in _LINK.finditer(text):
        host = urlsplit(link["url"]).netloc
        if host == urlsplit(home).netloc or host.endswith(".slack.com"):
            found.append({"id": link["id"], "file_access": "check_file_info", LINKED: channel})
    return found[:MOST_LINKED]


def may_fetch(url: str, api_url: str) -> bool:
    """Whether the token may be sent there: Slack over https, or the host of the Web API."""
    parts = urlsplit(url)
    if parts.netloc and parts.netloc == urlsplit(api_url).netloc:
        return True
    host = parts.hostname or ""
    return parts.scheme == "https" and (host == "slack.com" or host.endswith(".slack.com"))


class Capped:
    """At most `most` bytes of a readable, for so long: a small archive may hold an endless file."""

    def __init__(
        self,
        source: Readable,
        most: int,
        seconds: float = READ_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._most = most
        self._clock = clock
        self._until = clock() + seconds
        self.size = 0
        """Bytes read."""
        self.is_cut = False
        """Whether there was more."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end or at the cap."""
        if self.is_cut:
            return b""
        if self.size >= self._most or self._clock() >= self._until:
            self.is_cut = bool(self._source.read(1))
            return b""
        data = self._source.read(min(size, self._most - self.size))
        self.size += len(data)
        return data
