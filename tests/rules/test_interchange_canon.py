from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given, settings, strategies as st

from rules.diagnose import diagnose
from rules.interchange.batch import settle
from rules.interchange.canon import read_canon, write_canon
from rules.interchange.regexes import bound
from rules.interchange.residual import add, subtract
from rules.interchange.result import FormError
from rules.interchange.widen import widen
from rules.load import KnowledgeBase, load, shipped

TODAY = dt.date(2026, 11, 30)


def canon(**changes):
    made = {
        "schema_version": "1.0.0",
        "id": "cuda/widget-lost/cuda12-linux",
        "url": "https://example.org/cuda/widget-lost",
        "error": {"signature": "CUDA error: the widget was lost", "regex": "widget.*lost",
                  "domain": "cuda", "category": "device_error", "first_seen": "2025-01-01",
                  "last_confirmed": "2026-01-02"},
        "environment": {"runtime": {"name": "cuda", "version_range": ">=12.0"}, "os": "linux"},
        "verdict": {"resolvable": "true", "fix_success_rate": 0.8, "confidence": 0.7,
                    "summary": "It went away.", "last_updated": "2026-01-02"},
        "dead_ends": [
            {"action": "Wait", "why_fails": "It stays lost.", "fail_rate": 0.9, "sources": []},
            {"action": "", "why_fails": "A longer wait is a wait.", "fail_rate": 0.8, "sources": []},
        ],
        "workarounds": [
            {"action": "Find it", "success_rate": 0.85, "how": "find . -name widget",
             "condition": "at home", "tradeoff": "takes time", "sources": ["https://example.org/1"]},
        ],
        "transition_graph": {"leads_to": [{"error_id": "x/y", "probability": 0.2}],
                             "preceded_by": [], "frequently_confused_with": []},
        "metadata": {"generated_by": "somebody", "generation_date": "2025-01-01",
                     "review_status": "auto_generated", "last_verification": "2026-01-02",
                     "evidence_count": 3},
    }  # fmt: skip
    return {**made, **changes}


def test_a_canon_becomes_an_entry_that_answers_its_signature():
    entry = read_canon(canon(), TODAY).entry

    found = diagnose(
        "RuntimeError: CUDA error: the widget was lost", KnowledgeBase({entry.id: entry}, "x")
    )

    assert entry.id == "cuda/widget-lost-cuda12-linux"
    assert entry.versions == {"cuda": ">=12.0"}
    assert [s.success_rate for s in entry.workarounds] == [0.85]
    assert found.entry == entry


def test_nothing_is_lost_there_and_back():
    made = read_canon(canon(), TODAY)

    assert write_canon(made.entry) == canon()


def test_an_edit_after_the_import_is_exported_and_the_rest_is_kept():
    entry = read_canon(canon(), TODAY).entry
    step = entry.workarounds[0].model_copy(update={"success_rate": 0.5})
    edited = entry.model_copy(update={"workarounds": (step,), "root_cause": "It was stolen."})

    out = write_canon(edited)

    original = canon()
    original["workarounds"][0]["success_rate"] = 0.5
    original["verdict"]["summary"] = "It was stolen."
    assert out == original


def test_an_added_step_is_exported_beside_the_others():
    entry = read_canon(canon(), TODAY).entry
    more = entry.workarounds[0].model_copy(update={"id": "buy-one", "do": "Buy one"})
    out = write_canon(entry.model_copy(update={"workarounds": (*entry.workarounds, more)}))

    assert [step["action"] for step in out["workarounds"]] == ["Find it", "Buy one"]
    assert out["workarounds"][0] == canon()["workarounds"][0]


def test_a_nameless_dead_end_is_named_by_its_reason_and_flagged():
    made = read_canon(canon(), TODAY)

    assert made.entry.dead_ends[1].do == "A longer wait is a wait."
    assert any("had no name" in remark for remark in made.remarks)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"error": {"signature": " "}}, "empty"),
        ({"error": None}, "no canon"),
        ({"workarounds": []}, "no workaround"),
        ({"verdict": {"summary": "x", "fix_success_rate": 7}}, "fix_rate"),
        ({"id": 3}, "empty or missing"),
    ],
)
def test_broken_input_is_refused_with_a_reason(change, words):
    with pytest.raises(FormError, match=words):
        read_canon(canon(**change), TODAY)


@pytest.mark.parametrize("value", [None, [], "text", {}, 3])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(FormError):
        read_canon(value, TODAY)


@pytest.mark.parametrize("regex", [r"(lost) \1", "(?=lost)", "(?<!x)lost", "[", "(a+)+$", ".*"])
def test_a_regex_that_cannot_be_bounded_is_left_out_and_reported(regex):
    made = read_canon(canon(error={**canon()["error"], "regex": regex}), TODAY)

    assert all(signature.regex is None for signature in made.entry.signatures)
    assert any("cannot be used" in remark for remark in made.remarks)
    assert write_canon(made.entry)["error"]["regex"] == regex


