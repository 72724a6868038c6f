"""`nccl-bot eval`: scores of labelled cases."""

from __future__ import annotations

import json

import pytest

from bot.cli import evaluate as command, main
from tests.rules.conftest import make_entry, make_kb

KB = make_kb(
    make_entry("cuda/oom", "CUDA out of memory. Tried to allocate"),
    make_entry("pt/closed", "Connection closed by peer in gloo transport", role="cascade"),
)
OOM = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"
CASES = [
    {"id": "a", "text": OOM, "expect": ["cuda/oom"], "shape": "one-liner"},
    {
        "id": "b",
        "text": OOM.replace("memory", "memroy"),
        "expect": ["cuda/oom"],
        "shape": "traceback",
    },
    {"id": "c", "text": "lunch at noon?", "expect": [], "shape": "chat", "notes": "hard: food"},
    {
        "id": "d",
        "text": OOM,
        "expect": ["pt/closed"],
        "also_ok": [],
        "shape": "one-liner",
        "notes": "wrong",
    },
    {"id": "e", "text": "nothing", "expect": ["cuda/oom"], "silence_ok": True, "shape": "prose"},
]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A small knowledge base."""
    monkeypatch.setattr(command, "load_kb", lambda _arguments: KB)


def write(tmp_path, rows):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def run(capsys, *arguments):
    code = main(["eval", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_scores_are_printed_as_one_json_object(capsys, tmp_path):
    code, out, _ = run(capsys, write(tmp_path, [*CASES, ""]), "--json")
    scores = json.loads(out)

    assert code == 0
    assert {"top1", "top3", "mrr", "missed", "ece", "auroc", "p50_ms", "p99_ms"} <= set(scores)
    assert (scores["n"], scores["silent_cases"], scores["false_replies"]) == (5, 1, 0)
    assert scores["top1"] == 0.75
    assert scores["matched_by"] == {"fuzzy": 1, "text": 2}


def test_without_fuzzy_what_is_misspelt_is_missed(capsys, tmp_path):
    scores = json.loads(run(capsys, write(tmp_path, CASES), "--json", "--no-fuzzy")[1])

    assert (scores["top1"], scores["missed"]) == (0.5, 1)


def test_people_get_a_list_of_figures(capsys, tmp_path):
    _, out, _ = run(capsys, write(tmp_path, CASES))

    assert "top1           0.7500" in out
    assert "false_replies  0" in out


@pytest.mark.parametrize(
    ("by", "lines"),
    [
        ("shape", ["one-liner 1 2 0.500", "chat 1 1 1.000"]),
        ("domain", ["(silence) 1 1 1.000", "pt 0 1 0.000"]),
    ],
)
def test_groups_are_told_apart(capsys, tmp_path, by, lines):
    _, out, _ = run(capsys, write(tmp_path, CASES), "--by", by)
    said = {" ".join(line.replace(" of ", " ").split()) for line in out.splitlines()}

    assert set(lines) <= said


def test_failures_are_shown_with_what_was_expected_and_said(capsys, tmp_path):
    _, out, _ = run(capsys, write(tmp_path, CASES), "--failures")

    assert "d [one-liner] wrong" in out
    assert "expected pt/closed" in out
    assert "answered cuda/oom" in out
    assert "a [one-liner]" not in out


@pytest.mark.parametrize(
    "row",
    [
        "{",
        "[]",
        '{"id": "x"}',
        '{"id": "x", "text": "y", "expect": 5}',
        '"text"',
        '{"id": "x", "text": 5, "expect": []}',
        '{"id": "x", "text": "y", "expect": [5]}',
        '{"id": "x", "text": "y", "expect": [], "silence_ok": "no"}',
        "[" * 50_000,
        '{"a":' * 50_000,
    ],
)
def test_a_bad_case_exits_2_with_its_line(capsys, tmp_path, row):
    code, out, err = run(capsys, write(tmp_path, [CASES[0], row]))

    assert (code, out) == (2, "")
    assert "cases.jsonl:2: no case" in err


def test_cases_that_cannot_be_read_exit_2(capsys, tmp_path):
    assert run(capsys, tmp_path / "missing.jsonl")[0] == 2
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe\xff")
    assert run(capsys, tmp_path / "latin.jsonl")[0] == 2


@pytest.mark.parametrize("text", [f"a\u2028{OOM}", f"a\x85{OOM}\u2029b", f"\ufeff{OOM}"])
def test_what_unicode_calls_a_line_s_end_does_not_end_a_case(tmp_path, text):
    path = tmp_path / "cases.jsonl"
    row = json.dumps({**CASES[0], "text": text}, ensure_ascii=False)
    path.write_text(f"{row}\r\n{row}\n", encoding="utf-8")

    assert [case.text for case in command.read_cases(path)] == [text, text]


def test_a_mark_of_byte_order_is_no_part_of_the_first_case(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASES[0]), encoding="utf-8-sig")

    assert [case.id for case in command.read_cases(path)] == ["a"]


def test_one_id_may_stand_without_a_list(tmp_path):
    row = {**CASES[0], "expect": "cuda/oom", "also_ok": "pt/closed"}

    [case] = command.read_cases(write(tmp_path, [row]))

    assert (case.expect, case.also_ok) == (("cuda/oom",), ("pt/closed",))
