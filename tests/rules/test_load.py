from __future__ import annotations

import pytest

from rules.load import KnowledgeBaseError, load, read
from tests.rules.kb_files import fields, write


def lines_of(path, needle):
    return [n for n, line in enumerate(path.read_text().splitlines(), 1) if needle in line]


def test_all_errors_of_all_files_are_told_with_path_and_line(tmp_path):
    write(tmp_path, fields("nccl/a", fix_rate=3), fields("nccl/b", sources=["http://x.org"]))
    (tmp_path / "nccl/c.yaml").write_text("id: nccl/c\n  title: [", encoding="utf-8")

    with pytest.raises(KnowledgeBaseError) as caught:
        load([tmp_path])

    told = {(error.path.rpartition("/")[2], error.line) for error in caught.value.errors}
    assert told == {
        ("a.yaml", lines_of(tmp_path / "nccl/a.yaml", "fix_rate")[0]),
        ("b.yaml", lines_of(tmp_path / "nccl/b.yaml", "http://x.org")[0]),
        ("c.yaml", 2),
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"versions": {"pytorch": 2.1}}, "write it in quotes"),
        ({"sources": ["javascript:alert(1)"]}, "https://"),
        ({"signatures": [{"text": "a", "regex": "b"}]}, "either text or regex"),
        ({"signatures": [{}]}, "either text or regex"),
        (
            {"signatures": [{"regex": "lost (?P<n>\\d+)", "when": {"m": "> 3"}}]},
            "no capture is called m",
        ),
        ({"signatures": [{"regex": "lost (?P<n>\\d+)", "when": {"n": "many"}}]}, "cannot read"),
        ({"signatures": [{"regex": "lost.*found"}]}, "no bound"),
        ({"signatures": [{"regex": "(?=lost)lost"}]}, "RE2 refuses"),
        ({"signatures": [{"regex": r"(lost) \1"}]}, "RE2 refuses"),
        ({"signatures": [{"regex": "(lost"}]}, "does not parse"),
        ({"signatures": [{"regex": "[0-9]{1,3}"}]}, "literal run"),
        ({"signatures": [{"regex": "lost (\\w{1,1000}){1,900}"}]}, "RE2 refuses"),
        ({"colour": "red"}, "no such field"),
        ({"title": None}, "is missing"),
        ({"workarounds": []}, "at least one"),
    ],
)
def test_what_the_engine_could_not_use_is_refused_in_words_that_help(tmp_path, changes, words):
    reading = read([write(tmp_path, fields(**changes))])

    assert [error for error in reading.errors if words in error.message], reading.errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!!bool zzz", "no bool"),
        ("!!timestamp foo", "no timestamp"),
        ("2026-13-45", "no timestamp"),
        ("!!int ''", "no int"),
        ("!!float x", "no float"),
        ("0x" + "f" * 9000, "too large"),
        ("9" * 6000, "no int"),
    ],
)
def test_a_value_that_is_not_what_it_says_is_told_with_its_line(tmp_path, text, words):
    path = write(tmp_path, fields()) / "nccl/widget-lost.yaml"
    path.write_text(f"{path.read_text()}extra:\n  a: {text}\n", encoding="utf-8")

    error = read([tmp_path]).errors[0]

    assert (error.path, error.line) == (str(path), lines_of(path, "  a: ")[-1])
    assert words in error.message


@pytest.mark.parametrize(
    "changes",
    [
        {"signatures": [{"text": "widget " * 3000}]},
        {"signatures": [{"text": "widget lost", "near": ["w" * 20_000]}]},
        {"signatures": [{"regex": "widget" * 3000}]},
        {"unless": ["w" * 20_000]},
    ],
)
def test_a_literal_longer_than_the_engine_takes_is_told_with_its_line(tmp_path, changes):
    folder = write(tmp_path, fields(**changes))

    errors = read([folder]).errors

    assert errors
    assert {error.path for error in errors} == {str(folder / "nccl/widget-lost.yaml")}
    assert all(error.line for error in errors)


@pytest.mark.parametrize("name", ["[x]", "{a: b}", "5", ""])
def test_a_step_whose_id_is_no_word_is_told_with_its_line(tmp_path, name):
    write(tmp_path / "first", fields())
    own = tmp_path / "own/nccl/widget-lost.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(
        f"id: nccl/widget-lost\nextends: true\nworkarounds:\n  - do: Ask.\n    id: {name}\n"
        "    success_rate: 0.5\n",
        encoding="utf-8",
    )

    error = read([tmp_path / "first", tmp_path / "own"]).errors[0]

    assert (error.path, error.line) == (str(own), 5)


