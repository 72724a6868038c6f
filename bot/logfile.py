"""Log files as plain bytes, whatever they are packed in."""

from __future__ import annotations

import gzip
import io
import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

import zstandard

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rules.scan import Readable

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DAMAGED = (OSError, EOFError, zlib.error, zstandard.ZstdError)


class Unpacked:
    """A readable that ends where its packed data is cut or damaged, and says so."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self.damaged = False

    def read(self, size: int, /) -> bytes:
        """At most `size` plain bytes; none at the end or at the damage."""
        try:
            return self._source.read(size)
        except _DAMAGED:
            self.damaged = True
            return b""


def unpack(stream: BinaryIO) -> Unpacked:
    """Plain bytes of `stream`: gzip and zstd are known by their first bytes."""
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    magic = buffered.peek(4)[:4]
    if magic.startswith(_GZIP):
        return Unpacked(gzip.GzipFile(fileobj=buffered, mode="rb"))
    if magic == _ZSTD:
        reader = zstandard.ZstdDecompressor().stream_reader(buffered, read_across_frames=True)
        return Unpacked(reader)
    return Unpacked(buffered)


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
