"""Each entry's samples against all entries, as tests of their own: the ids are the entries'."""

from __future__ import annotations

from functools import cache

import pytest

from bot.cli.kb.prove import read_healthy
from rules.diagnose import diagnose
from rules.lint import Severity, lint
from rules.load import read, shipped
from rules.prove import prove_match, prove_no_match, prove_silence
from rules.schema import write_schema

HEALTHY = read_healthy([shipped()])


@cache
def reading():
    found = read([shipped()])
    assert not found.errors, "\n".join(map(str, found.errors))
    return found


def entries():
    """Ids are read off the file names, so that a broken file fails its own tests only."""
    return sorted(f"{path.parent.name}/{path.stem}" for path in shipped().glob("*/*.yaml"))


@pytest.mark.parametrize("identity", entries())
def test_every_sample_is_answered_as_it_says(identity):
    base = reading().base
    entry = base.entries[identity]

    faults = [
        fault
        for sample in entry.samples.match
        for fault in prove_match(entry, sample, diagnose(sample.text, base))
    ] + [
        fault
        for sample in entry.samples.no_match
        for fault in prove_no_match(entry, sample, diagnose(sample.text, base))
    ]

    assert faults == []


def test_there_are_healthy_texts():
    assert len(HEALTHY) > 20


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HEALTHY])
def test_healthy_text_is_met_with_silence(text):
    assert list(prove_silence(text, reading().base)) == []


def test_the_lint_finds_no_error_in_the_shipped_entries():
    errors = [str(i) for i in lint(reading()) if i.severity is Severity.ERROR]

    assert errors == []


def test_the_checked_in_schema_is_current():
    assert (shipped() / "schema.json").read_text(encoding="utf-8") == write_schema()


def test_every_file_names_the_schema_for_editors():
    header = "# yaml-language-server: $schema=../schema.json\n"
    without = [
        path.name
        for path in shipped().glob("*/*.yaml")
        if not path.read_text(encoding="utf-8").startswith(header)
    ]

    assert without == []
