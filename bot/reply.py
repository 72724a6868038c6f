"""What a post gets: an answer, a change of one, a line, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.answering import (
    examine,
    find_incident,
    make_answer,
    open_answer,
    say_in_thread,
    weigh_file,
)
from bot.around import has_gone, look_around, note_pieces
from bot.core import Core, make_id
from bot.elsewhere import find_solved
from bot.incidents import trace
from bot.misses import note_miss, pick_line
from bot.paste import PASTE_GAP, find_earlier, read_paste
from bot.restraint import hold_back
from bot.revise import revise, stop_quoting, withdraw
from bot.slack.blocks.private import (
    render_help,
    render_no_picture,
    render_note,
    render_seen_before,
    say_not_found,
)
from bot.store import answers as store, life, outbox
from bot.store.channels import read_channel
from bot.threads import Move, choose
from rules.model import DiagnosisKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.around import Around
    from bot.paste import Paste
    from bot.posts import Post
    from bot.store.answers import Answer
    from bot.store.channels import ChannelSettings
    from rules.learn import Rates
    from rules.model import Diagnosis

    ReadFiles = Callable[[Post], Awaitable[Diagnosis | None]]


SEEN = "The post shows a failure that is answered already."


@dataclass(frozen=True, slots=True)
class Look:
    """A post that was looked at, and what was seen."""

    post: Post
    diagnosis: Diagnosis
    rates: Rates
    paste: Paste | None = None
    around: Around | None = None

    @property
    def owner(self) -> str:
        """Whose failure it is: of who posted it, not of who asks about it."""
        return self.around.source.poster if self.around else self.post.poster

    @property
    def others(self) -> tuple[str, ...]:
        """Time stamps of the other pieces of what is one paste."""
        if self.paste is not None:
            return self.paste.stamps
        return self.around.stamps if self.around and self.post.thread is None else ()


async def answer_post(core: Core, post: Post, read_files: ReadFiles | None = None) -> bool:
    """Look at a post, once, and answer it where it deserves an answer; whether this look counts.

    `read_files` diagnoses what is attached; it is asked where the text shows nothing.
    """
    async with core.database.read() as connection:
        if await store.was_looked_at(connection, post):
            return False
        channel = await read_channel(connection, post.team, post.channel)
    if not may_look(channel, post):
        return False
    rates = await core.ledger.rates(post.team)
    diagnosis = await examine_post(core, post, channel, rates, read_files)
    look = Look(post, diagnosis, rates)
    if post.asked and diagnosis.kind is DiagnosisKind.SILENCE:
        look = await _look_around(core, look, read_files)
    outcome = await _settle(core, look)
    if outcome is None:
        return False
    core.metrics.posts.labels(outcome).inc()
    core.outbox.wake()
    return True


def may_look(channel: ChannelSettings, post: Post) -> bool:
    """Whether the channel's settings let the bot look at a post."""
    return channel.mode != "off" and (channel.mode != "asked" or post.asked)


async def examine_post(
    core: Core,
    post: Post,
    channel: ChannelSettings,
    rates: Rates,
    read_files: ReadFiles | None,
) -> Diagnosis:
    """Diagnose what a post says, else what is attached to it."""
    threshold = None if post.asked else (channel.threshold or core.settings.threshold)
    diagnosis = await examine(core, post.text, rates, asked=post.asked, threshold=threshold)
    if diagnosis.kind is not DiagnosisKind.ANSWER and post.files and read_files:
        diagnosis = weigh_file(diagnosis, await read_files(post))
    return diagnosis


async def _look_around(core: Core, look: Look, read_files: ReadFiles | None) -> Look:
    """Look at what a question is about; below an answer it is talk about that."""
    async with core.database.read() as connection:
        if await _find_here(connection, look.post) is not None:
            return look
    around = await look_around(core, look.post, look.rates, read_files)
    if around is None:
        return look
    if around.diagnosis.kind is DiagnosisKind.SILENCE:
        unread = look.diagnosis.unread or around.diagnosis.unread
        return replace(look, diagnosis=replace(look.diagnosis, unread=unread))
    return replace(look, diagnosis=around.diagnosis, around=around)


async def _find_here(connection: AsyncConnection, post: Post) -> Answer | None:
    return await store.find_in_thread(connection, post.team, post.channel, post.root)


