"""Every shipped entry, with the longest captures, is within Slack's limits in every message."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.localslack.blocks.surfaces import check_message_blocks
from bot.slack.blocks.answer import render_head
from bot.slack.blocks.entry import render_entry
from bot.slack.blocks.parts import LONGEST_TEXT, weigh
from bot.slack.blocks.private import render_private, render_request
from bot.slack.blocks.question import render_question
from bot.slack.blocks.rehearsal import render_rehearsal
from bot.slack.blocks.step import render_step
from bot.store.answers import Answer, Facts
from bot.view import AnswerView, Fix, look
from rules.learn import state_rates
from rules.load import load, shipped
from rules.votes import NOWHERE
from tests.bot.test_blocks import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.slack.blocks.parts import Message
    from rules.entry import Entry
    from rules.load import KnowledgeBase

FORBIDDEN = ("<!channel", "<!here", "<!everyone", "<@", "<http", "@here", "://evil")
HOSTILE = "```<!channel> @here <@U1> <https://evil.example|x> https://evil.example/" + "& " * 40


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    return load([shipped()])


def view_entry(entry: Entry, text: str) -> AnswerView:
    """The entry's answer as it is when most is to be said, with `text` for what a log gave."""
    long = (text * 40)[:4000]
    facts = Facts(
        kind="answer",
        quote=long,
        line=123_456,
        how="regex",
        count=999,
        confidence=0.4,
        stated=(long,) * 20,
        consequences=(entry.title,) * 4,
        tried=tuple(s.id for s in entry.workarounds) + tuple(d.id for d in entry.dead_ends),
        dead_ends=tuple(d.id for d in entry.dead_ends),
    )
    steps = tuple(step.id for step in entry.workarounds)
    answer = Answer("T", "a" * 16, "post", "i", entry.id, "v", "C", None, None, "U", "open",
                    facts, steps, len(steps), 0, 0.0)  # fmt: skip
    view = look(
        answer, entry, state_rates([entry], NOW), NOWHERE, NOW, fixes=(Fix(text[:80], long),)
    )
    people = tuple(
        replace(step, worked=9, worked_by=(text[:80],) * 9) if step.place == 1 else step
        for step in view.steps
    )
    return view if len(text) % 2 else replace(view, steps=people)


def messages(entry: Entry, text: str) -> Iterator[Message]:
    view = view_entry(entry, text)
    private = replace(view, answer=replace(view.answer, source="ask"))
    yield render_head(view)
    yield render_private(private)
    yield render_rehearsal("C1", "https://x.example/a", render_head(view))
    yield render_question(view)
    yield render_request(entry.title, entry.ask)
    yield render_entry(entry, state_rates([entry], NOW), NOW)
    yield from (render_step(view, step) for step in view.steps)


def test_every_message_of_every_entry_is_taken_by_slack(kb: KnowledgeBase) -> None:
    texts = itertools.cycle([HOSTILE, "w" * 4001, HOSTILE + "x"])
    for entry, text in zip(kb.entries.values(), texts, strict=False):
        for message in messages(entry, text):
            assert check_message_blocks(list(message.blocks)) == [], entry.id
            assert 0 < len(message.text) <= LONGEST_TEXT + 200, entry.id
            assert weigh(message.blocks) <= 13_000, entry.id


def test_nothing_mentions_links_or_leaves_its_code_block(kb: KnowledgeBase) -> None:
    for entry in kb.entries.values():
        view = view_entry(entry, HOSTILE)
        for message in (render_head(view), *(render_step(view, step) for step in view.steps)):
            assert not any(token in message.text for token in FORBIDDEN), entry.id
            assert message.text.count("```") % 2 == 0, entry.id
            types = set(list_types(message.blocks))
            assert not types & {"user", "usergroup", "broadcast", "channel", "link"}, entry.id


def list_types(value: object) -> Iterator[str]:
    """Types of all objects in blocks."""
    if isinstance(value, dict):
        yield str(value.get("type"))
        for each in value.values():
            yield from list_types(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from list_types(each)


def test_the_fallback_names_the_diagnosis_every_step_and_its_rate(kb: KnowledgeBase) -> None:
    for entry in kb.entries.values():
        plain = replace(view_entry(entry, "NCCL WARN x").answer.facts, stated=(), tried=())
        view = view_entry(entry, "NCCL WARN x")
        view = look(
            replace(view.answer, facts=plain), entry, state_rates([entry], NOW), NOWHERE, NOW
        )
        said = render_head(view).text
        numbered = [line for line in said.splitlines() if line.split(". ")[0].isdigit()]

        assert "Why: " in said, entry.id
        assert len(numbered) == min(10, len(entry.workarounds)), entry.id
        assert all("(" in line for line in numbered), entry.id
