"""Pasted lines, code and people's sentences are told apart."""

from __future__ import annotations

import pytest

from rules.clean import clean
from rules.model import CleanText, Line
from rules.talk import hear, is_closed, is_code, is_pasted, is_quoted, stands_in_code, words_around

WORDING = "CUDA out of memory. Tried to allocate"


def line(text, **fields):
    return Line(text, 1, **fields)


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "torch.cuda.OutOfMemoryError: CUDA out of memory.",
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in <module>',
        "NCCL WARN Call to connect failed",
        "slurmstepd: error: Detected 1 oom-kill event",
        "terminate called after throwing an instance of 'c10::Error'",
        "ProcessGroupNCCL.cpp:632 timed out",
        'condition="{Message: kernel: [ 4012.118] NVRM: Xid (PCI:0002:00:00): 119"',
    ],
)
def test_what_a_program_prints_is_pasted(text):
    assert is_pasted(line(text))


@pytest.mark.parametrize(
    "text", ["does anybody know this one?", "we saw an out of memory thing", ""]
)
def test_what_a_person_says_is_not(text):
    assert not is_pasted(line(text))


def test_a_log_prefix_or_the_bare_wording_shows_a_paste_too():
    assert is_pasted(line("anything at all", prefix="[rank0]:"))
    assert is_pasted(line(f"{WORDING} 2 GiB"), WORDING)
    assert not is_pasted(
        line(f"{WORDING} is what my colleague saw on two of our nodes today"), WORDING
    )
    assert not is_pasted(line("short one"), "short")


@pytest.mark.parametrize(
    "text",
    [
        "grep -c 'out of memory' run.log",
        'PATTERNS = {"oom": 1}',
        'with pytest.raises(RuntimeError, match="out of memory"):',
        "    # CUDA out of memory is handled below",
        "+   if xid.code == 63 || xid.code == 64 {",
        'reason == "OOMKilled"',
    ],
)
def test_code_is_known(text):
    assert is_code(line(text))
    assert not is_code(line(text, prefix="[rank0]:"))


def test_code_in_a_traceback_failed_and_is_no_talk():
    trace = clean(
        'Traceback (most recent call last):\n  File "t.py", line 3, in f\n    raise ValueError("widget")'
    )
    alone = clean('def check():\n    raise ValueError("widget")')

    assert not stands_in_code(trace.lines[-1], trace)
    assert stands_in_code(alone.lines[-1], alone)


def test_a_fenced_line_beside_code_is_code():
    fenced = clean("```\ndef check(log):\n    the widget was lost\n    return log\n```")
    plain = clean("the widget was lost\nand the gadget too")

    assert stands_in_code(fenced.lines[1], fenced)
    assert not stands_in_code(plain.lines[0], plain)


def test_each_kind_of_cue_is_counted_once_a_wording():
    text = "it is resolved, resolved I say\nthe wiki page about it\ncan anyone help? why?\nRuntimeError: boom"
    tone = hear(clean(text))

    assert tone.over == 1
    assert tone.about >= 1
    assert tone.help >= 1
    assert tone.questions == 2
    assert (tone.pasted_lines, tone.prose_lines) == (1, 3)


def test_the_errors_own_words_are_no_cues():
    said = "RESOLVED handle of the widget"

    assert hear(clean(f"I see {said}")).over == 1
    assert hear(clean(f"I see {said}"), said).over == 0


def test_only_the_first_lines_and_characters_are_heard():
    many = CleanText(tuple(Line("fine", n) for n in range(1, 200)))

    assert hear(many).prose_lines == 60
    assert hear(CleanText((line("x" * 500 + " resolved"),))).over == 0


def test_words_around_are_those_outside_of_the_wording():
    said = line(f"yesterday {WORDING} 2 GiB again")

    assert words_around(said, WORDING) == 3
    assert words_around(said, "not there") == words_around(said, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'he wrote "{WORDING}" on the board', True),
        (f"he wrote “{WORDING}” on the board", True),
        (f"he saw {WORDING} on the node", False),
        ("nothing of it", False),
        (f'{{"level":"error","message":"{WORDING} 2 GiB","rank":3}}', False),
        (f'time=12:01 msg="{WORDING} 2 GiB" rank=3', False),
        (f'he wrote "{WORDING[:9]}\n{WORDING[9:]}" on the board', True),
    ],
)
def test_quotation_marks_round_the_wording_are_seen(text, expected):
    assert is_quoted(text, WORDING) is expected


@pytest.mark.parametrize(
    "text",
    [
        "[RESOLVED] GpuXid79 (node-c) - GPU has fallen off the bus",
        ":white_check_mark: *[RESOLVED:2] PodOOMKilled*",
        "🟢 RESOLVED: SlurmJobOOM",
        "**Resolved**\nalertname = DiskFull",
        "[Recovered] [Triggered earlier] CrashLoopBackOff",
    ],
)
def test_the_tag_of_an_alert_that_is_over_closes_the_post(text):
    assert is_closed(clean(text))


@pytest.mark.parametrize(
    "text",
    [
        "[FIRING:1] GpuXid79",
        "RESOLVED: the mount, but now every job dies with Bus error",
        "resolved the conflict, now training crashes",
        "[OKD] pods fail",
        "",
    ],
)
def test_other_heads_do_not(text):
    assert not is_closed(clean(text))


def test_a_glossary_is_about_errors():
    states = (
        "NODE_FAIL the node failed\n• `OUT_OF_MEMORY` too much memory\nBOOT_FAIL: did not start"
    )

    assert hear(clean(f"so that we use the same words\n{states}")).about >= 2
    assert hear(clean(states.replace("BOOT_FAIL", "TIMEOUTS"))).about >= 2
    assert hear(clean("NODE_FAIL came up\nNODE_FAIL again\nNODE_FAIL it says")).about == 0
