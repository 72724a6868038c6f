"""A step that only gathers evidence needs no rate; one that repairs does."""

from __future__ import annotations

import json

from rules.rank import rank
from rules.schema import write_schema
from tests.rules.kb_files import fields, read_entries

CHECK = {"id": "look", "do": "Look at the widget.", "kind": "evidence"}
FIX = {"id": "mend", "do": "Mend the widget.", "success_rate": 0.6}


def test_a_check_needs_no_rate(tmp_path):
    reading = read_entries(tmp_path, fields(workarounds=[FIX, CHECK]))
    entry = reading.base.entries["nccl/widget-lost"]

    assert not reading.errors
    assert [step.step.id for step in rank(entry, reading.base.stated_rates)] == [
        "look",
        "mend",
    ]


def test_a_fix_without_a_rate_is_told_with_its_line(tmp_path):
    bare = {"id": "mend", "do": "Mend the widget."}
    [error] = read_entries(tmp_path, fields(workarounds=[CHECK, bare])).errors

    assert error.message.startswith("workarounds.1.success_rate: ")
    assert error.line


def test_the_schema_asks_for_a_rate_where_a_step_is_no_check():
    step = json.loads(write_schema())["$defs"]["Workaround"]

    assert step["required"] == ["id", "do"]
    assert step["else"] == {"required": ["success_rate"]}
    assert step["if"]["properties"] == {"kind": {"const": "evidence"}}
