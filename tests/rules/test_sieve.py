"""The two passes over raw bytes find what one plain search finds."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from rules.sieve import Sieve, choose_pieces, is_calm

LITERALS = [
    b"CUDA out of memory",
    b"NCCL",
    b"Watchdog caught collective",
    b"environment variable",
    b"Watchdog thread",
    b"xid 79",
]


def first_places(literals, data, begin, limit):
    lowered = data.lower()
    for number, literal in enumerate(literals):
        start = max(0, begin - len(literal) + 1)
        at = lowered.find(literal.lower(), start, limit)
        if at >= 0:
            yield at + len(literal), number


@given(
    st.lists(
        st.sampled_from(
            [*LITERALS, b"cuda OUT of memory", b"Watchdog ", b"x" * 5_000, b" ", b"\x00\n"]
        ),
        max_size=12,
    ),
    st.integers(0, 9_000),
    st.integers(0, 9_000),
)
@example([b"NCCL", b"NCCL"], 4, 0)
@settings(max_examples=150, deadline=None)
def test_the_first_place_of_each_literal_in_what_is_new_is_told(parts, begin, cut):
    data = b"".join(parts)
    begin = min(begin, len(data))
    limit = max(begin, len(data) - cut)

    found = Sieve(LITERALS).find(data, begin, limit)

    assert found == sorted(found)
    assert set(first_places(LITERALS, data, begin, limit)) <= set(found)
    for end, number in found:
        assert data[end - len(LITERALS[number]) : end].lower() == LITERALS[number].lower()


def test_a_literal_over_the_edge_of_two_blocks_is_found():
    for place in range(8_170, 8_200):
        data = b"." * place + b"CUDA out of memory" + b"." * 9_000

        assert Sieve(LITERALS).find(data, 0, len(data)) == [(place + 18, 0)]


def test_two_stretches_are_told_in_order():
    data = b"NCCL" + b"." * 50_000 + b"xid 79" + b"." * 50_000

    assert Sieve(LITERALS).find(data, 0, len(data)) == [(4, 1), (50_010, 5)]


def test_no_literals_find_nothing():
    assert Sieve([]).find(b"anything at all", 0, 15) == []


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=30))
def test_every_literal_holds_a_piece(literals):
    pieces = choose_pieces(literals)

    assert all(any(piece in literal.lower() for piece in pieces) for literal in literals)
    assert len(pieces) <= len(set(literals))


@pytest.mark.parametrize(("text", "expected"), [("Checkpoint", True), ("widget", False)])
def test_words_of_healthy_logs_are_known(text, expected):
    assert is_calm(text) is expected


def test_pieces_avoid_what_healthy_logs_hold():
    assert choose_pieces([b"training widget", b"widget lost"]) == [b"widge"]
    assert choose_pieces([b"training"]) == [b"training"]
