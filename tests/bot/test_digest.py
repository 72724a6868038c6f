"""The digest's look, and when it goes."""

from __future__ import annotations

import datetime as dt

import pytest

from bot.digest import Digest, is_due, name_week
from bot.slack.blocks.digest import MOST, render_digest
from bot.slack.blocks.parts import LONGEST_TEXT, fits
from rules.learn import replay
from rules.watch import list_doubted, list_flags, list_moves
from tests.stats.world import NOW, make_entry, vote


def digest_of(**fields: object) -> Digest:
    plain: dict[str, object] = {
        "week": "2026-W49", "now": NOW, "answers": 0, "voted": 0, "questions": {}, "gained": (),
        "lost": (), "movers": {}, "flagged": (), "doubted": (), "unusual": (), "edits": (), "never_fired": (),
        "stale": (), "misses": (), "names": {},
    }  # fmt: skip
    return Digest(**(plain | fields))


def test_a_digest_of_a_big_knowledge_base_is_within_slack_s_limits() -> None:
    long = "x" * 90
    entries = [make_entry([0.8] * 5, [0.1] * 5, name=f"d/{long}{i}") for i in range(60)]
    log = [
        vote(i, f"~v{i}", target, up=target[0] == "d", entry=entry.id, days=2 * i)
        for entry in entries
        for i in range(10)
        for target in ("s0", "s1", "d0", "d1")
    ]
    before, after = replay([], entries, NOW), replay(log, entries, NOW)
    moves = list_moves(before, after)
    digest = digest_of(
        answers=9999,
        gained=tuple(m for m in moves if m.gain > 0),
        lost=tuple(m for m in moves if m.gain < 0),
        flagged=list_flags(after),
        edits=tuple(f"{long}: edited <@U1> &" * 3 for _ in range(50)),
        never_fired=tuple(entry.id for entry in entries),
        stale=tuple(entry.id for entry in entries),
        misses=tuple(("<!channel> ```" + long * 2, 3) for _ in range(8)),
    )
    message = render_digest(digest)

    assert fits(message.blocks)
    assert len(message.text) <= LONGEST_TEXT
    assert "<!channel>" not in message.text
    assert f"and {len(digest.lost) - MOST} more" in message.text


def test_diagnoses_that_are_often_called_wrong_are_told() -> None:
    entries = [make_entry(name="d/wrong"), make_entry(name="d/right")]
    log = [vote(i, f"~v{i}", "e", up=False, days=i, entry="d/wrong") for i in range(4)]
    log += [vote(i, f"~v{i}", "s0", days=i, entry="d/right") for i in range(4)]
    rates = replay(log, entries, NOW)

    text = render_digest(digest_of(answers=8, doubted=list_doubted(rates))).text

    assert "*Diagnoses often called wrong*\n• d/wrong: right in 0 of 4 reports · est. " in text
    assert "d/right" not in text


def test_dead_ends_are_told_by_how_often_they_fail() -> None:
    entry = make_entry(fail_rates=[0.9])
    log = [vote(i, f"~v{i}", "d0", days=i) for i in range(8)]
    after = replay(log, [entry], NOW)
    digest = digest_of(
        answers=1,
        gained=list_moves(replay([], [entry], NOW), after),
        flagged=list_flags(after),
    )
    text = render_digest(digest).text

    assert f"{entry.id} d0: fails 90 % (stated) → 18 % (" in text
    assert "failed in 0 of 8 reports, last today)" in text
    assert "Dead ends that worked for most" in text


@pytest.mark.parametrize(
    ("moment", "due", "week"),
    [
        ("2026-11-30T07:59", False, "2026-W49"),
        ("2026-11-30T08:00", True, "2026-W49"),
        ("2026-12-06T23:59", True, "2026-W49"),
        ("2026-12-31T12:00", True, "2026-W53"),
        ("2027-01-03T12:00", True, "2026-W53"),
        ("2027-01-04T08:00", True, "2027-W01"),
    ],
)
def test_a_week_begins_on_monday_at_eight(moment: str, due: object, week: str) -> None:
    now = dt.datetime.fromisoformat(f"{moment}+00:00")

    assert (is_due(now), name_week(now)) == (due, week)
