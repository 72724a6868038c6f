"""`nccl-bot doctor`: is everything there that the bot needs, and how to mend what is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb
from bot.settings import read_settings

if TYPE_CHECKING:
    import argparse

    from bot.settings import Settings


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor",
        help="check tokens, scopes, channels, database, knowledge base and clock",
        description="Exit code 0: nothing keeps the bot from working; 1: something does; "
        "2: bad usage. Posts and changes nothing.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print each finding as it comes; below what is wrong, how to mend it."""
    settings = read_settings(file=arguments.config)
    return asyncio.run(_report(settings, arguments.kb or []))


async def _report(settings: Settings, directories: list[Path]) -> int:
    from bot.doctor import Verdict, examine  # noqa: PLC0415  slow to import

    failed = False
    async for found in examine(settings, directories):
        print(f"{found.verdict:8} {found.check:15} {found.said}", flush=True)
        if found.mend:
            print(f"{'':24} mend: {found.mend}", flush=True)
        failed = failed or found.verdict is Verdict.FAILURE
    return int(failed)
