"""Sealing of what is stored for a while: deliveries and messages on their way."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

from bot.errors import UsageError

KEY_FILE = "nccl-bot.key"
_KEY = re.compile(r"[A-Za-z0-9_+/-]{43}=", re.ASCII)


class SealError(UsageError):
    """The key is not one; the text says what a key looks like."""


class Seal:
    """Encrypts and decrypts JSON bodies with one key."""

    def __init__(self, key: str) -> None:
        try:
            self._fernet = Fernet(key)
        except ValueError:
            message = "NCCL_BOT_KEY must be 32 bytes in URL-safe base64"
            raise SealError(message) from None

    def close(self, body: dict[str, Any]) -> bytes:
        """Return the sealed form of `body`."""
        plain = json.dumps(body, ensure_ascii=False)
        # Half a character is no reason to lose the rest.
        return self._fernet.encrypt(plain.encode("utf-8", "replace"))

    def open(self, sealed: bytes) -> dict[str, Any] | None:
        """Open what was sealed; none where another key sealed it or it was damaged."""
        try:
            opened = json.loads(self._fernet.decrypt(sealed))
        except (InvalidToken, ValueError):
            return None
        assert isinstance(opened, dict)
        return opened


def read_key(given: str | None, folder: Path, *, make: bool = True) -> str:
    """Read the key given, or the one kept in `folder`, made on first use, readable by its owner alone.

    Raises SealError where it is none, or is not there and not to be made: under a wrong one people would get other pseudonyms.
    Raises OSError where the folder cannot be written.
    """
    if given:
        return _check(given.strip(), "NCCL_BOT_KEY", "make one as `nccl-bot doctor` says")
    path = folder / KEY_FILE
    if not path.exists():
        if not make:
            message = (
                f"there is no key {path}: set NCCL_BOT_KEY or NCCL_BOT_DATA_DIR as the bot has it"
            )
            raise SealError(message)
        _write_privately(path, Fernet.generate_key())
    found = path.read_bytes().decode("ascii", "replace").strip()
    return _check(
        found, str(path), "restore it; without it a new one is made, under which voters are others"
    )


def _check(key: str, source: str, mend: str) -> str:
    if not _KEY.fullmatch(key):
        raise SealError(f"{source} must be 32 bytes in URL-safe base64: {mend}")
    return key


def _write_privately(path: Path, key: bytes) -> None:
    """Write the whole key or none; one that is there already stays."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # Mode 600.
    made = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(made)  # Unlike a renaming, never over the key of another process.
        except FileExistsError:
            return
        except OSError:  # A file system without links.
            made.replace(path)
    finally:
        made.unlink(missing_ok=True)
