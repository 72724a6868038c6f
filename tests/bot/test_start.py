"""What can be wrong at start is one clear line, without a traceback."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from bot import shadow
from bot.app import start_bot
from bot.cli import main
from bot.errors import UsageError
from bot.localslack import LocalSlack
from bot.settings import Settings
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    async with LocalSlack() as made:
        yield made


async def start(slack: LocalSlack, folder: Path, **more: object) -> str:
    """The line with which a start fails."""
    app = slack.add_app("nccl-bot")
    values = {
        "slack_bot_token": app.bot_token,
        "slack_app_token": app.app_token,
        "slack_api_url": slack.base_url,
        "data_dir": folder,
        "port": 0,
        **more,
    }
    with pytest.raises(UsageError) as error:
        async with start_bot(Settings.model_validate(values), build_kb()):
            pass
    said = str(error.value)
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"slack_bot_token": "xoxb-not-one"}, "Slack refuses SLACK_BOT_TOKEN"),
        ({"slack_app_token": "xapp-not-one"}, "Slack refuses SLACK_APP_TOKEN"),
        ({"slack_api_url": "http://127.0.0.1:9/api/"}, "cannot reach Slack"),
        ({"key": "short"}, "NCCL_BOT_KEY must be"),
        ({"database_url": "sqlite:////proc/no/bot.db"}, "cannot use the database"),
    ],
)
async def test_each_fault_is_told(
    wrong: dict[str, str], said: str, slack: LocalSlack, tmp_path: Path
) -> None:
    told = await start(slack, tmp_path, **wrong)

    assert said in told
    assert "not-one" not in told


async def test_a_taken_port_is_told(slack: LocalSlack, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        told = await start(slack, tmp_path, port=other.getsockname()[1])

    assert "set another NCCL_BOT_PORT" in told


async def test_the_variables_that_bolt_reads_by_itself_do_no_harm(
    slack: LocalSlack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "SLACK_CLIENT_ID",
        "SLACK_CLIENT_SECRET",
        "SLACK_BOT_TOKEN",
        "SLACK_SIGNING_SECRET",
    ):
        monkeypatch.setenv(name, "something")
    app = slack.add_app("nccl-bot")
    settings = Settings.model_validate(
        {
            "slack_bot_token": app.bot_token,
            "slack_app_token": app.app_token,
            "slack_signing_secret": "unused",
            "slack_api_url": slack.base_url,
            "data_dir": tmp_path,
            "port": 0,
        }
    )
    alice = slack.add_user("alice")
    channel = slack.add_channel("train", [alice, app])
    async with start_bot(settings, build_kb()):
        await slack.connected(app)
        post = await slack.post(
            alice, channel, "AllReduce timed out in rank 0 (timeout: 600)\n" * 2
        )
        await slack.wait_for(lambda: len(slack.replies(post)) == 2)


def test_the_command_ends_with_2_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NCCL_BOT_PORT", "no")
    assert main(["db", "upgrade"]) == 2

    [line] = capsys.readouterr().err.splitlines()
    assert "NCCL_BOT_PORT" in line


def test_another_package_of_the_name_rules_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    shadow.check_rules()
    monkeypatch.setattr(shadow, "__file__", "/elsewhere/bot/shadow.py")
    with pytest.raises(UsageError, match="environment of its own"):
        shadow.check_rules()


def test_every_command_says_so_before_it_imports_the_engine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shadow, "__file__", "/elsewhere/bot/shadow.py")
    assert main(["kb", "schema"]) == 2

    [line] = capsys.readouterr().err.splitlines()
    assert "environment of its own" in line
