"""Messages stay within Slack's limits, and text from logs cannot do anything in them."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.localslack.blocks.surfaces import check_message_blocks, check_view
from bot.slack.blocks.answer import render_head
from bot.slack.blocks.form import check_form, read_form, render_form
from bot.slack.blocks.job import render_job
from bot.slack.blocks.order import say_order
from bot.slack.blocks.parts import LONGEST_TEXT, cut, escape, gist, guard, weigh
from bot.slack.blocks.private import (
    render_doubt,
    render_help,
    render_not_found,
    render_private,
    render_request,
    render_seen_before,
    render_thanks,
)
from bot.slack.blocks.step import render_step
from bot.store.answers import Answer, Facts
from bot.view import AnswerView, Fix, look
from bot.webhooks.model import JobFailure
from rules.entry import DeadEnd, Entry, Signature, Workaround
from rules.learn import state_rates
from rules.votes import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.slack.blocks.parts import Message

NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
HOSTILE = [
    "```<!channel> @here <@U1>```",
    "</https://evil.example|click>",
    "<!subteam^S1> &lt;!here&gt;",
    "\x00\x1b[31m\u202e ``` ``",
    "https://evil.example/path",
]


def make_view(text: str, *, count: int = 3, shown: int = 1) -> AnswerView:
    """An answer in which every field is `text`, with so many steps and dead ends."""
    step = {"do": text, "details": text, "run": text, "success_rate": 0.5}
    end = {"do": text, "why": text, "fail_rate": 0.5, "unless": text}
    entry = Entry.model_construct(
        id="domain/slug",
        title=text[:120],
        root_cause=text,
        ask=(text,) * 5,
        verification="cited",
        verified_on=dt.date(2026, 11, 30),
        signatures=(Signature(text="x"),),
        workarounds=tuple(Workaround.model_construct(id=f"s{n}", **step) for n in range(count)),
        dead_ends=tuple(DeadEnd.model_construct(id=f"d{n}", **end) for n in range(count)),
    )
    facts = Facts(
        kind="answer",
        quote=text,
        line=1,
        how="regex",
        count=3,
        confidence=0.5,
        stated=(text,) * 20,
        consequences=(text,) * 4,
        dead_ends=tuple(f"d{n}" for n in range(count)),
    )
    steps = tuple(f"s{n}" for n in range(count))
    answer = Answer("T", "a" * 16, "ask", "i", entry.id, "v", "C", None, None, "U", "open",
                    facts, steps, shown, 0, 0.0)  # fmt: skip
    return look(answer, entry, state_rates([entry], NOW), NOWHERE, NOW)


def messages(text: str, count: int) -> list[Message]:
    view = make_view(text, count=count, shown=count)
    job = JobFailure(key="k", id=text[:300], name=text[:300], user=text[:300], text=text,
                     hosts=(text[:200],) * 20, url=text[:300])  # fmt: skip
    return [
        render_head(view),
        render_step(view, view.steps[0]),
        render_private(view),
        render_request(text, (text,) * 5),
        render_job(job, (text,) * 9, text, known=False),
        render_job(job, (), "", known=True),
    ]


@pytest.mark.parametrize("count", [1, 4, 12, 30])
@pytest.mark.parametrize("text", ["x" * 5000, "word " * 2000, "&<>" * 3000, *HOSTILE])
def test_every_message_is_within_the_limits_at_the_longest(text: str, count: int) -> None:
    for message in messages(text, count):
        assert check_message_blocks(list(message.blocks)) == []
        assert 0 < len(message.text) <= 4000
        assert len(message.blocks) <= 50
        assert weigh(message.blocks) <= 13_000


@pytest.mark.parametrize(
    ("unless", "said"),
    [
        ("The batches are assembled.", " Unless the batches are assembled."),
        ("A rank works", " Unless a rank works."),
        ("PyTorch is older than 1.10", " Unless PyTorch is older than 1.10."),
        ("NCCL is old", " Unless NCCL is old."),
        ("Slurm requeues it", " Unless Slurm requeues it."),
        ("Ray 1.x", " Unless Ray 1.x."),
        ("Gloo_sockets are used", " Unless Gloo_sockets are used."),
        ("`env` shows it", " Unless env shows it."),
        ("--no-cache-dir is given", " Unless --no-cache-dir is given."),
    ],
)
def test_an_exception_goes_on_in_its_sentence(unless: str, said: str) -> None:
    view = make_view("What holds, says Slurm, persists", count=1)
    [end] = view.entry.dead_ends
    end = end.model_copy(update={"unless": unless})
    entry = view.entry.model_copy(update={"id": "ray/made-up", "dead_ends": (end,)})
    shown = (replace(view.dead_ends[0], dead_end=end),)
    message = render_head(replace(view, entry=entry, dead_ends=shown))

    assert said in "".join(walk_texts(message.blocks))


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("@U00000005 RuntimeError: x", "RuntimeError: x"),
        ("hey @W0123ABCDE is it NCCL WARN", "hey @somebody is it NCCL WARN"),
        ("ssh root@U00000005 failed", "ssh root@U00000005 failed"),
        ("@USER is unknown", "@USER is unknown"),
        ("@U00000005 ", "@somebody"),
    ],
)
def test_a_quote_shows_no_ids_of_people(quote: str, said: str) -> None:
    view = make_view("word", count=1)
    facts = replace(view.answer.facts, quote=quote)
    message = render_head(replace(view, answer=replace(view.answer, facts=facts)))
    shown = [text for text in walk_texts(message.blocks) if said in text]

    assert [text.strip() for text in shown] == [said]
    assert "U00000005" not in message.text or "root" in quote


def walk_texts(value: object) -> Iterator[str]:
    """Texts of blocks, in order."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for each in value.values():
            yield from walk_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from walk_texts(each)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=300))
