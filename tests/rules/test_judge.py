"""One winner or silence, and why."""

from __future__ import annotations

import pytest

from rules.clean import clean
from rules.confidence import CHANNEL_THRESHOLD
from rules.diagnose import diagnose
from rules.judge import judge
from rules.match import match
from rules.model import DiagnosisKind
from tests.rules.conftest import make_entry, make_kb

ROOT = make_entry("cuda/oom", "CUDA out of memory. Tried to allocate")
CASCADE = make_entry("pt/closed", "Connection closed by peer in gloo transport", role="cascade")
WRAPPER = make_entry(
    "tr/child", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError", role="wrapper"
)
KB = make_kb(ROOT, CASCADE, WRAPPER)
ROOT_LINE = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"
CASCADE_LINE = "RuntimeError: Connection closed by peer in gloo transport"
WRAPPER_LINE = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"


def verdict(text, kb=KB):
    cleaned = clean(text)
    return judge(match(cleaned, kb.index), cleaned)


@pytest.mark.parametrize(
    "lines",
    [
        [WRAPPER_LINE, CASCADE_LINE, ROOT_LINE],
        [ROOT_LINE, CASCADE_LINE, WRAPPER_LINE],
        [CASCADE_LINE, ROOT_LINE],
    ],
)
def test_a_root_beats_what_follows_from_it_wherever_it_stands(lines):
    found = verdict("\n".join(lines))

    assert found.winner.entry.id == "cuda/oom"
    assert {c.entry.id for c in found.consequences} <= {"pt/closed", "tr/child"}
    assert "pt/closed" in {c.entry.id for c in found.consequences}


def test_of_two_roots_the_first_wins_unless_it_yields():
    first = make_entry("a/first", "the first thing went wrong here")
    second = make_entry("a/second", "the second thing went wrong here")
    yielding = make_entry("a/first", "the first thing went wrong here", yields_to=["a/second"])
    text = "Error: the first thing went wrong here\nError: the second thing went wrong here"

    assert verdict(text, make_kb(first, second)).winner.entry.id == "a/first"
    found = verdict(text, make_kb(yielding, second))
    assert found.winner.entry.id == "a/second"
    assert found.losers[0].reason == "caused by a/second, which is in the text too"


def test_a_ring_of_yields_still_has_a_winner():
    one = make_entry("a/one", "the first thing went wrong here", yields_to=["a/two"])
    two = make_entry("a/two", "the second thing went wrong here", yields_to=["a/one"])
    text = "Error: the first thing went wrong here\nError: the second thing went wrong here"

    assert verdict(text, make_kb(one, two)).winner.entry.id == "a/one"


def test_a_harmless_notice_answers_only_alone():
    notice = make_entry("nccl/notice", "No plugin found (libnccl-net.so)", only_if_alone=True)
    kb = make_kb(notice, ROOT)

    assert verdict("NCCL INFO No plugin found (libnccl-net.so)", kb).winner.entry is notice
    both = verdict(f"NCCL INFO No plugin found (libnccl-net.so)\n{ROOT_LINE}", kb)
    assert both.winner.entry is ROOT
    assert both.losers[0].reason == "answers only where nothing else is found"


def test_a_wrapper_alone_is_a_request():
    found = diagnose(WRAPPER_LINE, KB)

    assert found.kind is DiagnosisKind.REQUEST
    assert found.entry is WRAPPER


@pytest.mark.parametrize(
    "text",
    [
        "RESOLVED: `CUDA out of memory. Tried to allocate` on node-a is gone since the fix, closing",
        'the wiki page about "CUDA out of memory. Tried to allocate" now explains the numbers',
        "we no longer see CUDA out of memory. Tried to allocate since the upgrade, for the record",
        'PATTERNS = {"oom": re.compile(r"CUDA out of memory. Tried to allocate")}',
        "grep -c 'CUDA out of memory. Tried to allocate' logs/*.err",
    ],
)
def test_talk_about_an_error_stays_unanswered(text):
    found = diagnose(text, KB)

    assert found.kind is DiagnosisKind.SILENCE
    assert found.finding is not None
    assert found.entry is None


@pytest.mark.parametrize(
    "text",
    [
        ROOT_LINE,
        f"any idea? {ROOT_LINE}",
        f"the docs say nothing about this, help please\n{ROOT_LINE}",
        "my job dies every night with CUDA out of memory. Tried to allocate 4 GiB, why?",
    ],
)
def test_a_cry_for_help_is_answered(text):
    assert diagnose(text, KB).entry is ROOT


def test_who_asked_gets_a_less_certain_answer_too():
    text = (
        "we no longer see CUDA out of memory. Tried to allocate since the upgrade, for the record"
    )
    sure = diagnose(text, KB).confidence

    assert diagnose(text, KB, threshold=sure - 0.01).entry is ROOT
    assert diagnose(text, KB, threshold=sure + 0.01).entry is None


def test_the_quote_never_repeats_a_secret():
    found = diagnose(f"{ROOT_LINE} WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", KB)

    assert "0123456789abcdef" not in found.finding.quote


def test_nothing_found_is_silence_with_a_reason():
    found = diagnose("lunch at noon?", KB)

    assert found.kind is DiagnosisKind.SILENCE
    assert found.confidence == 0
    assert found.reasons == ("no signature fired and none resembles the text",)


def test_reasons_name_the_shares_of_the_confidence():
    reasons = diagnose(ROOT_LINE, KB).reasons

    assert "threshold" in reasons[0]
    assert reasons[1].startswith("log odds: ")


def test_each_loser_is_told_why_it_lost():
    late = make_entry("a/late", "the second thing went wrong here")
    early = make_entry("a/early", "the first thing went wrong here")
    short = make_entry("a/short", "thing went wrong here")
    text = "Error: the first thing went wrong here\nError: the second thing went wrong here"

    found = verdict(text, make_kb(late, early, short))

    assert found.winner.entry is early
    assert {loser.finding.entry.id: loser.reason for loser in found.losers} == {
        "a/late": "comes later than line 1",
        "a/short": "less specific",
    }


def test_what_only_resembles_its_signature_stands_behind_what_fires():
    sure = make_entry("a/sure", "the gadget broke down for good", role="cascade")
    loose = make_entry("a/loose", "the widget was lost on its way home", role="cascade")
    text = "Error: the wdiget was lost on its way home\nError: the gadget broke down for good"

    found = verdict(text, make_kb(sure, loose))

    assert found.winner.entry is sure
    assert [loser.reason for loser in found.losers] == ["only resembles its signature"]


def test_the_line_that_was_printed_speaks_and_not_the_code_that_raised_it():
    entry = make_entry("cuda/oom", "CUDA out of memory. Tried to allocate", role="root")
    text = (
        '    raise RuntimeError("CUDA out of memory. Tried to allocate {} GiB")\n'
        "RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB"
    )

    found = verdict(text, make_kb(entry))

    assert found.winner.line == 2
    assert found.winner.quote.startswith("RuntimeError: CUDA")
    assert found.confidence > CHANNEL_THRESHOLD


def test_what_a_gate_turned_down_is_no_consequence():
    gated = make_entry("k8s/killed", {"text": "oom_kill event", "near": ["pod"]}, role="cascade")
    text = f"{ROOT_LINE}\nDetected 1 oom_kill event in the step"

    found = verdict(text, make_kb(ROOT, gated))

    assert found.consequences == ()
    assert [loser.finding.entry.id for loser in found.losers] == ["k8s/killed"]
