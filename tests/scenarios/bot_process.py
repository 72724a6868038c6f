"""The bot as a process of its own, to be killed."""

from __future__ import annotations

import asyncio

from bot.app import run
from bot.logs import set_up_logs
from bot.settings import read_settings
from tests.scenarios.small_kb import build_kb

if __name__ == "__main__":
    set_up_logs("error", "json")
    asyncio.run(run(read_settings(), build_kb()))
