"""What is deployed: the unit, the image and compose agree with the program and with each other."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bot.app import DRAIN_SECONDS
from bot.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "nccl-bot.service"


@pytest.mark.parametrize("name", ["Dockerfile", "nccl-bot.service", "compose.yaml"])
def test_every_setting_named_in_a_file_exists(name: str) -> None:
    named = set(re.findall(rf"\b{PREFIX}([A-Z_]+)\b", (DEPLOY / name).read_text()))

    assert {each.lower() for each in named} <= set(Settings.model_fields)


def test_the_bot_is_given_time_to_end_what_it_is_at() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    [unit_seconds] = re.findall(r"TimeoutStopSec=(\d+)", UNIT.read_text())

    assert int(compose["services"]["bot"]["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS
    assert int(unit_seconds) > DRAIN_SECONDS


def test_commands_beside_the_service_run_as_it_runs() -> None:
    unit = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE))
    [beside] = re.findall(
        r"^bot\(\) \((.*?)\)$",
        (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    program = unit["ExecStart"].removesuffix(" run")
    [data] = re.findall(r"NCCL_BOT_DATA_DIR=\S+", unit["Environment"])

    assert data.endswith(f"/{unit['StateDirectory']}")
    assert f". {unit['EnvironmentFile']};" in beside
    assert f"{data};" in beside
    assert f'runuser -u {unit["User"]} -- {program} "$@"' in beside


def test_a_reload_of_the_service_is_the_signal_that_the_bot_takes() -> None:
    assert re.search(r"^ExecReload=\S+ -HUP \$MAINPID$", UNIT.read_text(), re.MULTILINE)


def test_the_image_copies_what_the_package_is_built_from() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    kept = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = re.findall(
        r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE
    )
    sources = {source for line in copied for source in line.split()}

    assert sources == kept
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_installs_the_versions_that_are_tested() -> None:
    def read(name: str) -> set[str]:
        return set(
            re.findall(r"^\S+==\S+", (ROOT / "requirements" / name).read_text(), re.MULTILINE)
        )

    run, image = read("run.txt"), read("image.txt")

    assert run <= image
    assert {each.partition("==")[0] for each in image - run} == {"asyncpg"}
    assert image <= read("all.txt")


@pytest.mark.services
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    # Systemd looks whether the program is there, which it is not on this machine.
    text = UNIT.read_text().replace("/opt/nccl-bot/bin/nccl-bot", sys.executable)
    unit.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], check=False, capture_output=True, text=True
    )

    assert sys.executable in text
    assert (done.returncode, done.stderr) == (0, "")
