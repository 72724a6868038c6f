from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings, strategies as st

from rules.entry import Entry
from rules.interchange.markdown import read_markdown
from rules.interchange.markdown_out import write_markdown
from rules.interchange.result import FormError
from rules.load import load, shipped

TODAY = dt.date(2026, 11, 30)
FOUNDING = """\
# RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)

- **ID:** `pytorch/nccl-timeout-during-allreduce`
- **Domain:** pytorch
- **Category:** network_error
- **Error Code:** `2`
- **Verification:** ai_generated
- **Fix Rate:** 80%

## Root Cause

Network congestion, a slow or crashed worker, or NCCL versions that differ across nodes.

## Version Compatibility

| Version | Status | Introduced | Deprecated |
|---|---|---|---|
| pytorch>=2.1.0 | active | — | — |
| nccl>=2.18.0 | active | — | — |

## Workarounds

1. **Check connectivity between all nodes, then set NCCL_SOCKET_IFNAME.** (85% success)

   ```
   Check connectivity between all nodes, then set NCCL_SOCKET_IFNAME.
   ```

2. Lower the batch size. (75% success)

   ```bash
   --per_device_train_batch_size 1
   ```

3. Switch to the Gloo backend. (80% success)

## Dead Ends

- **** A longer timeout alone: what holds the network up persists. (70% fail)
- ****: Restarting, because the fault is likely persistent (90% fail)
- **Turn up the logging** It diagnoses and does not repair. (95% fail)
"""


def test_the_founding_form_is_read():
    made = read_markdown(FOUNDING, TODAY)
    entry = made.entry

    assert (entry.id, entry.category, entry.error_code, entry.fix_rate) == (
        "pytorch/nccl-timeout-during-allreduce", "network_error", "2", 0.8,
    )  # fmt: skip
    assert entry.versions == {"pytorch": ">=2.1.0", "nccl": ">=2.18.0"}
    assert [s.success_rate for s in entry.workarounds] == [0.85, 0.75, 0.8]
    assert [d.fail_rate for d in entry.dead_ends] == [0.7, 0.9, 0.95]
    assert entry.aliases[0].startswith("RuntimeError: [torch.distributed] AllReduce timed out")


def test_text_that_is_repeated_as_code_is_not_shown_twice():
    steps = read_markdown(FOUNDING, TODAY).entry.workarounds

    assert [step.run for step in steps] == [None, "--per_device_train_batch_size 1\n", None]


def test_nameless_dead_ends_are_named_by_their_reason_and_flagged():
    made = read_markdown(FOUNDING, TODAY)

    assert made.entry.dead_ends[0].do.startswith("A longer timeout alone")
    assert made.entry.dead_ends[2].do == "Turn up the logging"
    assert sum("had no name" in remark for remark in made.remarks) == 2


def test_the_founding_form_survives_there_and_back():
    entry = read_markdown(FOUNDING, TODAY).entry

    assert read_markdown(write_markdown(entry), TODAY).entry == entry


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("no heading", "no heading"),
        (FOUNDING.replace("## Root Cause", "## Reason"), "no root cause"),
        (FOUNDING.replace("(75% success)", ""), "no .* success"),
        (FOUNDING.replace("(70% fail)", ""), "no .* fail"),
        (FOUNDING.replace("## Workarounds", "## Ideas"), "no workaround"),
        (FOUNDING.replace("80%", "180%"), "fix_rate"),
        (FOUNDING.replace("network_error", "Network Error!"), "category"),
    ],
)
def test_broken_input_is_refused_with_a_reason(text, words):
    with pytest.raises(FormError, match=words):
        read_markdown(text, TODAY)


def test_a_dangerous_link_is_left_out_and_reported():
    text = FOUNDING.replace(
        "--per_device_train_batch_size 1\n   ```",
        "x\n   ```\n   Sources: [a](javascript:alert) <https://b.org/x>",
    )
    made = read_markdown(text, TODAY)

    assert made.entry.workarounds[1].sources == ("https://b.org/x",)
    assert any("javascript" in remark for remark in made.remarks)


def test_an_entry_without_an_id_is_named_from_its_heading_and_flagged():
    text = "\n".join(line for line in FOUNDING.splitlines() if "**ID:**" not in line)
    made = read_markdown(text, TODAY)

    assert made.entry.id.startswith("pytorch/runtimeerror-torch-distributed-allreduce")
    assert any("is called" in remark for remark in made.remarks)


def holdable(entry: Entry) -> dict[str, object]:
    """What the form can hold of an entry."""
    flat = lambda text: " ".join(text.split())  # noqa: E731
    return {
        "id": entry.id,
        "category": entry.category,
        "code": entry.error_code,
        "verification": entry.verification,
        "fix_rate": entry.fix_rate,
        "cause": flat(entry.root_cause),
        "versions": dict(entry.versions),
        "steps": [
            (
                flat(s.do),
                flat(s.details or ""),
                s.success_rate,
                (s.run or "").rstrip("\n"),
                s.sources,
            )
            for s in entry.workarounds
        ],
        "ends": [(flat(d.do), flat(d.why), d.fail_rate, d.sources) for d in entry.dead_ends],
        "sources": entry.sources,
    }


def test_every_shipped_entry_keeps_what_the_form_can_hold():
    for entry in load([shipped()]).entries.values():
        assert holdable(read_markdown(write_markdown(entry), TODAY).entry) == holdable(entry)


PLAIN = st.text("abcdefgh ij,.", min_size=1, max_size=40).map(lambda s: f"w{s.strip()}z")
RATE = st.integers(0, 1000).map(lambda n: n / 1000)


@st.composite
def entries(draw):
    code = st.text("ab $#|&<>'\"\n-`", min_size=1, max_size=40).map(lambda s: f"x{s}y")
    steps = draw(
        st.lists(
            st.tuples(PLAIN, RATE, st.none() | PLAIN, st.none() | code), min_size=1, max_size=3
        )
    )
    ends = draw(st.lists(st.tuples(PLAIN, PLAIN, RATE), max_size=3))
    return Entry(
        id="a/b", title="t", category="x", verification="cited", verified_on=TODAY,
        fix_rate=draw(RATE), root_cause=draw(PLAIN), signatures=[{"text": "some words"}],
        versions=draw(st.dictionaries(st.sampled_from(["nccl", "pytorch"]), st.just(">=2.1"))),
        workarounds=[
            {"id": f"s{n}", "do": do, "success_rate": rate, "details": details, "run": run}
            for n, (do, rate, details, run) in enumerate(steps)
        ],
        dead_ends=[
            {"id": f"d{n}", "do": do, "why": why, "fail_rate": rate}
            for n, (do, why, rate) in enumerate(ends)
        ],
    )  # fmt: skip


@given(entries())
@settings(max_examples=150, deadline=None)
def test_any_entry_keeps_what_the_form_can_hold(entry):
    assert holdable(read_markdown(write_markdown(entry), TODAY).entry) == holdable(entry)
