"""A log is read by windows: what decides is kept, memory is bounded, the answer stays the same."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rules import chunks
from rules.chunks import CHUNK, Chunk, read_chunks
from rules.clean import clean
from rules.diagnose import LONG, diagnose, diagnose_log, judge_text
from rules.scan import Scanner, _Keeper, read_log
from tests.bench.logs import FAILURE, healthy
from tests.rules.conftest import make_entry, make_kb

OOM = make_entry("cuda/oom", "CUDA out of memory. Tried to allocate")
STATUS = make_entry(
    "nccl/status",
    {"regex": r"Got completion.{0,40}status=(?P<n>\d+)", "when": {"n": "== 12"}},
)
LINK = make_entry("ib/link", {"regex": r"NCCL.{0,80}link widget (?:down|lost)"})
KB = make_kb(OOM, STATUS, LINK)
CALM = "\n".join(healthy(2_000)) + "\n"


def answer(text, kb=KB):
    data = text if isinstance(text, bytes) else text.encode()
    return diagnose_log(io.BytesIO(data), kb)


def padded(text, before=CALM, after=CALM):
    return f"{before}{text}\n{after}"


class Dripping:
    """A readable that gives a few bytes at a time, as a pipe may."""

    def __init__(self, data, step):
        self._file, self._step = io.BytesIO(data), step

    def read(self, size, /):
        return self._file.read(min(size, self._step))


def test_a_failure_deep_in_a_log_is_found_with_its_line():
    found = answer(padded("Error: CUDA out of memory. Tried to allocate 2 GiB", CALM * 8, CALM * 8))

    assert found.entry is OOM
    assert found.finding.line == 16_001


def test_a_calm_log_is_silent():
    assert answer(CALM * 4).entry is None


@pytest.mark.parametrize("data", [b"", b"\n", b"\x00" * 100, b"\xff\xfe\xfd", b"\r\n\r\n"])
def test_a_log_without_words_is_silent(data):
    assert answer(data).entry is None


def test_a_literal_wrapped_between_words_is_found():
    assert answer(padded("Error: CUDA out of memory.\n   Tried to allocate 2 GiB")).entry is OOM


def test_a_literal_wrapped_under_a_prefix_is_found():
    text = "[rank1]: Error: CUDA out of memory.\n[rank1]: Tried to allocate 2 GiB"

    assert answer(padded(text)).entry is OOM


def test_case_does_not_matter():
    assert answer(padded("error: cuda OUT OF memory. tried TO allocate 2 gib")).entry is OOM


def test_windows_line_ends_do_not_matter():
    text = padded("Error: CUDA out of memory. Tried to allocate 2 GiB").replace("\n", "\r\n")

    found = answer(text)

    assert found.entry is OOM
    assert found.finding.line == 2_001


def test_numbers_beside_a_literal_are_looked_at_more_than_once():
    many = "\n".join(f"Error: Got completion with status={n}" for n in (5, 7, 4, 12))

    assert answer(padded(many)).entry is STATUS


def test_places_without_the_rest_of_a_signature_hide_nothing():
    common = "NCCL INFO link widget fine\n" * 50

    assert answer(common + CALM * 4 + common + "NCCL WARN link widget lost\n" + CALM).entry is LINK


def test_a_search_that_finds_nothing_ends():
    kb = make_kb(make_entry("a/pair", {"regex": r"left side.{0,40}right side"}))
    apart = ("left side only\n" + "x" * 2_000 + "\nright side only\n" + "y" * 2_000 + "\n") * 300

    assert answer(apart + CALM, kb).entry is None


def test_a_place_at_the_end_of_a_piece_keeps_its_context(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", 16_384)
    text = "Error: CUDA out of memory.\nTried to allocate 2 GiB\n"
    for shift in range(0, 6_500, 1_300):
        log = CALM[: 16_384 - 5_500 + shift].rpartition("\n")[0] + "\n"
        found = answer(log + text + CALM * 2)

        assert found.entry is OOM, shift
        assert found.finding.line == log.count("\n") + 1, shift


def test_one_giant_line_is_searched_throughout():
    for place in (10, CHUNK - 20, CHUNK + 5_000, 2 * CHUNK + 77):
        line = b"z" * place + b" Error: CUDA out of memory. Tried to allocate 2 GiB " + b"y" * CHUNK
        found = answer(line)

        assert found.finding.entry is OOM, place
        assert found.finding.line == 1


def test_a_gate_far_away_still_holds():
    near = make_entry("a/near", {"text": "the widget was lost again", "near": ["frobnicator"]})
    unless = make_entry("a/unless", "the gadget was lost again", unless=["only a simulation"])
    kb = make_kb(near, unless)

    assert answer(padded("Error: the widget was lost again"), kb).entry is None
    assert (
        answer("frobnicator 1.0\n" + padded("Error: the widget was lost again"), kb).entry is near
    )
    assert answer(padded("Error: the gadget was lost again"), kb).entry is unless
    late = padded("Error: the gadget was lost again") + "only a simulation\n" + CALM
    assert answer(late, kb).entry is None


def test_memory_is_bounded_however_many_hits_there_are():
    entries = [make_entry(f"a/e{n}", f"widget number {n:04} was lost for good") for n in range(400)]
    scanner = Scanner(entries)
    lines = [f"widget number {n:04} was lost for good {'x' * 3_000}" for n in range(400)]
    log = ("\n".join(lines) + "\n").encode() * 4

    kept = read_log(io.BytesIO(log), scanner)

    assert sum(len(line.text) for line in kept.lines) < 500_000


def test_an_empty_knowledge_base_scans_nothing():
    assert len(read_log(io.BytesIO(b"a\nb\n"), Scanner([])).lines) == 2


@given(st.integers(1, 5_000), st.integers(0, 400))
@settings(max_examples=10, deadline=None)
def test_how_the_bytes_arrive_does_not_matter(step, skip):
    data = (CALM[skip * 7 : 20_000] + FAILURE + CALM[:20_000]).encode()
    scanner = KB.scanner

    assert read_log(Dripping(data, step), scanner) == read_log(io.BytesIO(data), scanner)


@given(st.binary(max_size=300), st.integers(1, 64), st.integers(40, 400))
@settings(max_examples=60, deadline=None)
def test_every_byte_is_new_once_and_lines_are_counted(data, times, size):
    log = data * times
    saved = chunks.CHUNK
    chunks.CHUNK = size
    try:
        pieces = list(read_chunks(io.BytesIO(log)))
    finally:
        chunks.CHUNK = saved

    assert b"".join(piece.data[piece.begin : piece.limit] for piece in pieces) == log
    for piece in pieces:
        assert piece.line == 1 + log.count(b"\n", 0, piece.offset)
        assert log[piece.offset : piece.offset + len(piece.data)] == piece.data


def test_a_window_holds_whole_lines_and_knows_the_number_of_the_first():
    chunk = Chunk(100, 5, b"one\ntwo\nthree\nfour\n", 0, 19)

    later, earlier = chunk.window(9, 10), chunk.window(4, 7)

    assert (later.data, later.offset, later.line) == (b"three\n", 108, 7)
    assert (earlier.data, earlier.line, earlier.end) == (b"two\n", 6, 108)
    assert chunk.window(9, 10, 10).data == b"ree\n"


def test_a_place_told_of_before_does_not_hide_the_next():
    entries = [
        make_entry("a/short", "widget gone"),
        make_entry("a/long", "a much longer wording of quite another failure"),
    ]
    keeper = _Keeper(Scanner(entries))
    old, new = b"calm\n" * 20 + b"widget gone\n", b"calm\n" * 900 + b"widget gone\n"

    keeper.read(Chunk(10_000, 1, old + new, len(old), len(old + new)))

    assert len(keeper.windows) == 1
    assert keeper.windows[0].data.endswith(b"widget gone\n")
    assert keeper.windows[0].line > 100


CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "corpus/posts.jsonl").read_text("utf-8").splitlines()
]


def test_the_answer_is_that_for_the_whole_text(shipped_kb):
    calm = "\n".join(healthy(400)) + "\n"
    pasted = [case for case in CASES if case["expect"] and case["shape"] not in {"chat", "prose"}]
    compared = 0
    for case in random.Random(3).sample(pasted, 12):
        for text in (padded(case["text"], calm, calm), padded(case["text"], "", calm)):
            whole = judge_text(clean(text), shipped_kb, None, threshold=0.5, fuzzy=False)
            streamed = diagnose_log(
                io.BytesIO(text.encode()), shipped_kb, threshold=0.5, fuzzy=False
            )

            assert streamed.entry == whole.entry, case["id"]
            assert streamed.finding is None or streamed.finding.line == whole.finding.line, case[
                "id"
            ]
            compared += streamed.entry is not None
    assert compared > 16


def test_a_long_text_is_read_as_a_log():
    text = padded("Error: CUDA out of memory. Tried to allocate 2 GiB")

    assert len(text) > LONG
    assert diagnose(text, KB).entry is OOM
