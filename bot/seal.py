"""Sealing of what is stored for a while: deliveries and messages on their way."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from cryptography.fernet import Fernet, InvalidToken

from bot.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

KEY_FILE = "nccl-bot.key"


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


def read_key(given: str | None, folder: Path) -> str:
    """Read the key given, or the one kept in `folder`, made on first use, readable by its owner alone.

    Raises OSError where the folder cannot be written.
    """
    if given:
        return given
    path = folder / KEY_FILE
    if not path.exists():
        _write_privately(path, Fernet.generate_key())
    return path.read_text(encoding="ascii").strip()


def _write_privately(path: Path, key: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
