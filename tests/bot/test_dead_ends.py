"""The question about dead ends."""

from __future__ import annotations

from dataclasses import replace

from bot.localslack.blocks.surfaces import check_message_blocks
from bot.slack.blocks.answer import MOST_DEAD_ENDS
from bot.slack.blocks.deadends import render_dead_ends, say_end_rate
from bot.slack.blocks.parts import LONGEST_TEXT, fits
from bot.view import DeadEndView
from rules.entry import DeadEnd


def make_end(number: int, text: str) -> DeadEndView:
    end = DeadEnd(id=f"d{number}", do=text, why="No.", fail_rate=0.7)
    return DeadEndView(end, "fails 70 %, stated", tried=False)


def test_the_most_and_longest_dead_ends_are_within_slack_s_limits() -> None:
    ends = [make_end(number, "<!channel> & words. " * 60) for number in range(MOST_DEAD_ENDS)]
    message = render_dead_ends("a" * 16, ends)

    assert check_message_blocks(list(message.blocks)) == []
    assert fits(message.blocks)
    assert len(message.text) <= LONGEST_TEXT
    assert "<!channel>" not in message.text
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    assert [[e["value"] for e in row] for row in rows] == [
        [f"{'a' * 16}|d{number}"] * 2 for number in range(MOST_DEAD_ENDS)
    ]


def test_what_people_here_said_stands_beside_what_is_stated() -> None:
    end = make_end(0, "Raise it.")

    assert say_end_rate(end) == "fails 70 %, stated"
    assert say_end_rate(replace(end, worked=1)).endswith(" · worked here, says 1 person")
    assert say_end_rate(replace(end, worked=2)).endswith(" · worked here, say 2 people")
