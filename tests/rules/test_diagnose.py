"""The one entry point."""

from __future__ import annotations

import io

import pytest

from rules.confidence import ASKED_THRESHOLD, CHANNEL_THRESHOLD
from rules.diagnose import LONG, diagnose, diagnose_log
from rules.model import DiagnosisKind
from tests.rules.conftest import make_entry, make_kb

ROOT = make_entry("cuda/oom", "CUDA out of memory. Tried to allocate")
WRAPPER = make_entry(
    "tr/child", "ChildFailedError of the elastic agent", role="wrapper", ask=["the log"]
)
KB = make_kb(ROOT, WRAPPER)
LINE = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"


def test_an_answer_has_steps_reasons_and_the_version():
    found = diagnose(LINE, KB)

    assert (found.kind, found.entry) == (DiagnosisKind.ANSWER, ROOT)
    assert [ranked.step.id for ranked in found.advice.steps] == ["mend-it"]
    assert found.kb_version == "test"
    assert f"threshold {CHANNEL_THRESHOLD:.2f}" in found.reasons[0]


def test_a_wrapper_is_a_request_with_what_to_send():
    found = diagnose("ChildFailedError of the elastic agent", KB, threshold=0.1)

    assert found.kind is DiagnosisKind.REQUEST
    assert found.advice.ask == ("the log",)


def test_silence_has_no_advice_but_keeps_the_candidate():
    found = diagnose(LINE, KB, threshold=1.0)

    assert (found.kind, found.entry, found.advice) == (DiagnosisKind.SILENCE, None, None)
    assert found.finding.entry is ROOT
    assert "below" in found.reasons[0]


def test_the_threshold_of_who_asked_is_lower():
    assert f"threshold {ASKED_THRESHOLD:.2f}" in diagnose(LINE, KB, asked=True).reasons[0]
    log = diagnose_log(io.BytesIO(LINE.encode()), KB, asked=True)
    assert f"threshold {ASKED_THRESHOLD:.2f}" in log.reasons[0]


def test_slack_mark_up_is_decoded_where_it_is_said_to_be_there():
    entry = make_entry("a/arrow", "value a -> b was refused by the widget")
    text = "Error: value a -&gt; b was refused by the widget"

    assert diagnose(text, make_kb(entry), slack=True).entry is entry


def test_the_fuzzy_stage_can_be_left_out():
    text = "RuntimeError: CUDA out of memroy. Tried to alocate 2 GiB"

    assert diagnose(text, KB, threshold=0.0).finding.how == "fuzzy"
    assert diagnose(text, KB, threshold=0.0, fuzzy=False).finding is None


def test_a_long_text_and_a_log_get_the_same_answer():
    text = "all is well here\n" * (LONG // 16) + LINE + "\n" + "all is well here\n" * 100
    long, log = diagnose(text, KB), diagnose_log(io.BytesIO(text.encode()), KB)

    assert len(text) > LONG
    assert long == log
    assert long.finding.line == LONG // 16 + 1


def test_one_failure_has_one_fingerprint_on_any_rank():
    first, second = (diagnose(f"[rank{n}]: {LINE}", KB) for n in (0, 7))

    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize("text", ["", "\n\n", " "])
def test_nothing_is_silence(text):
    found = diagnose(text, KB)

    assert (found.kind, found.confidence) == (DiagnosisKind.SILENCE, 0.0)
