"""One automaton, many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from rules.automaton import Automaton

WORDS = [b"first", b"second", b"third"]


def found(automaton, data):
    hits = []
    automaton.scan(data, lambda number, _start, end, _flags, _context: hits.append((number, end)))
    return hits


def test_each_literal_is_told_with_its_end():
    assert found(Automaton(WORDS), b"a second and a first") == [(1, 8), (0, 20)]


def test_nothing_is_found_by_nothing_or_in_nothing():
    assert found(Automaton([]), b"text") == []
    assert found(Automaton(WORDS), b"") == []


def test_a_scan_can_be_stopped():
    automaton = Automaton(WORDS)

    assert automaton.scan(b"first second", lambda *_: True)
    assert not automaton.scan(b"first second", lambda *_: None)


def test_scans_may_overlap():
    automaton = Automaton(WORDS)
    inside = Barrier(4, timeout=20)

    def scan(_):
        hits = []

        def note(number, _start, _end, _flags, _context):
            if not hits:
                inside.wait()
            hits.append(number)

        automaton.scan(b"first second third", note)
        return hits

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(scan, range(4))) == [[0, 1, 2]] * 4
