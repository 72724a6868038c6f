"""Which signatures fire on a cleaned post."""

from __future__ import annotations

import pytest

from rules.clean import clean
from rules.match import match
from tests.rules.conftest import make_entry, make_kb


def fired(text, *entries, fuzzy=False):
    matches = match(clean(text), make_kb(*entries).index, fuzzy=fuzzy)
    return {m.rule.entry.id: m for m in matches.fired}


OOM = make_entry("cuda/oom", "CUDA out of memory. Tried to allocate")
SIGNAL = make_entry("torchrun/hup", "got signal: 1")


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB",
        "runtimeerror: cuda out of memory. tried to allocate 2 gib",
        "RuntimeError: CUDA out of mem\nory. Tried to alloc\nate 2 GiB",
        "RuntimeError: CUDA out of\n  memory. Tried to\nallocate 2 GiB",
        "[rank0]: CUDA out of\n[rank0]:  memory. Tried to allocate 2 GiB",
    ],
)
def test_a_literal_fires_whatever_its_case_and_wraps(text):
    assert fired(text, OOM).keys() == {"cuda/oom"}


def test_a_literal_that_ends_in_a_digit_is_no_part_of_a_longer_number():
    assert not fired("Process 7 got signal: 15", SIGNAL)
    assert fired("Process 7 got signal: 1\n5 more lines", SIGNAL)


def test_a_short_literal_is_a_whole_word():
    entry = make_entry("slurm/x", "Killed by")

    assert fired("it was killed by me", entry)
    assert not fired("overkilled by me", entry)


def test_a_wrapped_literal_between_interleaved_ranks_is_found_rank_by_rank():
    text = (
        "[rank0]: CUDA out of mem\n[rank1]: CUDA out of mem\n"
        "[rank0]: ory. Tried to allocate 2\n[rank1]: ory. Tried to allocate 2"
    )

    assert fired(text, OOM)


REGEX = make_entry(
    "nccl/ib",
    {
        "regex": r"Got completion.{0,40}status=(?P<status>\d+)",
        "when": {"status": "== 12"},
    },
)


def test_a_regex_captures_and_its_condition_decides():
    assert fired("NCCL WARN Got completion from peer with status=12", REGEX)[
        "nccl/ib"
    ].captures == {"status": "12"}
    assert not fired("NCCL WARN Got completion from peer with status=5", REGEX)


def test_a_later_line_may_meet_the_condition():
    text = "Got completion with status=5\nGot completion with status=12"

    assert fired(text, REGEX)["nccl/ib"].lines[0].number == 2


def test_a_wrapped_regex_is_found():
    found = fired("NCCL WARN Got comple\ntion from peer with stat\nus=12", REGEX)

    assert found["nccl/ib"].wrapped


def test_a_hit_deep_in_a_giant_line_is_found():
    text = "x" * 90_000 + " Got completion from peer with status=12 " + "y" * 90_000

    assert fired(text, REGEX)


def test_near_and_unless_are_gates_with_a_reason():
    near = make_entry("a/near", {"text": "it failed badly", "near": ["torch", "nccl"]})
    unless = make_entry("a/unless", "it failed badly", unless=["just kidding"])
    index = make_kb(near, unless).index

    alone = match(clean("it failed badly\njust kidding"), index)
    both = match(clean("it failed badly in NCCL"), index)

    assert [gate for _, gate in alone.gated] == [
        "none of ['torch', 'nccl'] stands near it",
        "'justkidding' shows something else",
    ]
    assert {m.rule.entry.id for m in both.fired} == {"a/near", "a/unless"}


def test_a_misspelt_literal_resembles_its_signature_only_with_fuzzy():
    text = "RuntimeEror: CUDA out of memroy. Tried to alocate 2 GiB"

    assert not fired(text, OOM)
    assert fired(text, OOM, fuzzy=True)["cuda/oom"].how == "fuzzy"


def test_a_digit_is_never_guessed():
    entry = make_entry("slurm/exit", "srun: task failed with exit status code 139")

    assert fired("srun: taks failed with exit status code 139", entry, fuzzy=True)
    assert not fired("srun: taks failed with exit status code 138", entry, fuzzy=True)


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("NET/Plugin: could not find a plugin", "TUNER/Plugin: could not find a plugin"),
        ("GPU requires reset", "a change requires restart of all daemons"),
        (
            "watchdog of the process group hangs",
            "they wrote about the watchdog of the process group",
        ),
        ("nccl unhandled system error", "see the label nccl-unhandled-system-eror there"),
        ("job exits with return code = -", "job exits with return code = 1"),
        ("InfiniBand link flap", "layer: InfiniBand\nLink layer: InfiniBand"),
    ],
)
def test_another_word_is_no_slip(signature, text):
    entry = make_entry("a/word", signature)

    assert fired(signature.replace("e", "", 1), entry, fuzzy=True)
    assert not fired(text, entry, fuzzy=True)


def test_a_line_that_fits_one_signature_does_not_resemble_its_sibling():
    reduce_ = make_entry("pt/reduce", "Watchdog timeout of OpType=REDUCE", role="cascade")
    all_reduce = make_entry("pt/allreduce", "Watchdog timeout of OpType=ALLREDUCE", role="cascade")

    assert fired(
        "Watchdog timeout of OpType=ALLREDUCE", reduce_, all_reduce, fuzzy=True
    ).keys() == {"pt/allreduce"}


def test_copies_of_one_line_are_one_match_with_its_ranks():
    text = "\n".join(f"[rank{n}]: CUDA out of memory. Tried to allocate 1 GiB" for n in range(512))

    lines = fired(text, OOM)["cuda/oom"].lines

    assert lines[0].rank == 0
    assert len(lines) > 100


def test_a_match_is_told_of_on_its_own_line_only():
    entry = make_entry("a/pair", {"regex": r"alloc widget (?P<n>\d+).{0,9}GPU device"})
    text = "GPU device is fine\nalloc widget 7 on GPU device\nGPU device too"

    assert [line.number for line in fired(text, entry)["a/pair"].lines] == [2]


def test_a_short_literal_is_not_put_together_from_two_lines():
    entry = make_entry("a/x", "Killed by")

    assert not fired("it was Killed\nby the way", entry)
    assert not fired("CUDA\nout\nof\nmemory.\nTried\nto\nallocate", OOM)


def test_an_expression_that_refuses_an_unharmed_text_is_not_guessed():
    entry = make_entry("a/x", {"regex": r"the widget was lost on its way to rack \d{2}$"})
    text = "the widget was lost on its way to rack seven"

    assert not fired(text, entry, fuzzy=True)
