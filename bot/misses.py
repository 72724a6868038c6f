"""Errors that nobody knows yet: one redacted, masked line each, for the digest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.store import evidence
from rules.clean import clean
from rules.mask import fingerprint, mask
from rules.redact import redact

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.posts import Post

LONGEST = 160
_ERROR = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Failure)\b\s*:|\bNCCL WARN\b|\bXid\b|\bFATAL\b|\bfatal error\b"
    r"|\bSegmentation fault\b|\bcore dumped\b|\b[Oo]ut of memory\b"
)


async def note_miss(core: Core, connection: AsyncConnection, post: Post) -> None:
    """Count the error in a post that nothing was found for; a post without one leaves nothing."""
    line = pick_line(post.text)
    if line is not None:
        key = fingerprint([line], None)
        await evidence.note_miss(connection, post.team, key, line, core.now())


def pick_line(text: str) -> str | None:
    """Return the last line that is an error's own, redacted and without what tells one run from another."""
    lines = [line.text.strip() for line in clean(text, slack=True).lines]
    found = [line for line in lines if _ERROR.search(line)]
    return mask(redact(found[-1]))[:LONGEST] if found else None
