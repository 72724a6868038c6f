"""`nccl-bot doctor`: each fault is named with how to mend it, against the local Slack."""

from __future__ import annotations

import socket
import sqlite3
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from cryptography.fernet import Fernet

from bot.app import start_bot
from bot.cli import main
from bot.doctor import Finding, Verdict, examine
from bot.doctor.machine import examine_key
from bot.doctor.scopes import SCOPES
from bot.localslack import LocalSlack
from bot.seal import read_key
from bot.settings import Settings
from bot.store.database import Database
from bot.store.migrate import upgrade
from rules.load import shipped
from tests.scenarios.small_kb import FOUNDING_ENTRY, build_kb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path
    from typing import Any

    from bot.localslack import App, Channel


@pytest.fixture(autouse=True)
def small_kb(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One shipped entry: reading all of them takes a second a time."""
    folder = tmp_path_factory.mktemp("kb")
    entry = folder / f"{FOUNDING_ENTRY}.yaml"
    entry.parent.mkdir()
    text = (shipped() / f"{FOUNDING_ENTRY}.yaml").read_text(encoding="utf-8")
    entry.write_text(text, encoding="utf-8")
    monkeypatch.setattr("bot.doctor.machine.shipped", lambda: folder)


class Ward:
    """A workspace, and settings that are right until a test spoils them."""

    def __init__(self, slack: LocalSlack, folder: Path) -> None:
        self.slack = slack
        self.folder = folder
        self.app: App = slack.add_app("nccl-bot", scopes=list(SCOPES))
        self.channel: Channel = slack.add_channel("jobs", [slack.add_user("alice"), self.app])

    async def examine(
        self, now: Callable[[], float] = time.time, **change: Any
    ) -> dict[str, Finding]:
        right = {
            "slack_bot_token": self.app.bot_token,
            "slack_app_token": self.app.app_token,
            "slack_api_url": self.slack.base_url,
            "webhook_channel": self.channel.id,
            "data_dir": self.folder,
            "port": 0,
        }
        settings = Settings.model_validate(right | change)
        return {found.check: found async for found in examine(settings, now=now)}


@pytest.fixture
async def ward(tmp_path: Path) -> AsyncIterator[Ward]:
    async with LocalSlack() as slack:
        yield Ward(slack, tmp_path)


def fails(found: Finding, said: str, mend: str) -> bool:
    """Whether it is a failure that says so, and how to mend it."""
    return found.verdict is Verdict.FAILURE and said in found.said and mend in found.mend


async def test_a_sound_set_up_has_nothing_to_mend(ward: Ward) -> None:
    found = await ward.examine()

    assert {each.verdict for each in found.values()} == {Verdict.OK}
    assert list(found) == [
        "knowledge base", "key", "database", "port", "bot token", "scopes", "clock", "transport",
        "channel",
    ]  # fmt: skip
    assert list(ward.folder.iterdir()) == []
    assert not ward.slack.calls_of("chat.postMessage")


async def test_a_wrong_bot_token_is_told_from_the_rest(ward: Ward) -> None:
    found = await ward.examine(slack_bot_token="xoxb-wrong")

    assert fails(found["bot token"], "invalid_auth", "OAuth & Permissions")
    assert found["transport"].verdict is Verdict.OK
    assert "xoxb" not in str(found)


async def test_a_wrong_app_token_is_named(ward: Ward) -> None:
    found = await ward.examine(slack_app_token="xapp-wrong")

    assert fails(found["transport"], "SLACK_APP_TOKEN (invalid_auth)", "connections:write")


async def test_http_mode_needs_no_app_token(ward: Ward) -> None:
    found = await ward.examine(slack_app_token=None, slack_signing_secret="example")

    assert "HTTP" in found["transport"].said
    assert found["transport"].verdict is Verdict.OK


async def test_a_slack_out_of_reach_is_no_bad_token(ward: Ward) -> None:
    found = await ward.examine(slack_api_url="http://127.0.0.1:9/api/")

    assert fails(found["bot token"], "cannot reach http://127.0.0.1:9/api/", "network")


@pytest.mark.parametrize("scope", sorted(SCOPES))
async def test_each_missing_scope_is_named_with_what_it_costs(ward: Ward, scope: str) -> None:
    granted = [each for each in SCOPES if each != scope]
    app = ward.slack.add_app("other", scopes=granted)
    found = await ward.examine(slack_bot_token=app.bot_token, slack_app_token=app.app_token)

    assert fails(found["scopes"], f"missing: {scope} ({SCOPES[scope]})", "reinstall")


async def test_a_scope_too_many_is_a_warning(ward: Ward) -> None:
    app = ward.slack.add_app("other", scopes=[*SCOPES, "files:write"])
    found = await ward.examine(slack_bot_token=app.bot_token, slack_app_token=app.app_token)

    assert found["scopes"].verdict is Verdict.WARNING
    assert "files:write" in found["scopes"].said


@pytest.mark.parametrize(
    ("seconds", "verdict", "said"),
    [
        (0, Verdict.OK, "Slack's"),
        (90, Verdict.WARNING, "ahead of"),
        (-90, Verdict.WARNING, "behind"),
        (4000, Verdict.FAILURE, "refused"),
    ],
)
async def test_a_clock_that_is_off_is_said(
    ward: Ward, seconds: float, verdict: Verdict, said: str
) -> None:
    found = await ward.examine(now=lambda: time.time() + seconds)

    assert found["clock"].verdict is verdict
    assert said in found["clock"].said


async def test_a_channel_without_the_bot_is_named(ward: Ward) -> None:
    other = ward.slack.add_channel("other", [])
    found = await ward.examine(webhook_channel=other.id)

    assert fails(found["channel"], f"not in {other.id}", "/invite")


async def test_a_maintainers_channel_without_the_bot_is_named(ward: Ward) -> None:
    other = ward.slack.add_channel("maintainers", [])
    found = await ward.examine(webhook_channel=None, maintainer_channel=other.id)

    assert fails(found["channel"], f"not in {other.id}", "/invite")


async def test_a_key_that_others_can_read_is_a_failure(ward: Ward) -> None:
    async with start_bot(
        Settings(
            slack_bot_token=ward.app.bot_token,
            slack_app_token=ward.app.app_token,
            slack_api_url=ward.slack.base_url,
            data_dir=ward.folder,
            port=0,
        ),
        build_kb(),
    ):
        pass
    key = ward.folder / "nccl-bot.key"
    sound = await ward.examine()
    key.chmod(0o644)
    spoiled = await ward.examine()
    key.write_text("no key")

    assert sound["key"].verdict is Verdict.OK
    assert sound["database"].verdict is Verdict.OK
    assert fails(spoiled["key"], "644", f"chmod 600 {key}")
    assert fails((await ward.examine())["key"], "32 bytes", "Fernet")


@pytest.mark.parametrize("scheme", ["sqlite", "postgresql"])
async def test_a_key_of_one_machine_is_pointed_out_where_others_may_share_the_database(
    scheme: str, tmp_path: Path
) -> None:
    read_key(None, tmp_path)
    address = f"{scheme}://127.0.0.1:1/{tmp_path / 'bot.db'}"
    found = examine_key(Settings(data_dir=tmp_path, database_url=address))
    given = examine_key(
        Settings(data_dir=tmp_path, database_url=address, key=Fernet.generate_key().decode())
    )

    assert (found.verdict is Verdict.WARNING) == (scheme == "postgresql")
    assert ("NCCL_BOT_KEY" in found.mend) == (scheme == "postgresql")
    assert given.verdict is Verdict.OK


async def test_a_port_is_free_taken_or_the_bots_own(ward: Ward) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    free = await ward.examine(port=port)
    async with start_bot(
        Settings(
            slack_bot_token=ward.app.bot_token,
            slack_app_token=ward.app.app_token,
            slack_api_url=ward.slack.base_url,
            data_dir=ward.folder,
            port=0,
        ),
        build_kb(),
    ) as bot:
        own = await ward.examine(port=bot.port)
    page = int(ward.slack.origin.rpartition(":")[2])
    other = await ward.examine(port=page)
    play = await ward.examine(port=page, slack_bot_token=None, slack_app_token=None)

    assert "free" in free["port"].said
    assert "running bot" in own["port"].said
    assert fails(other["port"], str(page), "NCCL_BOT_PORT")
    assert play["port"].verdict is Verdict.OK
    assert "playground" in play["port"].said


async def test_a_port_of_the_sixth_version_is_the_bots_own(ward: Ward) -> None:
    if not socket.has_dualstack_ipv6():
        pytest.skip("needs IPv6")
    settings = Settings(
        slack_bot_token=ward.app.bot_token,
        slack_app_token=ward.app.app_token,
        slack_api_url=ward.slack.base_url,
        data_dir=ward.folder,
        host="::1",
        port=0,
    )
    async with start_bot(settings, build_kb()) as bot:
        own = await ward.examine(host="::1", port=bot.port)

    assert "running bot" in own["port"].said


async def test_without_credentials_a_port_of_something_else_is_taken(ward: Ward) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        threading.Thread(target=_hang_up, args=[listener], daemon=True).start()
        found = await ward.examine(port=port, slack_bot_token=None, slack_app_token=None)

    assert fails(found["port"], str(port), "NCCL_BOT_PORT")


def _hang_up(listener: socket.socket) -> None:
    with suppress(OSError):
        while True:
            listener.accept()[0].close()


async def test_an_older_database_is_a_warning_and_a_newer_one_a_failure(ward: Ward) -> None:
    path = ward.folder / "nccl-bot.db"
    sqlite3.connect(path).close()
    path.touch()
    empty = (await ward.examine())["database"]
    database = Database(f"sqlite+aiosqlite:///{path}")
    await upgrade(database)
    await database.close()
    current = (await ward.examine())["database"]
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()

    assert empty.verdict is Verdict.WARNING
    assert "db upgrade" in empty.mend
    assert current.verdict is Verdict.OK
    assert fails((await ward.examine())["database"], "newer nccl-bot", "install")


async def test_a_database_that_is_none_is_named(ward: Ward) -> None:
    path = ward.folder / "broken.db"
    path.write_bytes(b"no database" * 100)
    found = await ward.examine(database_url=f"sqlite:///{path}")

    assert fails(found["database"], "not a database", "NCCL_BOT_DATABASE_URL")


@pytest.mark.parametrize("url", ["mysql://u:pass-word@h/n", "no address with pass-word"])
async def test_an_address_of_no_known_database_is_refused_without_its_password(
    ward: Ward, url: str
) -> None:
    found = await ward.examine(database_url=url)

    assert fails(found["database"], "SQLite or PostgreSQL", "NCCL_BOT_DATABASE_URL")
    assert "pass-word" not in str(found)


async def test_a_missing_driver_is_named(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    found = await ward.examine(database_url="postgresql://h/n")

    assert fails(found["database"], "pip install asyncpg", "NCCL_BOT_DATABASE_URL")


async def test_an_unreadable_entry_is_named_with_its_line(ward: Ward, tmp_path: Path) -> None:
    entry = tmp_path / "kb" / "ours" / "broken.yaml"
    entry.parent.mkdir(parents=True)
    entry.write_text("id: ours/broken\nfoo: 1\n")
    found = await ward.examine(kb_dirs=[tmp_path / "kb"])

    assert fails(found["knowledge base"], "broken.yaml:", "kb lint")


def test_the_command_says_what_to_mend_and_exits_accordingly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NCCL_BOT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("NCCL_BOT_PORT", "0")

    assert main(["doctor"]) == 0
    assert "the playground" in capsys.readouterr().out
    monkeypatch.setenv("NCCL_BOT_KEY", "short")
    assert main(["doctor"]) == 1
    assert "mend: make one in Python" in capsys.readouterr().out
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-example")
    assert main(["doctor"]) == 2
    assert "SLACK_APP_TOKEN" in capsys.readouterr().err