def test_every_text_can_be_shown(text: str) -> None:
    for message in messages(text, 2):
        assert check_message_blocks(list(message.blocks)) == []
        assert json.dumps(message.arguments)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_a_log_mentions_nobody_links_nowhere_and_ends_no_fence(text: str) -> None:
    view = make_view("plain")
    view = replace(view, answer=replace(view.answer, facts=replace(view.answer.facts, quote=text)))
    head = render_head(view)

    assert not any(token in head.text for token in ("<!", "<@", "<http", "```", "@here", "://"))
    quoted = [
        element
        for block in head.blocks
        if block["type"] == "rich_text"
        for element in block["elements"]
        if element["type"] == "rich_text_preformatted"
    ]
    assert len(quoted) == 1
    kinds = {element["type"] for element in quoted[0]["elements"]}
    assert kinds == {"text"}


@pytest.mark.parametrize("control", [0x1B, 0x7F, 0x9B, 0x61C, 0x200E, 0x202E, 0x2066, 0x2069])
def test_no_control_character_comes_through(control: int) -> None:
    text = f"a{chr(control)}b"
    view = make_view(text)
    fixed = replace(view, fixes=(Fix(text, text),))
    for message in (*messages(text, 2), render_head(fixed)):
        assert chr(control) not in message.text
        assert chr(control) not in json.dumps(message.blocks, ensure_ascii=False)
        assert "ab" in message.text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.integers(2, 40))
def test_encoded_text_fits_and_is_never_cut_inside_an_entity(text: str, most: int) -> None:
    for encoded in (escape(text, most), guard(text, most)):
        assert len(encoded) <= most
        rest = encoded.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
        assert not set("&<>") & set(rest)