def test_extending_a_list_that_is_none_is_an_error_of_the_first(tmp_path):
    write(tmp_path / "first", fields(workarounds=5, ask=7, dead_ends=["a"]))
    step = {"id": "ask-them", "do": "Ask.", "success_rate": 0.5}
    own = {
        "id": "nccl/widget-lost",
        "extends": True,
        "workarounds": [step],
        "ask": ["the owner", 9],
        "dead_ends": [{"id": "b"}],
    }

    assert read([tmp_path / "first", write(tmp_path / "own", own)]).errors


def test_a_reading_keeps_what_is_right_beside_what_is_wrong(tmp_path):
    reading = read([write(tmp_path, fields("nccl/good"), fields("nccl/bad", role="king"))])

    assert list(reading.base.entries) == ["nccl/good"]
    assert len(reading.errors) == 1


def test_a_file_in_another_place_is_told_and_not_passed_over(tmp_path):
    write(tmp_path, fields("nccl/good"))
    (tmp_path / "stray.yaml").write_text("id: x", encoding="utf-8")
    (tmp_path / "nccl/other.yml").write_text("id: x", encoding="utf-8")

    errors = read([tmp_path]).errors

    assert [error.message for error in errors] == ["an entry must be <domain>/<slug>.yaml"] * 2


def test_a_later_directory_extends_and_adds_a_step(tmp_path):
    write(tmp_path / "first", fields())
    step = {"id": "ask-the-owner", "do": "Ask the owner.", "success_rate": 0.9}
    write(
        tmp_path / "own",
        {"id": "nccl/widget-lost", "extends": True, "workarounds": [step], "ask": ["the owner"]},
    )

    entry = load([tmp_path / "first", tmp_path / "own"]).entries["nccl/widget-lost"]

    assert [w.id for w in entry.workarounds] == ["find-it", "replace-it", "ask-the-owner"]
    assert entry.ask == ("the owner",)
    assert entry.title == "The widget was lost"


def test_a_later_directory_overrides_a_step_by_its_id_in_its_place(tmp_path):
    write(tmp_path / "first", fields())
    step = {"id": "find-it", "do": "Look in the drawer.", "success_rate": 0.9}
    write(tmp_path / "own", {"id": "nccl/widget-lost", "extends": True, "workarounds": [step]})

    entry = load([tmp_path / "first", tmp_path / "own"]).entries["nccl/widget-lost"]

    assert [w.do for w in entry.workarounds] == ["Look in the drawer.", "Replace the widget."]


def test_a_later_directory_replaces_a_whole_entry(tmp_path):
    write(tmp_path / "first", fields())
    write(tmp_path / "own", fields(title="Ours"))

    assert load([tmp_path / "first", tmp_path / "own"]).entries["nccl/widget-lost"].title == "Ours"


def test_a_later_directory_retires_an_entry(tmp_path):
    write(tmp_path / "first", fields(), fields("nccl/other"))
    write(tmp_path / "own", {"id": "nccl/widget-lost", "retired": True})

    reading = read([tmp_path / "first", tmp_path / "own"])

    assert list(reading.base.entries) == ["nccl/other"]
    assert "nccl/widget-lost" in reading.entries


def test_extending_what_is_not_there_is_an_error(tmp_path):
    errors = read([write(tmp_path, {"id": "nccl/none", "extends": True})]).errors

    assert "extends an entry that no earlier directory has" in errors[0].message


def test_a_fault_in_an_extending_file_is_told_of_that_file(tmp_path):
    write(tmp_path / "first", fields())
    write(
        tmp_path / "own",
        {
            "id": "nccl/widget-lost",
            "extends": True,
            "sources": ["https://example.org/3", "ftp://x"],
        },
    )

    error = read([tmp_path / "first", tmp_path / "own"]).errors[0]

    own = tmp_path / "own/nccl/widget-lost.yaml"
    assert (error.path, error.line) == (str(own), lines_of(own, "ftp://x")[0])


def test_the_version_names_the_content(tmp_path):
    first = load([write(tmp_path / "a", fields())])
    same = load([write(tmp_path / "b", fields())])
    other = load([write(tmp_path / "c", fields(title="Another"))])

    assert first.version == same.version != other.version


def test_nothing_live_is_an_error(tmp_path):
    with pytest.raises(KnowledgeBaseError, match="no entries here"):
        load([write(tmp_path, fields(retired=True))])


def test_a_key_that_stands_twice_is_an_error(tmp_path):
    path = write(tmp_path, fields()) / "nccl/widget-lost.yaml"
    path.write_text(path.read_text() + "title: Again\n", encoding="utf-8")

    assert "the key 'title' stands twice" in read([tmp_path]).errors[0].message


def test_a_draft_is_refused_where_it_would_answer_and_can_be_tested(tmp_path):
    made = fields("team/draft", root_cause="FILL IN: what happens")
    folder = write(tmp_path, made)

    with pytest.raises(KnowledgeBaseError, match=r"draft\.yaml:\d+: a draft: replace"):
        load([folder])
    assert not read([folder]).errors
