"""Commands that look at the log of votes make nothing where there is none."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import sqlite3

import pytest

from bot.cli import evidence, main
from bot.seal import KEY_FILE, read_key
from bot.store import events
from bot.store.database import Database
from bot.store.migrate import upgrade
from rules.votes import Target, Thumb, Vote
from tests.rules.conftest import make_entry, make_kb

LOOKING = [
    ["replay"],
    ["rates", "cuda/oom"],
    ["votes", "export"],
    ["votes", "edits"],
    ["votes", "erase", "U1"],
]
NAMELESS = [["db", "forget", "T1", "--yes"], ["votes", "import"]]
VOTE = Vote(
    team="T1",
    incident="i1",
    entry="cuda/oom",
    kind=Target.ENTRY,
    voter="U1",
    value=Thumb.UP,
    source="button",
    at=dt.datetime(2026, 12, 1, tzinfo=dt.UTC),
)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    kb = make_kb(make_entry("cuda/oom", "CUDA out of memory. Tried to allocate"))
    monkeypatch.setattr(evidence, "load_kb", lambda _: kb)
    for name in ("NCCL_BOT_DATABASE_URL", "NCCL_BOT_KEY", "NCCL_BOT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A data folder that is not there yet."""
    monkeypatch.setenv("NCCL_BOT_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def fill(folder):
    """A bot's folder with one vote of T1."""

    async def work():
        database = Database(f"sqlite+aiosqlite:///{folder / 'nccl-bot.db'}")
        try:
            await upgrade(database)
            async with database.write() as connection:
                await events.append(connection, VOTE, "k1", "T1")
        finally:
            await database.close()

    asyncio.run(work())
    read_key(None, folder)


@pytest.mark.parametrize("words", [*LOOKING, *NAMELESS])
def test_where_there_is_no_database_that_is_said_and_none_is_made(folder, capsys, words):
    assert main(words) == 2

    assert str(folder / "nccl-bot.db") in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize("words", [*LOOKING, *NAMELESS])
def test_a_database_of_something_else_stays_as_it_is(folder, capsys, words):
    folder.mkdir()
    with sqlite3.connect(folder / "nccl-bot.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()

    assert main(words) == 2

    assert "is not the bot's" in capsys.readouterr().err
    with sqlite3.connect(folder / "nccl-bot.db") as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert tables == [("recipes",)]
    assert not (folder / KEY_FILE).exists()


@pytest.mark.parametrize("words", LOOKING)
def test_a_key_that_is_not_there_is_not_made_anew(folder, capsys, words):
    fill(folder)
    (folder / KEY_FILE).unlink()

    assert main(words) == 2

    assert str(folder / KEY_FILE) in capsys.readouterr().err
    assert not (folder / KEY_FILE).exists()


@pytest.mark.parametrize("words", LOOKING)
@pytest.mark.parametrize("key", ["", "no key"])
def test_a_key_that_is_none_is_not_taken(folder, capsys, words, key):
    fill(folder)
    (folder / KEY_FILE).write_text(key)

    assert main(words) == 2

    said = capsys.readouterr()
    assert str(folder / KEY_FILE) in said.err
    assert not said.out


@pytest.mark.parametrize("words", LOOKING)
def test_a_workspace_that_has_no_votes_is_said_to_have_none(folder, capsys, words):
    fill(folder)

    assert main([*words, "--team", "T2"]) == 2

    assert "no votes of T2, only of T1" in capsys.readouterr().err


def test_an_import_makes_what_it_writes_to(folder, capsys, tmp_path):
    fill(tmp_path)
    exported = tmp_path / "votes.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NCCL_BOT_DATA_DIR", str(tmp_path))
        assert main(["votes", "export", str(exported)]) == 0
    assert main(["votes", "import", str(exported), "--team", "T9"]) == 0
    capsys.readouterr()

    assert main(["rates", "cuda/oom", "--team", "T9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entry"] == "cuda/oom"
