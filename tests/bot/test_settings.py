"""Settings from the environment and a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, read_settings
from bot.settings_page import write_page

BOT = {"SLACK_BOT_TOKEN": "xoxb-example"}


def test_the_app_token_wins_and_nothing_means_the_playground() -> None:
    both = BOT | {"SLACK_APP_TOKEN": "xapp-example", "SLACK_SIGNING_SECRET": "example"}

    assert read_settings(both).mode == "socket"
    assert read_settings(BOT | {"SLACK_SIGNING_SECRET": "example"}).mode == "http"
    assert read_settings({}).mode == "playground"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        (BOT, "SLACK_APP_TOKEN"),
        ({"SLACK_APP_TOKEN": "xapp-example"}, "SLACK_BOT_TOKEN is missing"),
        ({"NCCL_BOT_PORT": "seventy"}, "NCCL_BOT_PORT"),
        ({"NCCL_BOT_PROT": "70"}, "NCCL_BOT_PROT: no such setting"),
        ({"NCCL_BOT_WEBHOOK_SECRET": "whsec_%%%"}, "NCCL_BOT_WEBHOOK_SECRET"),
        ({"NCCL_BOT_CONFIG": "/nowhere/settings.toml"}, "/nowhere/settings.toml"),
    ],
)
def test_each_wrong_setting_is_named_without_its_value(
    environment: dict[str, str], said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        read_settings(environment)

    assert said in str(error.value)
    assert "seventy" not in str(error.value)


def test_secrets_are_masked() -> None:
    settings = read_settings(BOT | {"SLACK_APP_TOKEN": "xapp-example", "NCCL_BOT_KEY": "k3y"})

    assert not {"xoxb-example", "xapp-example", "k3y"} & set(repr(settings).split("'"))


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('port = 9000\nlog_level = "debug"\nbots_allowed = ["B1"]\n')
    settings = read_settings({"NCCL_BOT_PORT": "9001", "NCCL_BOT_CONFIG": str(file)})

    assert (settings.port, settings.log_level, settings.bots_allowed) == (9001, "debug", ("B1",))


def test_lists_are_parted_by_commas() -> None:
    settings = read_settings({"NCCL_BOT_BOTS_ALLOWED": "B1, B2,", "NCCL_BOT_KB_DIRS": "a,b"})

    assert settings.bots_allowed == ("B1", "B2")
    assert settings.kb_dirs == (Path("a"), Path("b"))


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("postgresql://h/n", "postgresql+asyncpg://h/n"),
        ("postgres://h/n", "postgresql+asyncpg://h/n"),
        ("sqlite:///x.db", "sqlite+aiosqlite:///x.db"),
    ],
)
def test_a_plain_database_address_gets_its_driver(given: str, used: str) -> None:
    assert read_settings({"NCCL_BOT_DATABASE_URL": given}).resolved_database_url == used


def test_every_setting_says_what_it_is() -> None:
    undocumented = [name for name, field in Settings.model_fields.items() if not field.description]

    assert undocumented == []


def test_the_page_lists_every_setting() -> None:
    page = Path(__file__).parents[2] / "docs" / "settings.md"

    assert page.read_text(encoding="utf-8") == write_page()


SEVERAL = {
    "SLACK_SIGNING_SECRET": "example",
    "NCCL_BOT_CLIENT_ID": "1.2",
    "NCCL_BOT_CLIENT_SECRET": "example",
    "NCCL_BOT_PUBLIC_URL": "https://bot.example.com/",
    "NCCL_BOT_KEY": "k3y",
}


def test_several_workspaces_need_no_bot_token_and_give_way_to_socket_mode() -> None:
    settings = read_settings(SEVERAL)

    assert (settings.installs, settings.mode) == (True, "http")
    assert settings.public_url == "https://bot.example.com"
    assert not read_settings({**SEVERAL, **BOT, "SLACK_APP_TOKEN": "xapp-example"}).installs


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (BOT, "unset one of them"),
        ({"NCCL_BOT_KEY": ""}, "set also NCCL_BOT_KEY"),
        ({"SLACK_SIGNING_SECRET": ""}, "set also SLACK_SIGNING_SECRET"),
        ({"NCCL_BOT_WEBHOOK_CHANNEL": "C1"}, "set also NCCL_BOT_HOME_TEAM"),
        ({"NCCL_BOT_PUBLIC_URL": "http://bot.example.com"}, "NCCL_BOT_PUBLIC_URL: "),
    ],
)
def test_what_several_workspaces_need_is_named(more: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as error:
        read_settings({**SEVERAL, **more})

    assert said in str(error.value)
