"""The rendered messages as a person reads them, kept beside the tests.

After a wanted change: `SNAPSHOTS=write pytest tests/bot/test_snapshots.py`, and read the diff.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from bot.localslack.blocks.surfaces import check_message_blocks, check_view
from bot.slack.blocks.answer import render_head
from bot.slack.blocks.channel import (
    render_hello,
    render_over,
    render_saved,
    render_settings,
    render_snoozed,
    render_woken,
)
from bot.slack.blocks.deadends import render_dead_ends
from bot.slack.blocks.end import End, render_call, render_end, render_fix_form
from bot.slack.blocks.entry import render_entry, render_found, render_stats
from bot.slack.blocks.form import render_form
from bot.slack.blocks.home import Home, render_home
from bot.slack.blocks.job import render_job
from bot.slack.blocks.private import (
    render_doubt,
    render_help,
    render_not_found,
    render_private,
    render_request,
    render_seen_before,
    render_thanks,
    render_withdrawn,
)
from bot.slack.blocks.question import render_answered, render_question
from bot.slack.blocks.refused import render_refused
from bot.slack.blocks.rehearsal import render_rehearsal
from bot.slack.blocks.step import render_step
from bot.slack.files import say_unread
from bot.slack.groups import Group
from bot.store.answers import Answer, Facts
from bot.store.channels import ChannelSettings
from bot.view import AnswerView, Fix, look
from bot.webhooks.model import JobFailure
from bot.week import Week
from rules.entry import Entry
from rules.learn import state_rates
from rules.search import search
from rules.votes import NOWHERE
from rules.watch import Move
from tests.bot.test_blocks import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.slack.blocks.parts import Message

FOLDER = Path(__file__).parent / "snapshots"
ENTRY = Entry.model_validate(
    {
        "id": "pytorch/made-up-timeout",
        "title": "AllReduce timed out: the ranks stopped agreeing on a collective",
        "category": "network_error",
        "verification": "cited",
        "verified_on": "2026-11-30",
        "fix_rate": 0.8,
        "root_cause": "One rank did not enter an allreduce within the time limit.",
        "signatures": [{"text": "AllReduce timed out in rank"}],
        "ask": ["the log of the first rank that failed"],
        "workarounds": [
            {
                "id": "set-interface",
                "do": "Check connectivity, then set `NCCL_SOCKET_IFNAME` to the right interface.",
                "details": "It worked when `NET/Socket : Using` names that interface.",
                "run": "ip -brief address\nexport NCCL_SOCKET_IFNAME=ib0",
                "success_rate": 0.85,
                "sources": ["https://docs.example/nccl"],
            },
            {"id": "less-traffic", "do": "Accumulate gradients.", "success_rate": 0.75},
            {
                "id": "restart-fabric",
                "do": "Restart the fabric manager.",
                "success_rate": 0.8,
                "risk": "restart",
            },
        ],
        "dead_ends": [
            {
                "id": "raise-the-timeout",
                "do": "Raise the timeout and nothing else.",
                "why": "What holds the network up persists.",
                "fail_rate": 0.7,
                "unless": "one rank has legitimate work that takes longer",
            }
        ],
        "samples": {"match": [{"text": "AllReduce timed out in rank 0"}]},
        "sources": ["https://docs.example/nccl"],
    }
)
RATES = state_rates([ENTRY], NOW)
UNREAD = say_unread(50 << 20, is_cut=True, is_damaged=False)


def view_founding(**facts: Any) -> AnswerView:
    stated = Facts(
        kind="answer",
        quote="RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)",
        line=17,
        how="text",
        count=2,
        confidence=0.97,
        stated=("first to fail: rank 3 on node-7", "allreduce", "timeout 600 s"),
        dead_ends=tuple(end.id for end in ENTRY.dead_ends),
    )
    steps = tuple(step.id for step in ENTRY.workarounds)
    answer = Answer("T", "a1", "post", "i1", ENTRY.id, "0123456789", "C1", "1.1", None, "U1",
                    "open", replace(stated, **facts), steps, 1, 0, 0.0)  # fmt: skip
    return look(answer, ENTRY, RATES, NOWHERE, NOW)


def run_view() -> AnswerView:
    view = view_founding()
    first, second, *rest = view.steps
    failed = replace(first, failed=1)
    worked = replace(second, worked=2, worked_by=("alice", "bob"))
    return replace(view, steps=(failed, worked, *rest))


def solved_view() -> AnswerView:
    return replace(view_founding(), fixes=(Fix("bob", "Replaced the cable of node-7."),))


def solved_twice_view() -> AnswerView:
    return replace(run_view(), fixes=solved_view().fixes)


def private_view() -> AnswerView:
    view = view_founding()
    return replace(view, answer=replace(view.answer, source="ask"))


def over_view() -> AnswerView:
    """A private answer whose last step did not help either."""
    view = private_view()
    steps = tuple(replace(step, failed=1) for step in view.steps)
    return replace(view, steps=steps, answer=replace(view.answer, shown=len(steps)))


def check_view_first() -> AnswerView:
    """An answer that begins with a step that gathers evidence."""
    look_first = {
        "id": "find-the-rank",
        "do": "Find the rank that failed first.",
        "run": "grep -m1 -n Error rank-*.log",
        "kind": "evidence",
        "success_rate": 0.5,
        "minutes": 3,
        "sources": ["https://github.com/NVIDIA/nccl/issues/905", "https://docs.example/find"],
    }
    known = ENTRY.model_dump(mode="json")
    entry = Entry.model_validate({**known, "workarounds": [look_first, *known["workarounds"]]})
    answer = view_founding().answer
    answer = replace(answer, steps=tuple(step.id for step in entry.workarounds))
    return look(answer, entry, state_rates([entry], NOW), NOWHERE, NOW)


def lively_home() -> Home:
    """The Home tab of a maintainer after a week in which something happened."""
    before = RATES.of(ENTRY, "less-traffic")
    move = Move(ENTRY.id, "less-traffic", before, replace(before, mean=0.81))
    end = RATES.of(ENTRY, "raise-the-timeout")
    worse = Move(ENTRY.id, "raise-the-timeout", end, replace(end, mean=0.2))
    unsolved = SimpleNamespace(answer="a1", entry=ENTRY.id)
    fix = SimpleNamespace(entry=ENTRY.id, voter="~v", text="Replaced the cable of node-7.")
    week = replace(WEEK, gained=(move,), lost=(worse,), unsolved=(unsolved,), fixes=(fix,))
    steps = {(ENTRY.id, each.id): each.do for each in (*ENTRY.workarounds, *ENTRY.dead_ends)}
    links = {"a1": "https://x.example/archives/C1/p1"}
    titles = {ENTRY.id: ENTRY.title}
    return Home(week, titles, steps, links, {"~v": "bob"}, may_set=True, sees_fixes=True)


JOB = JobFailure(
    key="k",
    id="4242",
    name="pretrain",
    cluster="a100",
    hosts=("node-7", "node-8"),
    exit_code=1,
    text="",
)
WEEK = Week(
    now=NOW,
    incidents=3,
    answers=2,
    voted=1,
    top=((ENTRY.id, ENTRY.title, 3),),
    gained=(),
    lost=(),
    unsolved=(),
    fixes=(),
    entries=224,
    version="0123456789",
)
MESSAGES: dict[str, Message] = {
    "answer": render_head(view_founding()),
    "answer-while-run": render_head(run_view()),
    "answer-solved-another-way": render_head(solved_view()),
    "answer-to-who-tried": render_head(view_founding(tried=(ENTRY.dead_ends[0].id,))),
    "answer-private": render_private(private_view()),
    "answer-private-over": render_private(over_view()),
    "answer-with-checks": render_head(check_view_first()),
    "step": render_step(view_founding(), view_founding().steps[0]),
    "step-risky": render_step(view_founding(), view_founding().steps[-1]),
    "step-check": render_step(check_view_first(), check_view_first().steps[0]),
    "question": render_question(check_view_first()),
    "doubt": render_doubt("a1", can_blame=True),
    "thanks": render_thanks("Noted: this step did not help.", "a1|set-interface|down"),
    "seen-before": render_seen_before("https://x.example/archives/C1/p1", 3),
    "withdrawn": render_withdrawn(ENTRY.title, "The post was deleted."),
    "request": render_request("A worker died", ("the log of the first rank that failed",)),
    "not-found": render_not_found(),
    "not-found-in-part": render_not_found(UNREAD),
    "request-of-a-part": render_request("A worker died", ("the whole log",), UNREAD),
    "answer-of-a-part": render_head(view_founding(unread=UNREAD)),
    "answer-solved-twice": render_head(solved_twice_view()),
    "job": render_job(JOB, (), "", known=True),
    "job-unknown": render_job(JOB, ("rank 3", "exit code 1"), "Error: it broke", known=False),
    "end": render_end(End("a1", has_owners=True, was_called=False, saved_by=None)),
    "end-done": render_end(End("a1", has_owners=True, was_called=True, saved_by="bob")),
    "call": render_call("S1"),
    "dead-ends": render_dead_ends("a1", view_founding().dead_ends),
    "question-answered": render_answered(2),
    "saved": render_saved(ChannelSettings(mode="asked", threshold=0.8)),
    "woken": render_woken("alice", ENTRY.id),
    "refused": render_refused([f"kb/a/b.yaml:{n}: ```<!channel>" for n in range(12)], "0123456789"),
    "entry": render_entry(ENTRY, RATES, NOW),
    "search": render_found("timed out", search([ENTRY], "timed out", 8)),
    "stats": render_stats(WEEK),
    "help": render_help(),
    "hello": render_hello(),
    "snoozed": render_snoozed("alice", ENTRY.id, NOW.timestamp(), None),
    "snoozed-longest": render_snoozed("alice", "", NOW.timestamp(), 30),
    "snooze-over": render_over(ENTRY.id),
    "shadow": render_rehearsal("C1", "https://x.example/archives/C1/p1", render_head(run_view())),
}
GROUPS = (Group("S1", "gpu-owners", frozenset({"U1"})),)
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "settings": (
        "modal",
        render_settings("C1", ChannelSettings(), GROUPS, trusted=True, has_shadow=True),
    ),
    "fix-form": ("modal", render_fix_form("a1")),
    "form": ("modal", render_form({"channel": "C1"})),
    "home": (
        "home",
        render_home(lively_home()),
    ),
}


def draw(blocks: Any) -> Iterator[str]:
    """Blocks as lines of text, near to what Slack shows."""
    for block in blocks:
        kind = block["type"]
        if kind == "rich_text":
            for element in block["elements"]:
                yield from draw_rich(element)
        elif kind in {"actions", "context"}:
            yield " ".join(map(draw_element, block["elements"]))
        elif kind == "input":
            yield f"{block['label']['text']}: {draw_element(block['element'])}"
        elif kind == "header":
            yield f"# {block['text']['text']}"
        else:
            yield "---" if kind == "divider" else block["text"]["text"]
        yield ""


def draw_rich(element: dict[str, Any]) -> Iterator[str]:
    if element["type"] == "rich_text_list":
        for number, item in enumerate(element["elements"], 1):
            mark = f"{number}." if element["style"] == "ordered" else "-"
            yield f"  {mark} {''.join(map(draw_text, item['elements']))}"
    elif element["type"] == "rich_text_preformatted":
        yield from (f"    | {each}" for each in element["elements"][0]["text"].splitlines())
    else:
        yield "".join(map(draw_text, element["elements"]))


def draw_text(element: dict[str, Any]) -> str:
    text = str(element.get("text") or f":{element.get('name')}:")
    for style, mark in (("code", "`"), ("bold", "*"), ("strike", "~")):
        if element.get("style", {}).get(style) and text.strip():
            text = f"{mark}{text}{mark}"
    return text


def draw_element(element: dict[str, Any]) -> str:
    if element["type"] == "button":
        return f"[{element['text']['text']}]"
    if element["type"] in {"static_select", "conversations_select"}:
        options = [option["text"]["text"] for option in element.get("options", ())]
        return f"<{' | '.join(options) or element['placeholder']['text']}>"
    return str(element["text"]) if isinstance(element.get("text"), str) else _plain(element)


def _plain(element: dict[str, Any]) -> str:
    return "____" if element["type"].endswith("input") else str(element.get("text", ""))


def compare(name: str, text: str) -> None:
    path = FOLDER / f"{name}.txt"
    if os.environ.get("SNAPSHOTS") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_reads_as_it_should(name: str) -> None:
    message = MESSAGES[name]

    assert check_message_blocks(list(message.blocks)) == []
    fallback = f"== as plain text\n\n{message.text}\n"
    compare(name, "\n".join([*draw(message.blocks), fallback]))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_reads_as_it_should(name: str) -> None:
    kind, view = VIEWS[name]

    assert check_view(view, kind) == []
    title = [f"[[ {view['title']['text']} ]]", ""] if "title" in view else []
    compare(name, "\n".join([*title, *draw(view["blocks"])]))


def list_marked_up(value: object) -> Iterator[str]:
    """Texts in which Slack reads mark-up."""
    if isinstance(value, dict):
        if value.get("type") == "mrkdwn":
            yield value["text"]
        for each in value.values():
            yield from list_marked_up(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from list_marked_up(each)


def test_what_stands_in_angles_is_a_link_a_channel_a_person_or_a_date() -> None:
    views = [view["blocks"] for _, view in VIEWS.values()]
    texts = [message.text for message in MESSAGES.values()]
    texts += list_marked_up([*views, *(message.blocks for message in MESSAGES.values())])
    found = {token for text in texts for token in re.findall("<([^>]*)>", text)}

    assert len(found) >= 5
    assert [t for t in found if not re.match(r"https://|#C|@U|!subteam\^S|!date\^", t)] == []


def test_every_snapshot_is_of_a_message() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*MESSAGES, *VIEWS}
