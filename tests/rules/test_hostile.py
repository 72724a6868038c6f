"""Hostile text: nothing is raised, and the work grows with the length and no faster.

Work is counted, not timed: the lines of Python that run. What C does inside one call is linear by
construction (RE2, Hyperscan) or bounded by the length that the call is given.
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from rules.diagnose import diagnose, diagnose_log
from tests.rules.conftest import make_entry, make_kb

if TYPE_CHECKING:
    from rules.model import Diagnosis

KB = make_kb(
    make_entry("cuda/oom", "CUDA out of memory. Tried to allocate", unless=["a rehearsal"]),
    make_entry(
        "nccl/status",
        {
            "regex": r"Got completion.{0,200}status=(?P<n>\d{1,9}).{0,80}vendor err",
            "when": {"n": "> 4"},
        },
        {
            "regex": r"(?:widget|gadget) (?:[a-z]{1,20} ){1,6}lost on rank (?P<rank>\d+)",
            "near": ["NCCL"],
        },
    ),
    make_entry("tr/child", "ChildFailedError", role="wrapper", only_if_alone=True),
)
LITERALS = [literal.decode() for literal in KB.index.literals]
ODD = [
    "\x00",
    "\ud800",
    "\u202e",
    "\u0301" * 9,
    "\x1b[",
    "```",
    "`",
    "\\n",
    "\r",
    "&lt;",
    "<http://a|b>",
    "{",
    "]" * 9,
]
TEXTS = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.sampled_from([*LITERALS, *ODD, "[rank0]: ", "\n", " "]),
        st.builds(lambda text, n: text[:n], st.sampled_from(LITERALS), st.integers(0, 30)),
    ),
    max_size=20,
).map("".join)


def holds_together(found: Diagnosis) -> bool:
    return (
        0 <= found.confidence <= 1
        and (found.entry is None) == (found.kind == "silence")
        and (found.advice is None) == (found.entry is None)
        and (found.finding is None or found.finding.line >= 1)
    )


@given(TEXTS, st.booleans())
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_message_is_taken_and_twice_alike(text, slack):
    found = diagnose(text, KB, slack=slack)

    assert holds_together(found)
    assert diagnose(text, KB, slack=slack) == found


@given(st.binary(max_size=400), TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_taken(data, text):
    raw = data + text.encode("utf-8", "replace") + data

    assert holds_together(diagnose_log(io.BytesIO(raw), KB))


SHAPES = {
    "nested brackets": "[" * 64,
    "nested objects": '{"a": [{"b": ',
    "one literal": "CUDA out of memory. Tried to allocate ",
    "one literal a line": "CUDA out of memory. Tried to allocate\n",
    "half a literal": "CUDA out of memory. Tried to alloc ",
    "bait for an expression": "Got completion status=1 status=2 ",
    "bait for a repeat": "widget a b c d e f g h ",
    "bait over lines": "Got completion\nstatus=9\n",
    "one word": "x" * 64,
    "blanks": " " * 64,
    "line feeds": "\n" * 64,
    "carriage returns": "50%|#####     | 1/2 [00:01]\r",
    "zeros": "\x00" * 64,
    "combining": "e" + "\u0301" * 40,
    "right to left": "\u202eabc\u202c \u05d0\u05d1 ",
    "wide": "\U0001f600" * 16,
    "surrogates": "\ud800\udfff",
    "escapes": "\x1b[31m\x1b[",
    "fences": "``` ` ",
    "emphasis": "*_~ *a* _b_ ",
    "entities": "&lt;&amp;&gt; <http://a.b|a.b> <@U1> ",
    "escaped line feeds": "a\\nb\\\\n",
    "prefixes": "[rank0]: 2026-01-01 00:00:00,000 - INFO - a.b - ",
    "prefixed lines": "[rank3]: Error: CUDA out of memory.\n[rank4]: Tried\n",
    "versions": "torch==2.1.0 NCCL version 2.18.3 ",
    "ranks": "rank 1 rank: 2 Rank=3 ",
    "exit codes": "exitcode: -9 exit status 139 SIGSEGV ",
    "settings": "NCCL_DEBUG=INFO NCCL_IB_DISABLE=1 ",
    "dashes and digits": "1-2-3-4:5:6.7 ",
    "quotes": "\"'`“ ",
    "paths": "/a/b/c.py:12 ",
}


def count_lines(text: str) -> int:
    """Lines of Python that run while `text` is diagnosed."""
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = diagnose(text, KB, slack=True)
    finally:
        sys.settrace(before)
    assert holds_together(found)
    return count


@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_text_is_twice_the_work_at_the_most(name):
    shape = SHAPES[name]
    times = max(40, 6_000 // len(shape))
    diagnose(shape * times, KB, slack=True)
    small, large = count_lines(shape * times), count_lines(shape * (4 * times))

    assert large <= 4 * 1.35 * small + 4_000


@pytest.mark.parametrize("name", SHAPES)
def test_a_great_deal_of_it_is_taken(name):
    shape = SHAPES[name]
    text = shape * (400_000 // len(shape))

    assert holds_together(diagnose(text, KB, slack=True))
    assert holds_together(diagnose_log(io.BytesIO(text.encode("utf-8", "replace")), KB))


def test_a_literal_a_hundred_thousand_times_is_one_finding():
    text = "Error: CUDA out of memory. Tried to allocate\n" * 100_000
    found = diagnose(text, KB)

    assert found.entry.id == "cuda/oom"
    assert found.finding.line == 1
    assert found.finding.count <= 10_000