async def _settle(core: Core, look: Look) -> str | None:
    """Decide what a post gets; none where another worker did."""
    post = look.post
    is_known = look.diagnosis.kind is not DiagnosisKind.SILENCE
    # Who asks gets an answer below the question, whatever was posted just before.
    looked_round = not is_known or post.asked or post.thread is not None or look.around is not None
    while True:
        async with core.database.write() as connection:
            # Writers stand in a row: of two pieces at once the second one sees the first.
            if looked_round or not await life.has_neighbour(connection, post, PASTE_GAP):
                if not await store.add_post(connection, post, core.now()):
                    return None
                return await decide(core, connection, look)
        paste = await read_paste(core, post, look.diagnosis, look.rates)
        look, looked_round = replace(look, paste=paste), True


async def decide(core: Core, connection: AsyncConnection, look: Look) -> str:
    """Decide and enqueue; what the post got."""
    post = look.post
    seen = look.paste.diagnosis if look.paste else look.diagnosis
    owned = replace(post, poster=look.owner)
    held = await hold_back(core, connection, owned, seen, look.rates)
    if held is not None:
        return held
    if await _shows_nothing(connection, look):
        return await _say_unknown(core, connection, look)
    if look.paste is not None:
        look = replace(look, diagnosis=look.paste.diagnosis)
    earlier = await find_earlier(connection, post, look.others)
    if earlier is not None:
        return await _join(core, connection, look, earlier)
    # A post's own thread has an answer where a reply overtook it.
    earlier = await _find_here(connection, post)
    outcome = await _reply_in_thread(core, connection, look, earlier)
    return outcome or await _enter(core, connection, look)


async def _shows_nothing(connection: AsyncConnection, look: Look) -> bool:
    if look.around is not None and await has_gone(connection, look.around):
        return True
    return look.diagnosis.kind is DiagnosisKind.SILENCE


async def _enter(core: Core, connection: AsyncConnection, look: Look) -> str:
    """Enter a failure into its incident: the first post is answered, later ones are led to that."""
    post = look.post
    mark = trace(look.diagnosis, look.owner, core.now())
    incident, is_new = await find_incident(core, connection, post.team, look.diagnosis, mark)
    if not is_new:
        await store.see_again(connection, post.team, incident, mark)
        earlier = await _answered_here(connection, post, incident)
        if earlier is not None:
            return await _say_again(core, connection, look, earlier)
    answer = await _answer(core, connection, look, incident)
    return answer.facts.kind


async def _answer(core: Core, connection: AsyncConnection, look: Look, incident: str) -> Answer:
    post = look.post
    answer = make_answer(
        core,
        look.diagnosis,
        identity=make_id(post.team, post.channel, post.ts, post.edited),
        team=post.team,
        source="post",
        incident=incident,
        channel=post.channel,
        thread=post.root,
        poster=look.owner,
    )
    solved = await find_solved(core, connection, answer, look.rates)
    answer = replace(answer, facts=replace(answer.facts, solved=solved))
    is_about_another = look.around is not None and post.thread is not None
    outcome = "asked" if is_about_another else answer.facts.kind
    await _note(connection, look, outcome, None if is_about_another else answer)
    if look.around is not None:
        await note_pieces(connection, look.around, answer, core.now())
    await open_answer(core, connection, answer, look.rates)
    return answer


async def _note(
    connection: AsyncConnection, look: Look, outcome: str, answer: Answer | None = None
) -> None:
    identity = answer.id if answer else None
    await store.set_outcome(connection, look.post, outcome, look.diagnosis.fingerprint, identity)


async def _say_unknown(core: Core, connection: AsyncConnection, look: Look) -> str:
    post = look.post
    await note_miss(core, connection, post)
    if post.asked and not await _is_talk(connection, post):
        what, line = "not_found", render_note(say_not_found(look.diagnosis.unread))
        if post.is_picture:
            what, line = "no_picture", render_no_picture()
        elif post.asks_for_help and post.thread is None:
            what, line = "help", render_help()
        await say_in_thread(core, connection, post, what, line)
    return "silence"


async def _is_talk(connection: AsyncConnection, post: Post) -> bool:
    """Whether it is a word about an answer, below it, and no error that nobody knows."""
    if post.files or pick_line(post.text) is not None:
        return False
    return await _find_here(connection, post) is not None