def test_prose_is_cut_at_the_end_of_a_sentence() -> None:
    assert gist("One. Two is longer. Three.", 12) == "One."
    assert gist("No end in sight here", 8) == cut("No end in sight here", 8)
    assert gist("Short.", 100) == "Short."
    assert gist("work of its own (saving): then set the timeout", 36) == "work of its own (saving)…"
    assert gist('Read it. It says "Process 7 has ... GiB" there.', 36) == "Read it."
    assert gist("Use the flag, e.g. this one here. Then go on.", 34) == (
        "Use the flag, e.g. this one here."
    )


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("then init_process_group(timeout=)", 20, "then…"),
        ("then init_process_group", 24, "then init_process_group"),
        ("one two three", 8, "one two…"),
        ("one two, three", 9, "one two…"),
        ("a " + "b" * 90, 60, "a " + "b" * 57 + "…"),
        ("b" * 90, 10, "b" * 9 + "…"),
    ],
)
def test_a_text_is_cut_between_words_unless_one_is_very_long(
    text: str, most: int, kept: str
) -> None:
    assert cut(text, most) == kept
    assert escape(text, most) == kept


def test_what_was_tried_is_said_once() -> None:
    view = make_view("some words.")
    facts = replace(view.answer.facts, tried=("s0", "d1"))
    view = look(replace(view.answer, facts=facts), view.entry, state_rates([view.entry], NOW),
                NOWHERE, NOW)  # fmt: skip
    head = render_head(view)

    for said in (head.text, json.dumps(head.blocks)):
        assert said.count("tried") == 1


def test_no_row_has_more_buttons_than_a_narrow_window_shows() -> None:
    for count in (0, 1, 3):
        view = make_view("some words.", count=count, shown=min(1, count))
        steps = (render_step(view, step) for step in view.steps)
        public = replace(view, answer=replace(view.answer, source="post"))
        for message in (render_head(view), render_head(public), render_private(view), *steps):
            rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
            assert rows
            assert all(len(row) <= 3 for row in rows)


def test_no_text_is_shown_twice_where_a_step_is_its_own_command() -> None:
    view = make_view("export NCCL_DEBUG=INFO")
    step = render_step(view, view.steps[0])

    assert "rich_text_preformatted" not in json.dumps(step.blocks)
    assert "```" not in step.text


def test_small_messages_are_sound() -> None:
    small = [render_help(), render_not_found(), render_doubt("a", can_blame=True),
             render_thanks("Noted.", "a|s|up"), render_seen_before("https://x.example/a", 2)]  # fmt: skip
    for message in small:
        assert check_message_blocks(list(message.blocks)) == []
        assert message.text


def test_the_form_is_sound_and_asks_for_something() -> None:
    assert check_view(render_form({"channel": "C1"}), "modal") == []
    empty: dict[str, Any] = {"state": {"values": {"text": {"text": {"value": None}}}}}
    assert check_form(empty) == {
        "response_action": "errors",
        "errors": {"text": "Paste an error or add a file."},
    }
    full = {"state": {"values": {"text": {"text": {"value": "x"}}, "file": {"f": {"files": []}}}}}
    assert check_form(full) is None
    assert read_form(full) == ("x", [])


def test_the_fallback_alone_is_the_whole_answer() -> None:
    view = make_view("some words.")
    text = render_head(view).text

    assert len(text) <= LONGEST_TEXT
    assert text.count("stated 50 %") >= 3
    assert "fails 50 %" in text


@pytest.mark.parametrize(
    ("kinds", "risks", "said"),
    [
        (["fix"], ["none"], ""),
        (["evidence", "evidence"], ["none", "none"], ""),
        (["evidence", "fix"], ["none", "restart"], ": checks first"),
        (["fix", "fix"], ["none", "none"], ": best odds for the time first"),
        (
            ["evidence", "fix", "fix"],
            ["none", "none", "data-loss"],
            ": checks first, then best odds for the time, risky steps last",
        ),
    ],
)
def test_the_order_is_explained_as_far_as_it_holds(
    kinds: list[str], risks: list[str], said: str
) -> None:
    steps = [
        Workaround.model_validate(
            {"id": f"s{n}", "do": "Do.", "kind": kind, "risk": risk, "success_rate": 0.5}
        )
        for n, (kind, risk) in enumerate(zip(kinds, risks, strict=True))
    ]

    assert say_order(steps) == said
