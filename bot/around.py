"""What a question to the bot is about, where it shows no error itself: its thread, or the posts before it.

`@nccl-bot what is this?` below somebody's log asks about the log.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import structlog

from bot.answering import examine, weigh_file
from bot.paste import PASTE_SPAN, find_run
from bot.posts import Post, is_an_answer
from bot.slack.files import list_linked
from bot.slack.reading import read_text
from bot.slack.workspaces import OUT_OF_REACH
from bot.store import answers as store, life
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.slack.workspaces import Workspace
    from bot.store.answers import Answer
    from rules.learn import Rates
    from rules.model import Diagnosis

    ReadFiles = Callable[[Post], Awaitable[Diagnosis | None]]

Json = dict[str, Any]
log = structlog.get_logger(__name__)

ABOUT = "about"
"""What a post got that somebody asked about in its thread: the answer is about this one."""
MOST = 50
"""Messages of a thread that are read, the oldest first."""
_SPOKEN = frozenset({None, "bot_message", "file_share", "thread_broadcast"})


@dataclass(frozen=True, slots=True)
class Around:
    """What the messages round a question show."""

    diagnosis: Diagnosis
    pieces: tuple[Post, ...]
    """All that was read, oldest first."""
    source: Post
    """The one that shows the line which matched."""

    @property
    def stamps(self) -> tuple[str, ...]:
        """Time stamps of what was read."""
        return tuple(piece.ts for piece in self.pieces)


async def look_around(
    core: Core, post: Post, rates: Rates, read_files: ReadFiles | None
) -> Around | None:
    """Diagnose what stands round a question; none where that shows nothing either."""
    pieces = await _fetch(core, post)
    if not pieces:
        return None
    whole = "\n".join(piece.text for piece in pieces)
    found = await examine(core, whole, rates, asked=True)
    if found.kind is not DiagnosisKind.ANSWER:
        attached = await _read_files(pieces, read_files)
        if found.entry is None or (attached and attached.diagnosis.entry):
            return attached
        found = weigh_file(found, attached.diagnosis if attached else None)
    for piece in pieces:
        own = await examine(core, piece.text, rates, asked=True)
        if own.entry == found.entry:
            # The line that matched is named by its place in the message that has it.
            return Around(replace(found, finding=own.finding), pieces, piece)
    return Around(found, pieces, pieces[0])


async def _read_files(pieces: Sequence[Post], read_files: ReadFiles | None) -> Around | None:
    """Read what is attached to the first piece that shows something, else to one not read whole."""
    unread = None
    for piece in pieces:
        found = await read_files(piece) if piece.files and read_files else None
        if found is None:
            continue
        around = Around(found, (piece,), piece)
        if found.kind is not DiagnosisKind.SILENCE:
            return around
        unread = unread or around
    return unread


async def _fetch(core: Core, post: Post) -> tuple[Post, ...]:
    """Fetch what was said before the question: in its thread, or by the same person just now."""
    try:
        workspace = await core.workspaces.find(post.team)
        if workspace is None:
            return ()
        messages = await _call(workspace, post)
    except OUT_OF_REACH as error:
        log.info("thread_not_read", error=error)
        return ()
    if post.thread is None:
        messages = find_run(messages, post)
    earlier = (each for each in messages if str(each["ts"]) < post.ts)
    read = (_read(each, post, workspace) for each in earlier)
    return tuple(piece for piece in read if piece is not None)


async def _call(workspace: Workspace, post: Post) -> list[Json]:
    if post.thread is not None:
        page = await workspace.client.conversations_replies(
            channel=post.channel, ts=post.thread, latest=post.ts, limit=MOST
        )
    else:
        page = await workspace.client.conversations_history(
            channel=post.channel,
            oldest=f"{float(post.ts) - PASTE_SPAN:.6f}",
            latest=post.ts,
            inclusive=True,
            limit=MOST,
        )
    found: list[Json] = page["messages"]
    return sorted(found, key=lambda each: str(each["ts"]))


def _read(message: Json, post: Post, workspace: Workspace) -> Post | None:
    """Read a message that may be quoted; none for what the bot said, here or elsewhere."""
    own = {workspace.bot_user, workspace.bot_id} & {message.get("user"), message.get("bot_id")}
    if own or message.get("subtype") not in _SPOKEN or is_an_answer(message):
        return None
    ts, root, text = str(message["ts"]), message.get("thread_ts"), read_text(message)
    attached = [file for file in message.get("files") or () if isinstance(file, dict)]
    return Post(
        team=post.team,
        channel=post.channel,
        ts=ts,
        poster=str(message.get("user") or message.get("bot_id") or "unknown"),
        text=text,
        thread=root if isinstance(root, str) and root != ts else None,
        asked=True,
        files=(*attached, *list_linked(text, post.channel, workspace.url)),
    )


async def has_gone(connection: AsyncConnection, around: Around) -> bool:
    """Whether one of the messages was deleted meanwhile."""
    source = around.source
    rows = await life.list_looked_at(connection, source.team, source.channel, around.stamps)
    return any(row.outcome == "deleted" for row in rows)


async def note_pieces(
    connection: AsyncConnection, around: Around, answer: Answer, now: float
) -> None:
    """Note whose the answer is, and that it quotes all that was read, so that it goes with it."""
    fingerprint = around.diagnosis.fingerprint
    for piece in around.pieces:
        is_new = await store.add_post(connection, piece, now)
        row = await store.find_post(connection, piece.team, piece.channel, piece.ts)
        if is_new or (row is not None and row.outcome == "silence"):
            outcome = ABOUT if piece == around.source else "joined"
            await store.set_outcome(connection, piece, outcome, fingerprint, answer.id)