async def _join(core: Core, connection: AsyncConnection, look: Look, earlier: Answer) -> str:
    """Add a piece of a paste to the answer that another piece got."""
    entry = look.diagnosis.entry
    outcome: str = "joined"
    answer: Answer | None = earlier
    is_open = earlier.state == "open" and look.diagnosis.kind is DiagnosisKind.ANSWER
    if is_open and entry is not None and entry.id != earlier.entry:
        outcome, answer = await put_in_place(core, connection, look, earlier)
    await _note(connection, look, outcome, answer)
    return outcome


async def _reply_in_thread(
    core: Core, connection: AsyncConnection, look: Look, earlier: Answer | None
) -> str | None:
    """Do what a reply needs in a thread that may have an answer; none where it gets its own."""
    post = look.post
    before = core.kb.entries.get(earlier.entry) if earlier else None
    is_poster = earlier is not None and earlier.poster == post.poster
    move = choose(earlier, before, look.diagnosis, asked=post.asked, is_poster=is_poster)
    if earlier is None or move is Move.ANSWER:
        return None
    outcome: str = "same_thread"
    answer: Answer | None = earlier
    if move is Move.REVISE:
        outcome, answer = await put_in_place(core, connection, look, earlier)
    elif move is Move.LINK:
        await _link(core, connection, post, earlier)
        outcome = "linked"
    await _note(connection, look, outcome, answer)
    return outcome


async def put_in_place(
    core: Core, connection: AsyncConnection, look: Look, old: Answer
) -> tuple[str, Answer | None]:
    """Put what a post shows in the place of an answer; what the post got, and the answer it has.

    Where the incident has its answer already, a line that links to it.
    """
    post = look.post
    mark = trace(look.diagnosis, old.poster, core.now())
    incident, is_new = await find_incident(core, connection, old.team, look.diagnosis, mark)
    if not is_new and incident != old.incident:
        await store.see_again(connection, old.team, incident, mark)
        other = await _answered_here(connection, post, incident)
        if other is not None:
            await store.set_outcome(connection, post, "silence")
            await withdraw(core, connection, old, SEEN)
            outcome = await _say_again(core, connection, look, other)
            return outcome, other if outcome == "linked" else None
    if old.facts.kind == "answer" and await life.is_linked(connection, old):
        # Others were sent here for what it says.
        await stop_quoting(core, connection, old, look.rates)
        new = await _answer(core, connection, look, incident)
        return new.facts.kind, new
    new = await revise(
        core,
        connection,
        old,
        look.diagnosis,
        incident=incident,
        identity=make_id(post.team, post.channel, post.ts, post.edited),
        rates=look.rates,
    )
    return "revised", new


async def _answered_here(connection: AsyncConnection, post: Post, incident: str) -> Answer | None:
    """Return the incident's answer that a reader of this channel can follow a link to."""
    for answer in await store.list_answers(connection, post.team, incident):
        is_here = answer.channel == post.channel and answer.thread not in {None, post.root}
        is_over = answer.state == "dismissed" and (post.asked or answer.poster != post.poster)
        if is_here and not answer.is_private and answer.state != "wrong" and not is_over:
            return answer
    return None


async def _say_again(core: Core, connection: AsyncConnection, look: Look, earlier: Answer) -> str:
    """Say in one line where the incident was answered; nothing to whom that did not help."""
    if earlier.state == "dismissed":
        await _note(connection, look, "quiet")
        return "quiet"
    await _link(core, connection, look.post, earlier)
    await _note(connection, look, "linked", earlier)
    return "linked"


async def _link(core: Core, connection: AsyncConnection, post: Post, earlier: Answer) -> None:
    workspace = await core.workspaces.find(post.team)
    incident = await store.find_incident(connection, post.team, earlier.incident)
    assert workspace is not None
    assert earlier.thread is not None
    assert incident is not None
    head = await outbox.find_by_key(connection, post.team, earlier.head_key)
    link = workspace.link(earlier.channel, earlier.thread)
    if earlier.thread == post.root and head is not None and head.ts:
        link = workspace.link(earlier.channel, head.ts, earlier.thread)
    line = render_seen_before(link, incident.posts)
    await say_in_thread(core, connection, post, "link", line)
