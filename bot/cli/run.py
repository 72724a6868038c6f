"""`nccl-bot run`: start the bot, or without Slack credentials the playground."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb
from bot.errors import UsageError
from bot.logs import set_up_logs
from bot.reload import LiveKnowledge
from bot.settings import read_settings
from rules.load import KnowledgeBaseError, shipped

if TYPE_CHECKING:
    import argparse


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "run",
        help="start the bot",
        description="Socket Mode with SLACK_APP_TOKEN, HTTP with SLACK_SIGNING_SECRET, "
        "and with neither the playground: a local Slack in the browser.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    add_kb(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Run until stopped."""
    from bot.app import run  # noqa: PLC0415  slow to import, and other commands do without

    settings = read_settings(file=arguments.config)
    set_up_logs(settings.log_level, settings.log_format)
    directories = [shipped(), *arguments.kb, *settings.kb_dirs]
    try:
        live = LiveKnowledge(directories, report=lambda _: None)
    except KnowledgeBaseError as error:
        raise UsageError(str(error)) from error
    asyncio.run(run(settings, live))
    return 0
