"""What a file system, a hash seed or a directory's order may not change."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from rules.diagnose import diagnose
from rules.load import KnowledgeBase, load, read, shipped
from tests.rules.kb_files import fields, write

POSTS = [
    json.loads(line)["text"]
    for line in (Path(__file__).parents[1] / "corpus/posts.jsonl").read_text("utf-8").splitlines()
][:60:3]
_SCRIPT = """
import json, sys
from bot.cli.report import to_json
from rules.diagnose import diagnose
from rules.load import load, shipped
kb = load([shipped()])
for text in json.load(sys.stdin):
    print(json.dumps(to_json(diagnose(text, kb, slack=True))))
"""


def test_the_order_of_entries_does_not_matter():
    kb = load([shipped()])
    order = list(kb.entries)
    random.Random(5).shuffle(order)
    shuffled = KnowledgeBase({key: kb.entries[key] for key in order}, kb.version)

    for text in POSTS:
        one, other = diagnose(text, kb), diagnose(text, shuffled)

        assert (one.kind, one.entry, one.confidence) == (other.kind, other.entry, other.confidence)
        assert one.finding == other.finding


def test_the_hash_seed_does_not_matter():
    said = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            input=json.dumps(POSTS),
            capture_output=True,
            check=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "77")
    }

    assert len(said) == 1


def test_two_loads_are_one_version():
    assert load([shipped()]).version == load([shipped()]).version


def test_what_a_later_directory_got_wrong_is_told_in_its_own_file(tmp_path):
    first, own = tmp_path / "first", tmp_path / "own"
    write(first, fields())
    step = {"id": "ask-the-owner", "do": "Ask.", "success_rate": 9}
    addition = {"extends": True, "workarounds": [step], "sources": ["http://x.org"], "ask": [""]}
    write(own, {"id": "nccl/widget-lost", **addition})
    write(own, {"id": "nccl/nobody", "extends": True})

    errors = read([first, own, tmp_path / "missing"]).errors

    where = {(Path(e.path).name, e.message.partition(":")[0]) for e in errors}
    assert ("widget-lost.yaml", "workarounds.2.success_rate") in where
    assert {("widget-lost.yaml", "sources.2"), ("widget-lost.yaml", "ask.0")} <= where
    assert any("no earlier directory has" in e.message for e in errors)
    assert any("no such directory" in e.message for e in errors)
    assert all(Path(e.path).is_relative_to(own) or "missing" in e.path for e in errors)


def test_what_an_extended_entry_got_wrong_itself_is_told_in_its_file(tmp_path):
    first, own = tmp_path / "first", tmp_path / "own"
    write(first, fields(sources=["http://x.org"], fix_rate=7))
    write(own, {"id": "nccl/widget-lost", "extends": True, "ask": ["the owner"]})

    errors = read([first, own]).errors

    assert len(errors) == 2
    assert all(Path(e.path).is_relative_to(first) for e in errors)


def test_a_file_that_is_no_entry_is_told(tmp_path):
    for name, data in {"list": b"- a", "latin": b"\xff\xfe\xff", "date": b"a: 2026-13-45"}.items():
        (tmp_path / "nccl").mkdir(exist_ok=True)
        (tmp_path / "nccl" / f"{name}.yaml").write_bytes(data)
    (tmp_path / "nccl" / "other.yaml").write_text("id: nccl/elsewhere\n", encoding="utf-8")

    told = {Path(e.path).stem: e.message for e in read([tmp_path]).errors}

    assert "mapping" in told["list"]
    assert "cannot be read" in told["latin"]
    assert "no YAML" in told["date"]
    assert "must be its path: nccl/other" in told["other"]


def test_a_directory_without_entries_is_told(tmp_path):
    assert ["no entries here" in e.message for e in read([tmp_path]).errors] == [True]


def test_retired_entries_answer_no_more(tmp_path):
    write(tmp_path, fields("nccl/live"), fields("nccl/gone", retired=True))

    reading = read([tmp_path])

    assert list(reading.base.entries) == ["nccl/live"]
    assert set(reading.entries) == {"nccl/live", "nccl/gone"}