def test_a_link_that_is_not_https_is_left_out_reported_and_exported():
    bad = canon()
    bad["workarounds"][0]["sources"] = [
        "javascript:alert(1)",
        "https://example.org/1",
        "http://x.org",
    ]
    made = read_canon(bad, TODAY)

    assert made.entry.workarounds[0].sources == ("https://example.org/1",)
    assert sum("not https" in remark for remark in made.remarks) == 2
    assert write_canon(made.entry) == bad


def test_a_dangerous_step_is_marked_as_risky():
    bad = canon()
    bad["workarounds"][0] |= {"how": "nvidia-smi --gpu-reset"}
    made = read_canon(bad, TODAY)

    assert made.entry.workarounds[0].risk == "data-loss"
    assert any("can hurt others" in remark for remark in made.remarks)


@pytest.mark.parametrize(
    ("regex", "bounded"),
    [
        ("lost.*found", "lost.{0,100}found"),
        ("lost.+found", "lost.{1,100}found"),
        (r"lost\.found", r"lost\.found"),
        ("lost.found", "lost.{1}found"),
        ("lost[^x]*found", "lost[^x]{0,100}found"),
        (r"lost\S+found", r"lost\S{1,100}found"),
        ("(?i)lost", "lost"),
        (r"lost [.*] found", r"lost [.*] found"),
        (r"lost \d+ found", r"lost \d+ found"),
    ],
)
def test_a_gap_without_a_bound_gets_one(regex, bounded):
    assert bound(regex) == bounded


def test_an_expression_that_takes_another_entry_s_words_is_dropped_but_exported():
    broad = canon(id="a/broad/x", error={**canon()["error"], "signature": "some words of its own here",
                                         "regex": "(?:zzz yyy xxx www vvv uuu ttt|widget.*lost)"})  # fmt: skip
    narrow = canon(id="b/narrow/x", error={**canon()["error"], "signature": "the widget is lost",
                                           "regex": "the widget is lost"})  # fmt: skip
    settled = settle([read_canon(broad, TODAY), read_canon(narrow, TODAY)])
    kb = KnowledgeBase({made.entry.id: made.entry for made in settled}, "x")

    assert diagnose("the widget is lost", kb, asked=True).entry.id == "b/narrow-x"
    assert any("too broad" in remark for remark in settled[0].remarks)
    assert write_canon(settled[0].entry) == broad


def test_a_signature_is_widened_over_the_values_that_it_names():
    assert widen("TS2322: Type 'X' is not assignable to type 'Y'") == (
        r"Type.{0,80}is not assignable to type"
    )
    assert widen("it is simply broken") is None
    assert widen("got 3") is None


@pytest.mark.parametrize(
    "identity", ["pytorch/nccl-timeout-during-allreduce", "cuda/out-of-memory"]
)
def test_a_shipped_entry_keeps_what_the_form_can_hold(identity):
    entry = load([shipped()]).entries[identity]
    back = read_canon(write_canon(entry), TODAY).entry

    for name in ("id", "category", "fix_rate", "root_cause", "verified_on"):
        assert getattr(back, name) == getattr(entry, name)
    assert [s.success_rate for s in back.workarounds] == [s.success_rate for s in entry.workarounds]
    assert [s.run for s in back.workarounds] == [s.run for s in entry.workarounds]
    assert [e.why for e in back.dead_ends] == [e.why for e in entry.dead_ends]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text("abc", max_size=2), JSON),
    st.dictionaries(st.text("abc", max_size=2), JSON),
)
@settings(max_examples=100, deadline=None)
def test_what_is_subtracted_can_be_added_again(original, built):
    residual = json.loads(json.dumps(subtract(original, built)))

    assert add(built, residual) == original


WORDS = st.text("abcdefghij ,.'\"()<>&`-", min_size=1, max_size=60).filter(str.strip)
RATE = st.floats(0, 1).map(lambda value: round(value, 3))
LINKS = st.lists(
    st.sampled_from(["https://example.org/a", "http://x", "javascript:x", "https://b.org"]),
    max_size=2,
)


@st.composite
def canons(draw):
    step = st.fixed_dictionaries(
        {"action": WORDS, "success_rate": RATE, "sources": LINKS},
        optional={"how": st.text(max_size=40), "condition": WORDS, "tradeoff": WORDS},
    )
    end = st.fixed_dictionaries(
        {"action": st.just("") | WORDS, "why_fails": WORDS, "fail_rate": RATE, "sources": LINKS},
        optional={"condition": WORDS, "common_misconception": WORDS},
    )
    error = {**canon()["error"], "signature": draw(WORDS)}
    return canon(
        error=error,
        workarounds=draw(st.lists(step, min_size=1, max_size=3)),
        dead_ends=draw(st.lists(end, max_size=3)),
        environment=draw(st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, max_size=2)),
    )


@given(canons())
@settings(max_examples=150, deadline=None)
def test_any_canon_that_is_taken_comes_back_whole(document):
    assert write_canon(read_canon(document, TODAY).entry) == document
