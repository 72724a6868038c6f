from __future__ import annotations

import os

import pytest

from rules.folder import list_files
from rules.load import load, read
from tests.rules.kb_files import fields, write


@pytest.mark.parametrize(
    "hidden",
    [
        ".pre-commit-config.yaml",
        ".github/workflows/ci.yml",
        "nccl/.#widget-lost.yaml",
        "nccl/..2024_01/widget-lost.yaml",
        ".git/x/y.yaml",
    ],
)
def test_names_with_a_dot_before_them_are_no_entries(tmp_path, hidden):
    write(tmp_path, fields())
    path = tmp_path / hidden
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("on: push\n", encoding="utf-8")

    assert list(load([tmp_path]).entries) == ["nccl/widget-lost"]


def test_a_folder_below_a_hidden_one_is_read(tmp_path):
    assert list(load([write(tmp_path / ".runbooks", fields())]).entries) == ["nccl/widget-lost"]


def test_a_domain_that_is_a_link_is_read(tmp_path):
    write(tmp_path / "elsewhere", fields("ours/a"))
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb/ours").symlink_to(tmp_path / "elsewhere/ours")

    assert list(load([tmp_path / "kb"]).entries) == ["ours/a"]


def test_a_file_that_is_a_link_is_read(tmp_path):
    write(tmp_path / "elsewhere", fields("ours/a"))
    (tmp_path / "kb/ours").mkdir(parents=True)
    (tmp_path / "kb/ours/a.yaml").symlink_to(tmp_path / "elsewhere/ours/a.yaml")

    assert list(load([tmp_path / "kb"]).entries) == ["ours/a"]


def test_links_in_circles_are_left_out(tmp_path):
    write(tmp_path, fields())
    (tmp_path / "again").symlink_to(".")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "nccl/down").symlink_to("../nccl")
    for one in range(12):
        folder = tmp_path / f"nccl/mesh/{one}"
        folder.mkdir(parents=True)
        for other in range(12):
            (folder / f"to{other}").symlink_to(f"../{other}")

    assert list(load([tmp_path]).entries) == ["nccl/widget-lost"]


def test_a_file_in_the_wrong_place_is_told_of_below_a_link_too(tmp_path):
    write(tmp_path / "kb", fields())
    write(tmp_path / "elsewhere", fields("ours/a"))
    (tmp_path / "kb/linked").symlink_to(tmp_path / "elsewhere")

    error = read([tmp_path / "kb"]).errors[0]

    assert error.path.endswith("kb/linked/ours/a.yaml")
    assert error.message == "an entry must be <domain>/<slug>.yaml"


def test_what_is_no_file_or_leads_nowhere_is_told(tmp_path):
    write(tmp_path, fields())
    (tmp_path / "nccl/lost.yaml").symlink_to("nowhere")
    (tmp_path / "nccl/round.yaml").symlink_to("round.yaml")
    os.mkfifo(tmp_path / "nccl/pipe.yaml")

    errors = {error.path.rpartition("/")[2]: error.message for error in read([tmp_path]).errors}

    assert set(errors) == {"lost.yaml", "round.yaml", "pipe.yaml"}
    assert errors["pipe.yaml"] == "cannot be read: it is no file"


def test_a_folder_that_cannot_be_listed_is_told(tmp_path, monkeypatch):
    write(tmp_path, fields(), fields("ours/a"))
    listing = os.scandir

    def refuse(path):
        if str(path).endswith("ours"):
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)

    assert [path.name for path, _ in list_files(tmp_path).unread] == ["ours"]
    assert [error.path for error in read([tmp_path]).errors] == [str(tmp_path / "ours")]
