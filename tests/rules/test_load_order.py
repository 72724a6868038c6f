"""What a file system, a hash seed or a directory's order may not change."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from rules.diagnose import diagnose
from rules.load import KnowledgeBase, load, shipped

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
