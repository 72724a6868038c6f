"""The written posts keep their form, and their labels name entries that exist."""

import json
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KB = HERE.parents[1] / "kb"
ENTRIES = frozenset(str(path.relative_to(KB).with_suffix("")) for path in KB.glob("*/*.yaml"))
CASES = {
    name: [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for name in ("silence", "posts")
}
FIELDS = {"id", "shape", "text", "expect", "also_ok", "silence_ok", "notes", "part"}
SHAPES = {
    *("one-liner", "traceback", "nccl-log", "multi-rank-log", "torchrun-table", "dmesg"),
    *("slurm", "kubectl", "prose", "truncated", "chat", "healthy-log", "other-domain"),
}
MULTIPLE = ("[multi]", "[root-cause-chain]")


@pytest.mark.parametrize("name", CASES)
def test_every_line_has_the_fields_and_only_them(name):
    assert [case["id"] for case in CASES[name] if set(case) != FIELDS] == []


@pytest.mark.parametrize("name", CASES)
def test_every_line_has_text_a_known_shape_and_a_part(name):
    assert [
        case["id"]
        for case in CASES[name]
        if not case["text"].strip()
        or case["shape"] not in SHAPES
        or case["part"] not in {"fit", "hold"}
    ] == []


@pytest.mark.parametrize("name", CASES)
def test_labels_name_entries_of_the_knowledge_base(name):
    named = {entry for case in CASES[name] for entry in (*case["expect"], *case["also_ok"])}
    assert named - ENTRIES == set()


@pytest.mark.parametrize("name", CASES)
def test_an_entry_is_either_expected_or_tolerated(name):
    assert [case["id"] for case in CASES[name] if set(case["expect"]) & set(case["also_ok"])] == []


def test_ids_and_texts_are_unique_over_both_files():
    every = [*CASES["silence"], *CASES["posts"]]
    for field in ("id", "text"):
        counts = Counter(case[field] for case in every)
        assert [value for value, count in counts.items() if count > 1] == []


def test_only_live_failures_expect_an_entry():
    assert [case["id"] for case in CASES["silence"] if case["expect"]] == []
    assert [case["id"] for case in CASES["posts"] if len(case["expect"]) != 1] == []


def test_a_tolerated_answer_to_a_silent_post_leaves_silence_right():
    assert [
        case["id"] for case in CASES["silence"] if bool(case["also_ok"]) != case["silence_ok"]
    ] == []


def test_every_entry_has_a_live_failure():
    assert ENTRIES - {entry for case in CASES["posts"] for entry in case["expect"]} == set()


def test_both_files_are_large_and_many_texts_hold_several_errors():
    several = sum(any(mark in case["notes"] for mark in MULTIPLE) for case in CASES["posts"])
    assert (len(CASES["silence"]) >= 450, len(CASES["posts"]) >= 350, several >= 80) == (
        True,
        True,
        True,
    )


@pytest.mark.parametrize("name", CASES)
def test_two_fifths_are_held_back(name):
    share = sum(case["part"] == "hold" for case in CASES[name]) / len(CASES[name])
    assert share == pytest.approx(0.4, abs=0.02)
