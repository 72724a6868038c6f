"""Each set of cues hears its own phrases, in any case and language, and runs in linear time."""

from __future__ import annotations

import pytest

from rules import cues

SETS = {name: getattr(cues, name) for name in ("OVER", "ABOUT", "NOTICE", "HELP", "REPORT", "TURN")}


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("OVER", "this is RESOLVED now"),
        ("OVER", "解決しました"),
        ("ABOUT", "the run book says"),
        ("ABOUT", "our docs mention it"),
        ("HELP", "any ideas?"),
        ("HELP", "为什么"),
    ],
)
def test_a_phrase_is_heard_by_its_set(name, phrase):
    assert SETS[name].search(phrase)


@pytest.mark.parametrize("name", SETS)
def test_no_set_hears_what_says_nothing(name):
    assert not SETS[name].search("loss 2.31 lr 3e-4")
    assert not SETS[name].search("")


@pytest.mark.parametrize("name", SETS)
def test_a_cue_is_never_empty(name):
    text = "is it resolved? the docs and the wiki help, we still get it, never mind, fixed since"

    assert all(found[0].strip() for found in SETS[name].finditer(text))
