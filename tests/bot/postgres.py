"""A PostgreSQL of the tests' own, from the binaries that are on the machine."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = "NCCL_BOT_TEST_POSTGRES"


def find_binaries() -> Path | None:
    """Folder of initdb and pg_ctl; none where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    initdb = Path(on_path) if on_path else (found[-1] if found else None)
    return initdb.parent if initdb else None


@contextmanager
def serve_postgres() -> Iterator[str | None]:
    """Address of an empty database, from the environment or a server that ends with the block."""
    binaries = find_binaries()
    if GIVEN in os.environ or binaries is None:
        yield os.environ.get(GIVEN)
        return
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        user = _hand_over(folder)
        data, port = f"{folder}/data", _free_port()
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
        _run(user, binaries / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        control = [binaries / "pg_ctl", "-w", "-D", data, "-l", f"{folder}/log"]
        _run(user, *control, "-o", options, "start")
        try:
            yield f"postgresql+asyncpg://postgres@127.0.0.1:{port}/postgres"
        finally:
            _run(user, *control, "-m", "immediate", "stop")


def _hand_over(folder: str) -> str | None:
    """PostgreSQL refuses to run as root: the user to run it as then."""
    if os.geteuid() != 0:
        return None
    owner = pwd.getpwnam("postgres")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return "postgres"


def _run(user: str | None, *command: object) -> None:
    words = [str(word) for word in command]
    subprocess.run(words, user=user, check=True, stdout=subprocess.DEVNULL, cwd="/")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
