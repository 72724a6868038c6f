"""Edits and deletions of posts: what they got follows what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.around import ABOUT
from bot.misses import pick_line
from bot.reply import Look, answer_post, decide, examine_post, may_look, put_in_place
from bot.restraint import name_rehearsal
from bot.revise import delete_message, sharpen, stop_quoting, withdraw
from bot.store import answers as store, life, outbox
from bot.store.channels import read_channel
from bot.threads import is_nearer
from rules.mask import fingerprint
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.core import Core
    from bot.posts import Post
    from bot.reply import ReadFiles
    from bot.store.answers import Answer

OLD_SECONDS = 86_400.0
"""A post older than this that an edit changes gets no first answer."""
EDITED = "The post was changed and no longer shows an error that I know."
DELETED = "The post was deleted."
_NO_ANSWER = frozenset({"silence", "same_thread", "quiet"})
_HAS_ANSWER = frozenset({"answer", "request", "revised", ABOUT})


async def amend_post(core: Core, post: Post, read_files: ReadFiles | None = None) -> None:
    """Look again at a post that somebody changed, and mend what it got."""
    is_old = core.now() - float(post.ts) > OLD_SECONDS
    # The edit may have overtaken the post itself: then this is what it says.
    if not is_old and await answer_post(core, post, read_files):
        async with core.database.write() as connection:
            await life.mark_edited(connection, post, post.edited)
        return
    async with core.database.read() as connection:
        row = await store.find_post(connection, post.team, post.channel, post.ts)
        channel = await read_channel(connection, post.team, post.channel)
    if row is None or _is_stale(row, post.edited):
        return
    # Who asked about it then is as well served by what it says now.
    post = replace(post, asked=post.asked or row.outcome == ABOUT)
    if not may_look(channel, post):
        return
    rates = await core.ledger.rates(post.team)
    diagnosis = await examine_post(core, post, channel, rates, read_files)
    async with core.database.write() as connection:
        row = await store.find_post(connection, post.team, post.channel, post.ts)
        if row is None or _is_stale(row, post.edited):
            return
        await life.mark_edited(connection, post, post.edited)
        await _mend(core, connection, row, Look(post, diagnosis, rates), is_old=is_old)
    core.outbox.wake()


def _is_stale(row: Row[Any], stamp: str) -> bool:
    return row.outcome == "deleted" or (row.edited or "") >= stamp


async def _mend(
    core: Core, connection: AsyncConnection, row: Row[Any], look: Look, *, is_old: bool
) -> None:
    post, diagnosis = look.post, look.diagnosis
    if row.outcome in _HAS_ANSWER:
        answer = await store.find_standing(connection, post.team, row.answer)
        if answer is not None and answer.state in {"open", "wrong"}:
            await _mend_answer(core, connection, answer, look, row.outcome)
        return
    is_known = diagnosis.kind is not DiagnosisKind.SILENCE
    is_other = row.outcome == "linked" and row.fingerprint != diagnosis.fingerprint
    if not is_old and (is_other or (is_known and row.outcome in _NO_ANSWER)):
        await _drop_lines(core, connection, post)
        await store.set_outcome(connection, post, "silence")
        await decide(core, connection, look)


async def _mend_answer(
    core: Core, connection: AsyncConnection, answer: Answer, look: Look, before: str
) -> None:
    """Mend a post's answer; `before` is what the post has got so far."""
    post, diagnosis = look.post, look.diagnosis
    kept = before if before == ABOUT else None
    if await life.is_from_another(connection, answer, post) and not (
        diagnosis.entry and is_nearer(diagnosis.entry, core.kb.entries.get(answer.entry))
    ):
        return
    if diagnosis.entry is None:
        await store.set_outcome(connection, post, "silence")
        await withdraw(core, connection, answer, EDITED)
        return
    if diagnosis.entry.id == answer.entry:
        await sharpen(core, connection, answer, diagnosis, look.rates)
        await store.set_outcome(
            connection, post, kept or answer.facts.kind, diagnosis.fingerprint, answer.id
        )
        return
    outcome, new = await put_in_place(core, connection, look, answer)
    if new is not None and outcome == "revised":
        outcome = kept or new.facts.kind
    identity = new.id if new else None
    await store.set_outcome(connection, post, outcome, diagnosis.fingerprint, identity)


async def regret_post(core: Core, post: Post) -> None:
    """Take back what a deleted post got, and what is kept of it; `post` holds what it said."""
    rates = await core.ledger.rates(post.team)
    async with core.database.write() as connection:
        row = await store.find_post(connection, post.team, post.channel, post.ts)
        if row is None:
            # The deletion overtook the post, which is not looked at any more.
            await store.add_post(connection, post, core.now())
        elif row.outcome == "deleted":
            return
        elif row.outcome == "silence":
            await _forget_miss(connection, post)
        elif row.outcome == "shadow":
            await _drop_rehearsal(core, connection, post, row)
        await _drop_lines(core, connection, post)
        await store.set_outcome(connection, post, "deleted", answer=row.answer if row else None)
        answer = None
        if row is not None and row.answer:
            answer = await store.find_standing(connection, post.team, row.answer)
        if row is not None and answer is not None and row.outcome in _HAS_ANSWER:
            await withdraw(core, connection, answer, DELETED)
        elif row is not None and answer is not None and row.outcome == "joined":
            await stop_quoting(core, connection, answer, rates)
    core.outbox.wake()


async def _forget_miss(connection: AsyncConnection, post: Post) -> None:
    line = pick_line(post.text)
    if line is not None:
        await life.forget_miss(connection, post.team, fingerprint([line], None))


async def _drop_rehearsal(
    core: Core, connection: AsyncConnection, post: Post, row: Row[Any]
) -> None:
    key = name_rehearsal(core, post, row.fingerprint, row.at)
    message = await outbox.find_by_key(connection, post.team, key)
    if message is not None:
        await delete_message(core, connection, message, None)


async def _drop_lines(core: Core, connection: AsyncConnection, post: Post) -> None:
    for line in await life.list_lines(connection, post):
        await delete_message(core, connection, line, post.root)
