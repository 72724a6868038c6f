"""Log files as plain bytes, whatever they are packed in."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

import zstandard

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_LOOK = 256
"""Bytes in which every other one is zero where a log is UTF-16."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FILLER = 1 << 18
_ZSTD_END = b"\x50\x2a\x4d\x18" + _FILLER.to_bytes(4, "little") + b" " * _FILLER
"""A frame to be skipped, of blanks: what ends early takes it for its own and finds no block there."""
_DAMAGED = (OSError, EOFError, zlib.error, zstandard.ZstdError)


class Unpacked:
    """A readable that ends where its packed data is cut or damaged, and says so.

    UTF-16, which Windows writes, is known by its byte order mark and becomes UTF-8.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder: codecs.IncrementalDecoder | None = None
        self._begun = False
        self.damaged = False

    def read(self, size: int, /) -> bytes:
        """Read plain bytes, about `size` at the most; none at the end or at the damage."""
        try:
            block = self._read(size)
        except _DAMAGED:
            self.damaged = True
            return b""
        if not self._begun:
            self._begun = True
            if block.startswith(_UTF_16) and block.count(0, 0, _LOOK) * 4 > len(block[:_LOOK]):
                self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        if self._decoder is None or not block:
            return block
        return self._decoder.decode(block).encode("utf-8", "replace") or self.read(size)


class _Ended:
    """A packed source with a frame to be skipped at its end: zstd says nothing of one that is cut."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._is_over = False

    def read(self, size: int, /) -> bytes:
        data = self._source.read(size)
        if data or self._is_over:
            return data
        self._is_over = True
        return _ZSTD_END


def unpack(stream: BinaryIO) -> Unpacked:
    """Plain bytes of `stream`: gzip and zstd are known by their first bytes.

    Raises UsageError where it cannot be read.
    """
    buffered = (
        stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    )
    try:
        magic = buffered.peek(4)[:4]
    except OSError as error:
        raise UsageError(f"the log cannot be read: {error.strerror or error}") from error
    if magic.startswith(_GZIP):
        # read() would lose what it had unpacked already where the data is cut; the mode of a
        # temporary file, written to before, is no mode to read with.
        return Unpacked(gzip.GzipFile(fileobj=buffered, mode="rb").read1)
    if magic == _ZSTD:
        source = cast("BinaryIO", _Ended(buffered))
        reader = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True)
        return Unpacked(reader.read1)
    return Unpacked(buffered.read)


@contextmanager
def open_log(path: Path) -> Iterator[Unpacked]:
    """Open a log file; raises UsageError where it cannot be read."""
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(path.open("rb"))
            unpacked = unpack(stream)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
        yield unpacked
