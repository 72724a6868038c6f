"""Random conversations: posts, edits, deletions, reactions, redeliveries, restarts; what always holds.

python -m tests.scenarios.conversations 1000
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, seed, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bot import outbox, pace
from bot.localslack import Timing
from bot.logs import set_up_logs
from bot.store.tables import answers, outbox as messages, posts
from bot.view import standing_vote
from tests.scenarios.conftest import Stage, set_stage
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from bot.localslack import Channel, Message, User

KNOWN = {
    "allreduce": "RuntimeError: [torch.distributed] AllReduce timed out in rank {} (timeout: 600)",
    "memory": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}.00 GiB. GPU 0 has "
    "a total capacity of 79.15 GiB of which 1.00 GiB is free.",
    "fabric": "NET/IB: Got completion with error 12, opcode 0, len {}, vendor err 129",
    "wrapper": "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
    "train_{}.py FAILED\n",
}
UNKNOWN = {
    "talk": "lunch at noon? table {}",
    "question": "how do I raise the NCCL timeout to {} seconds?",
    "healthy": "NCCL INFO Bootstrap : Using eth0:10.0.0.1&lt;{}&gt;",
    "foreign": "FrobnicationError: widget {} is upside down",
}
TEXTS = KNOWN | UNKNOWN
THUMBS = ("+1", "-1", "+1::skin-tone-3", "thumbsdown")
FIRST_NUMBER = 71_000
MOST_ACTS = 10
PER_STAGE = 20
"""Conversations in one workspace before the next one begins."""
_ENDED = {"thread_not_found", "no_target", "taken_back", "message_not_found", "thread_gone"}


@dataclass
class Said:
    """A message of a person, and all that it ever said."""

    message: Message
    kinds: list[str]
    numbers: list[int]
    asked: bool
    deleted: bool = False


@dataclass
class Hand:
    """The thumbs that one person gave on one message, each with its number among all acts."""

    standing: dict[str, int] = field(default_factory=dict)


def read_vote(hands: list[Hand]) -> bool | None:
    """Which way the last thumb that stands points, on whichever message of the step it is."""
    given = [(number, name) for hand in hands for name, number in hand.standing.items()]
    return max(given)[1].startswith("+1") if given else None


class Theatre:
    """A workspace and a bot in it, for one conversation after the other."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.held = AsyncExitStack()
        self.played = 0
        self.stage: Stage = self.run(self._open())

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Return what the coroutine returns."""
        return self.runner.run(work)

    async def _open(self) -> Stage:
        folder = Path(self.held.enter_context(tempfile.TemporaryDirectory()))
        scene = set_stage("socket", folder, build_kb(), Timing(retries=(0.0, 0.3, 1.0, 3.0, 9.0)))
        stage = await self.held.enter_async_context(scene)
        self.bot = AsyncExitStack()
        await self.bot.enter_async_context(stage.running())
        return stage

    async def restart(self) -> None:
        """Stop the bot and start it again on the same database."""
        await self.bot.aclose()
        await self.bot.enter_async_context(self.stage.running())

    def close(self) -> None:
        """End everything."""

        async def end() -> None:
            await self.bot.aclose()
            await self.held.aclose()

        self.run(end())
        self.runner.close()


class Conversation(RuleBasedStateMachine):
    """Three people in a channel of their own."""

    theatre: ClassVar[Theatre | None] = None

    def __init__(self) -> None:
        super().__init__()
        kind = type(self)
        if kind.theatre is not None and kind.theatre.played >= PER_STAGE:
            kind.theatre.close()
            kind.theatre = None
        kind.theatre = kind.theatre or Theatre()
        self.play = kind.theatre
        self.play.played += 1
        self.stage = self.play.stage
        slack, number = self.stage.slack, self.play.played
        self.people: list[User] = [slack.add_user(f"p{number}-{place}") for place in range(3)]
        self.channel: Channel = slack.add_channel(
            f"channel-{number}", [*self.people, self.stage.app]
        )
        self.said: list[Said] = []
        self.hands: dict[tuple[str, str], Hand] = {}
        self.began = len(slack.deliveries)
        self.number = FIRST_NUMBER
        self.acts = 0

    def _write(self, kind: str) -> tuple[str, int]:
        self.number += 1
        return TEXTS[kind].format(self.number), self.number

    def _pick(self, place: int) -> Said | None:
        alive = [each for each in self.said if not each.deleted]
        return alive[place % len(alive)] if alive else None

    @initialize(
        posts=st.lists(
            st.tuples(st.integers(0, 2), st.sampled_from(sorted(TEXTS))), min_size=2, max_size=4
        )
    )
    def open_with(self, posts: list[tuple[int, str]]) -> None:
        for who, kind in posts:
            self.post(who, kind, None, asked=False)

    @rule(
        who=st.integers(0, 2),
        kind=st.sampled_from(sorted(TEXTS)),
        below=st.none() | st.integers(0, 20),
        asked=st.sampled_from([False, False, False, True]),
    )
    def post(self, who: int, kind: str, below: int | None, *, asked: bool) -> None:
        text, number = self._write(kind)
        above = self._pick(below) if below is not None else None
        if asked:
            text = f"<@{self.stage.app.bot_user_id}> {text}"
        thread = above.message if above else None
        if thread is not None and thread.is_reply:
            thread = self.stage.slack.find(self.channel, str(thread.thread_ts))
        if thread is not None and thread.subtype == "tombstone":
            return
        acted = self.stage.slack.post(self.people[who], self.channel, text, thread=thread)
        self.said.append(Said(self.play.run(acted), [kind], [number], asked))

    @precondition(lambda self: self.said)
    @rule(place=st.integers(0, 20))
    def repeat(self, place: int) -> None:
        said = self._pick(place)
        if said is not None and not said.asked:
            poster = self.stage.slack.world.users[str(said.message.user)]
            text = TEXTS[said.kinds[-1]].format(said.numbers[-1])
            acted = self.stage.slack.post(poster, self.channel, text)
            self.said.append(
                Said(self.play.run(acted), said.kinds[-1:], said.numbers[-1:], asked=False)
            )

    @precondition(lambda self: self.said)
    @rule(place=st.integers(0, 20), kind=st.sampled_from(sorted(TEXTS)))
    def edit(self, place: int, kind: str) -> None:
        said = self._pick(place)
        if said is not None:
            text, number = self._write(kind)
            said.kinds.append(kind)
            said.numbers.append(number)
            self.play.run(self.stage.slack.edit(said.message, text))

    @precondition(lambda self: self.said)
    @rule(place=st.integers(0, 20))
    def delete(self, place: int) -> None:
        said = self._pick(place)
        if said is not None:
            said.deleted = True
            self.play.run(self.stage.slack.delete(said.message))

    @precondition(lambda self: self.said)
    @rule(
        who=st.integers(0, 2),
        place=st.integers(0, 20),
        name=st.sampled_from(THUMBS),
        settle=st.booleans(),
    )
    def thumb(self, who: int, place: int, name: str, *, settle: bool) -> None:
        if settle:
            self.quiet()
        steps = [each for each in self._own_messages() if "*Step" in each.text]
        if not steps:
            return
        step, person = steps[place % len(steps)], self.people[who]
        name = name.replace("thumbsdown", "-1")
        hand = self.hands.setdefault((person.id, step.ts), Hand())
        if name in hand.standing:
            del hand.standing[name]
            self.play.run(self.stage.slack.unreact(person, step, name))
        else:
            self.acts += 1
            hand.standing[name] = self.acts
            self.play.run(self.stage.slack.react(person, step, name))

    @precondition(lambda self: self.said)
    @rule(who=st.integers(0, 2), place=st.integers(0, 20))
    def go_on(self, who: int, place: int) -> None:
        self.quiet()
        checks = [
            message
            for message in self._own_messages()
            if any(e.get("action_id") == "next_step" for e in self.stage.slack.elements(message))
        ]
        if checks:
            check = checks[place % len(checks)]
            self.play.run(self.stage.slack.click(self.people[who], check, "next_step"))

    @precondition(lambda self: self.said)
    @rule(place=st.integers(0, 20))
    def dismiss(self, place: int) -> None:
        said = self._pick(place)
        self.quiet()
        if said is None or said.message.is_reply:
            return
        for message in self.stage.bot_replies(said.message):
            if any(e.get("action_id") == "dismiss" for e in self.stage.slack.elements(message)):
                poster = self.stage.slack.world.users[str(said.message.user)]
                self.play.run(self.stage.slack.click(poster, message, "dismiss"))
                return

    @rule(
        how=st.sampled_from(["unfurl", "redeliver", "restart", "quiet"]), place=st.integers(0, 99)
    )
    def disturb(self, how: str, place: int) -> None:
        acts = {"unfurl": self._unfurl, "redeliver": self._redeliver, "restart": self._restart}
        acts.get(how, lambda _: self.quiet())(place)

    def _unfurl(self, place: int) -> None:
        said = self._pick(place)
        if said is not None:
            preview = [{"title": "a page", "text": KNOWN["memory"], "fallback": "a page"}]
            self.play.run(self.stage.slack.unfurl(said.message, preview))

    def _redeliver(self, place: int) -> None:
        mine = [
            each
            for each in self.stage.slack.deliveries[self.began :]
            if each.kind == "events_api" and each.state == "acknowledged"
        ]

        async def again() -> None:
            self.stage.slack.redeliver(mine[place % len(mine)])

        if mine:
            self.play.run(again())

    def _restart(self, place: int) -> None:
        # Half of the restarts find work under way.
        if place % 2:
            self.quiet()
        self.play.run(self.play.restart())

    def quiet(self) -> None:
        """Until nothing is on its way."""
        self.play.run(self.stage.quiet())

    def _own_messages(self) -> list[Message]:
        user = self.stage.app.bot_user_id
        return [each for each in self.stage.slack.messages(self.channel) if each.user == user]

    def teardown(self) -> None:
        try:
            self.quiet()
            self.quiet()
            self.play.run(self._check())
        except BaseException:
            # What failed may have left the bot in any state.
            self.play.played = PER_STAGE
            raise

    async def _check(self) -> None:
        bot = self.stage.bot
        assert bot is not None
        async with bot.core.database.read() as connection:
            here = self.channel.id
            found = sa.select(answers).where(answers.c.channel == here)
            kept = list(await connection.execute(found))
            looked = sa.select(posts).where(posts.c.channel == here)
            outcomes = {row.ts: row for row in await connection.execute(looked)}
            mine = sa.select(messages).where(messages.c.channel == here)
            sent = list(await connection.execute(mine))
        self._check_answers(kept)
        self._check_steps(sent)
        self._check_silence()
        self._check_nothing_lost(kept, outcomes, sent)
        self._check_regret(kept)
        await self._check_votes(kept, sent)

    def _check_answers(self, kept: list[Any]) -> None:
        standing = [row.incident for row in kept if row.state == "open" and row.source == "post"]
        assert len(standing) == len(set(standing)), "two answers for one incident"

    def _check_steps(self, sent: list[Any]) -> None:
        steps = [row for row in sent if (row.part or "").startswith("step:")]
        shown = [(row.answer, row.part) for row in steps if row.method == "post"]
        assert len(shown) == len(set(shown)), "a step was brought twice"

    def _check_silence(self) -> None:
        for said in self.said:
            below = [s for s in self.said if s.message.thread_ts == said.message.ts]
            thread = [said, *(s for s in below if s is not said)]
            is_talk = all(kind in UNKNOWN for each in thread for kind in each.kinds)
            if said.message.is_reply or not is_talk or any(each.asked for each in thread):
                continue
            assert not self.stage.bot_replies(said.message), "talk was answered"

    def _check_nothing_lost(
        self, kept: list[Any], outcomes: dict[str, Any], sent: list[Any]
    ) -> None:
        failed = {row.error for row in sent if row.status == "failed"}
        assert failed <= _ENDED, f"a message was lost: {failed}"
        assert all(row.status in {"sent", "failed"} for row in sent)
        states = {row.id: row.state for row in kept}
        for said in self.said:
            if said.deleted:
                continue
            row = outcomes.get(said.message.ts)
            assert row is not None, "a post was not looked at"
            if said.kinds[-1] in UNKNOWN or said.message.is_reply:
                continue
            assert row.outcome != "silence", f"no answer to {said.kinds}"
            if row.answer is not None and states[row.answer] == "open":
                assert self._stands(row.answer, sent), f"no message for {said.kinds}"

    def _stands(self, answer: str, sent: list[Any]) -> bool:
        heads = [row for row in sent if row.answer == answer and row.part in {"head", "request"}]
        on_slack = {each.ts for each in self.stage.slack.messages(self.channel)}
        return any(row.ts in on_slack or row.error in _ENDED for row in heads)

    def _check_regret(self, kept: list[Any]) -> None:
        shown = "\n".join(each.text + json.dumps(each.blocks) for each in self._own_messages())
        stored = json.dumps([row.facts for row in kept])
        alive = {each.numbers[-1] for each in self.said if not each.deleted}
        for said in self.said:
            if said.deleted:
                for number in {*said.numbers} - alive:
                    assert str(number) not in shown, f"still quoted: {said.kinds}"
                    assert str(number) not in stored, f"still stored: {said.kinds}"

    async def _check_votes(self, kept: list[Any], sent: list[Any]) -> None:
        bot = self.stage.bot
        assert bot is not None
        rates = await bot.core.ledger.rates(self.stage.app.home.team_id)
        by_answer = {row.id: row for row in kept}
        on_slack = {each.ts for each in self.stage.slack.messages(self.channel)}
        steps = {row.ts: row for row in sent if (row.part or "").startswith("step:") and row.ts}
        # An answer that came back brings its steps anew: what a person says of one is one vote.
        votes: dict[tuple[str, str, str, str], list[Hand]] = {}
        for (person, ts), hand in self.hands.items():
            row = steps.get(ts)
            if row is not None and ts in on_slack:
                answer = by_answer[row.answer]
                step, voter = row.part.removeprefix("step:"), bot.core.ledger.mask(person)
                votes.setdefault((answer.incident, answer.entry, step, voter), []).append(hand)
        for about, hands in votes.items():
            vote = standing_vote(rates, *about)
            assert vote is read_vote(hands), "a thumb is not counted as it stands"
        for entry in {row.entry for row in kept}:
            for target in bot.core.kb.entries[entry].workarounds:
                ballots = rates.evidence(entry, target.id).ballots
                voters = [(each.incident, each.voter) for each in ballots]
                assert len(voters) == len(set(voters)), "two votes of one person on one step"


def converse(count: int, number: int = 7) -> None:
    """Play so many conversations; raises with the shortest one that breaks what has to hold."""
    set_up_logs("error", "json")
    before = pace.PER_SECOND, outbox.LOOK_AFTER
    pace.PER_SECOND, outbox.LOOK_AFTER = 1e6, 0.05
    phases = [Phase.explicit, Phase.generate, Phase.shrink]
    chosen = settings(
        max_examples=count,
        stateful_step_count=MOST_ACTS,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    try:
        run_state_machine_as_test(seed(number)(Conversation), settings=chosen)
    finally:
        pace.PER_SECOND, outbox.LOOK_AFTER = before
        if Conversation.theatre is not None:
            Conversation.theatre.close()
            Conversation.theatre = None


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chance = random.SystemRandom().randrange(2**32)
    converse(asked, int(sys.argv[2]) if len(sys.argv) > 2 else chance)
    print(f"{asked} conversations: all invariants held")  # noqa: T201
