"""Several posts of one person in a row that are one paste: read together, answered once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import structlog

from bot.answering import examine
from bot.slack.reading import read_text
from bot.slack.workspaces import OUT_OF_REACH
from bot.store import answers as store, life
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.posts import Post
    from bot.store.answers import Answer
    from rules.learn import Rates
    from rules.model import Diagnosis

Json = dict[str, Any]
log = structlog.get_logger(__name__)

PASTE_GAP = 15.0
"""Seconds between two pieces of one paste, at most."""
PASTE_SPAN = 60.0
_PIECES = frozenset({None, "file_share"})
_OWN = frozenset({"answer", "request", "joined", "revised", "about"})


@dataclass(frozen=True, slots=True)
class Paste:
    """A post read together with the others of its paste."""

    diagnosis: Diagnosis
    stamps: tuple[str, ...]
    """The other pieces, oldest first."""


async def read_paste(core: Core, post: Post, own: Diagnosis, rates: Rates) -> Paste | None:
    """Read the paste that a post is a piece of; none where it stands alone.

    The pieces are asked of Slack, for what a post said is not kept.
    """
    run = find_run(await _fetch_round(core, post), post)
    others = [message for message in run if message["ts"] != post.ts]
    texts = [_tidy(message) for message in others]
    if not others or post.text.strip() in texts:
        # Who posts the very same again repeats it.
        return None
    whole = "\n".join(read_text(message) for message in run)
    joined = await examine(core, whole, rates, asked=post.asked)
    if not is_same_failure(own, joined):
        return None
    if own.entry == joined.entry:
        # The line that matched is shown by its place in the post that the answer hangs on.
        joined = replace(joined, finding=own.finding)
    return Paste(joined, tuple(message["ts"] for message in others))


def find_run(messages: Sequence[Json], post: Post) -> list[Json]:
    """Find the unbroken run of the poster's messages around a post, oldest first."""
    ordered = sorted(messages, key=lambda message: str(message.get("ts")))
    runs: list[list[Json]] = [[]]
    for message in ordered:
        last = runs[-1][-1] if runs[-1] else None
        is_piece = message.get("user") == post.poster and message.get("subtype") in _PIECES
        if last is not None and float(message["ts"]) - float(last["ts"]) > PASTE_GAP:
            runs.append([])
        if is_piece:
            runs[-1].append(message)
        else:
            runs.append([])
    return next((run for run in runs if any(m["ts"] == post.ts for m in run)), [])


def is_same_failure(own: Diagnosis, joined: Diagnosis) -> bool:
    """Whether what the piece shows is what the whole shows, or a consequence of it."""
    if joined.kind is DiagnosisKind.SILENCE or own.entry is None or joined.entry is None:
        return False
    caused = {finding.entry.id for finding in joined.consequences}
    is_wrapper = own.kind is DiagnosisKind.REQUEST
    return is_wrapper or own.entry.id == joined.entry.id or own.entry.id in caused


async def find_earlier(
    connection: AsyncConnection, post: Post, stamps: Sequence[str]
) -> Answer | None:
    """Find the answer that another piece of the paste got."""
    if not stamps:
        return None
    rows = await life.list_looked_at(connection, post.team, post.channel, stamps)
    for row in rows:
        if row.answer and row.outcome in _OWN:
            answer = await store.find_standing(connection, post.team, row.answer)
            if answer is not None:
                return answer
    return None


def _tidy(message: Json) -> str:
    return read_text(message).strip()


async def _fetch_round(core: Core, post: Post) -> list[Json]:
    at = float(post.ts)
    try:
        workspace = await core.workspaces.find(post.team)
        if workspace is None:
            return []
        page = await workspace.client.conversations_history(
            channel=post.channel,
            oldest=f"{at - PASTE_SPAN:.6f}",
            latest=f"{at + PASTE_SPAN:.6f}",
            inclusive=True,
            limit=100,
        )
    except OUT_OF_REACH as error:
        log.info("paste_not_read", error=error)
        return []
    found: list[Json] = page["messages"]
    return found
