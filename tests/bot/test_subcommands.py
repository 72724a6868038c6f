"""A first word is a subcommand only where the whole line is one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from bot.slack.subcommands import Command, read_command, read_half_typed

ENTRY = "pytorch/nccl-timeout-during-allreduce"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("", Command("help")),
        (" help ", Command("help")),
        ("?", Command("help")),
        ("stats", Command("stats")),
        ("Settings", Command("settings")),
        ("show", Command("show")),
        (f"show {ENTRY}", Command("show", ENTRY)),
        (f"show `{ENTRY}`", Command("show", ENTRY)),
        ("search", Command("search")),
        ("search allreduce timed out", Command("search", "allreduce timed out")),
        (f"rates {ENTRY}", Command("rates", ENTRY)),
        ("rates", Command("rates", "")),
        ("snooze", Command("snooze")),
        ("snooze all 2h", Command("snooze", "", 7200.0)),
        (f"snooze {ENTRY} 3 days", Command("snooze", ENTRY, 259_200.0)),
        (f"snooze {ENTRY} 30min", Command("snooze", ENTRY, 1800.0)),
        ("snooze all 400d", Command("snooze", "", 400 * 86_400.0)),
        ("snooze all off", Command("snooze", "", 0.0)),
    ],
)
def test_a_whole_line_is_a_subcommand(line: str, command: Command) -> None:
    assert read_command(line) == command


@pytest.mark.parametrize(
    "line",
    [
        "help, NCCL WARN everywhere",
        "search failed: NCCL error in search.cc:12",
        "search tree (depth 3) exceeded",
        "show ncclUnhandledCudaError please",
        f"show {ENTRY} and more",
        "stats: rank 3 died",
        "settings.py line 3: NameError",
        "snooze all the time, says rank 0",
        "snooze all 2h\nRuntimeError: NCCL error",
        "rates of 3 GB/s, then NCCL timeout",
        "help\nTraceback (most recent call last):",
        "search\nTraceback",
    ],
)
def test_anything_else_is_an_error_to_diagnose(line: str) -> None:
    assert read_command(line) is None


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("snooze 5m", Command("snooze", "5m")),
        (" Snooze banana ", Command("snooze", "banana")),
        ("show xid-79", Command("show", "xid-79")),
        ("stats please", Command("stats", "please")),
        ("settings.py line 3: NameError", None),
        ("stats: rank 3 died", None),
        ("shown once", None),
        ("search\nTraceback", None),
        ("snooze all 2h\nRuntimeError: NCCL error", None),
        (f"show {'x' * 200}", None),
    ],
)
def test_a_line_that_begins_with_a_subcommand_is_half_of_one(
    line: str, command: Command | None
) -> None:
    assert read_half_typed(line) == command


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    found = read_command(text)
    assert found is None or found.name
    half = read_half_typed(text)
    assert half is None or half.argument
