"""The playground with the production bot behind it, and a browser to look at it."""

from __future__ import annotations

import shutil
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from playwright.async_api import async_playwright

from bot.app import start_bot
from bot.playground import open_playground
from bot.settings import read_settings
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser

    from bot.app import Bot

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TOKEN = "made-up-token"


@asynccontextmanager
async def open_stage() -> AsyncIterator[tuple[Bot, str]]:
    """Open the playground as `nccl-bot run` does, with a few entries; the bot and the page."""
    settings = read_settings({"NCCL_BOT_PORT": "0", "NCCL_BOT_WEBHOOK_TOKEN": TOKEN})
    async with (
        open_playground(settings) as led,
        start_bot(led, build_kb(), time.time) as bot,
    ):
        yield bot, led.slack_api_url.removesuffix("api/")


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """Start Debian's Chromium, with a profile of its own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()
