"""The key: checked wherever it is read, written whole or not at all."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

import pytest

from bot.seal import KEY_FILE, Seal, SealError, read_key

KEY = base64.urlsafe_b64encode(bytes(range(32)))


@pytest.mark.parametrize(
    "kept", [b"", b"\n", b"no key", KEY[:-8], KEY + KEY, b"\xff" * 44, KEY[:20] + b"\n" + KEY[20:]]
)
def test_a_file_that_holds_no_key_is_refused_by_its_name_and_stays(tmp_path, kept):
    path = tmp_path / KEY_FILE
    path.write_bytes(kept)

    with pytest.raises(SealError, match=str(path)):
        read_key(None, tmp_path)
    assert path.read_bytes() == kept


@pytest.mark.parametrize("given", ["short", KEY.decode() * 2, "é" * 44])
def test_a_key_given_that_is_none_is_refused(tmp_path, given):
    with pytest.raises(SealError, match="NCCL_BOT_KEY"):
        read_key(given, tmp_path)
    assert not list(tmp_path.iterdir())


def test_both_spellings_of_base64_are_keys(tmp_path):
    for given in ("-_" + "a" * 41 + "=", "+/" + "a" * 41 + "="):
        assert read_key(f"{given}\n", tmp_path) == given
        Seal(given)


def test_the_key_is_made_once_and_for_its_owner_alone(tmp_path):
    folder = tmp_path / "data"

    key = read_key(None, folder)

    assert read_key(None, folder) == key
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600


def test_a_disk_that_fills_up_leaves_no_key_and_no_part_of_one(tmp_path, monkeypatch):
    def fill_up(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_up)
        with pytest.raises(OSError, match="No space left"):
            read_key(None, tmp_path)

    assert not list(tmp_path.iterdir())
    Seal(read_key(None, tmp_path))


def test_the_key_of_a_process_that_was_faster_stays(tmp_path, monkeypatch):
    path = tmp_path / KEY_FILE
    link = Path.hardlink_to

    def be_slower(self, target):
        path.write_bytes(KEY)
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", be_slower)

    assert read_key(None, tmp_path) == KEY.decode()
    assert [found.name for found in tmp_path.iterdir()] == [KEY_FILE]


def test_a_file_system_without_links_keeps_a_key_too(tmp_path, monkeypatch):
    def refuse(self, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)

    key = read_key(None, tmp_path)

    assert (tmp_path / KEY_FILE).read_text() == key
    assert [found.name for found in tmp_path.iterdir()] == [KEY_FILE]
