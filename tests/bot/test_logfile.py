"""Plain bytes out of whatever a log is packed in."""

from __future__ import annotations

import codecs
import gzip
import io
import os

import pytest
import zstandard
from hypothesis import given, strategies as st

from bot.errors import UsageError
from bot.logfile import open_log, unpack

TEXT = b"".join(b"line %d of a log that is packed\n" % n for n in range(40_000))
PACK = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "gzip in parts": lambda data: gzip.compress(data[:1_000]) + gzip.compress(data[1_000:]),
    "zstd": zstandard.compress,
    "zstd in parts": lambda data: (
        zstandard.compress(data[:1_000]) + zstandard.compress(data[1_000:])
    ),
    "utf-16": lambda data: data.decode().encode("utf-16"),
    "utf-16 big-endian": lambda data: codecs.BOM_UTF16_BE + data.decode().encode("utf-16-be"),
    "utf-16 in gzip": lambda data: gzip.compress(data.decode().encode("utf-16")),
}


def read_all(log, size=65_536):
    parts = []
    while block := log.read(size):
        parts.append(block)
    return b"".join(parts)


@pytest.mark.parametrize("kind", PACK)
def test_the_bytes_come_out_as_they_went_in(kind, tmp_path):
    path = tmp_path / "log"
    path.write_bytes(PACK[kind](TEXT))

    with open_log(path) as log:
        assert read_all(log) == TEXT
        assert not log.damaged


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_of_cut_data_what_is_there_is_read(kind):
    packed = PACK[kind](os.urandom(500_000).hex().encode())
    log = unpack(io.BytesIO(packed[: len(packed) // 2]))

    assert len(read_all(log)) > 200_000


@pytest.mark.parametrize("kind", ["gzip", "zstd", "gzip in parts", "zstd in parts"])
@pytest.mark.parametrize("text", [TEXT, os.urandom(300_000)], ids=["text", "random"])
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.99])
def test_a_cut_is_told_wherever_it_is(kind, text, share):
    packed = PACK[kind](text)
    log = unpack(io.BytesIO(packed[: max(20, int(len(packed) * share))]))
    read_all(log, 1 << 18)

    assert log.damaged


def test_of_cut_zstd_the_last_block_that_is_whole_is_read():
    packed = zstandard.compress(TEXT)
    log = unpack(io.BytesIO(packed[:-100]))

    assert TEXT[: 4 * 131_072] == read_all(log, 1 << 18)[: 4 * 131_072]


def test_damage_is_told():
    packed = bytearray(gzip.compress(os.urandom(200_000)))
    packed[60_000:60_100] = b"\xff" * 100
    for damaged in (
        packed,
        gzip.compress(TEXT)[:-4],
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd\xff\xff" + b"\xff" * 99,
    ):
        log = unpack(io.BytesIO(bytes(damaged)))
        read_all(log)

        assert log.damaged, bytes(damaged[:6])


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data):
    read_all(unpack(io.BytesIO(data)), 7)


def test_an_odd_byte_at_the_end_of_utf_16_is_no_end_before_it():
    assert read_all(unpack(io.BytesIO("ab".encode("utf-16") + b"\x61"))) == b"ab"


@pytest.mark.parametrize("name", ["", "missing"])
def test_what_cannot_be_opened_is_said(tmp_path, name):
    with pytest.raises(UsageError, match="cannot be read"), open_log(tmp_path / name):
        pass


def test_an_empty_file_is_empty(tmp_path):
    (tmp_path / "log").touch()

    with open_log(tmp_path / "log") as log:
        assert log.read(9) == b""
