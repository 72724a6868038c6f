"""The bot as a process of its own, to be killed."""

from __future__ import annotations

import asyncio

from bot import lease
from bot.app import run
from bot.logs import set_up_logs
from bot.settings import read_settings
from tests.scenarios.small_kb import build_kb

if __name__ == "__main__":
    # A process that was killed holds what it worked for so long.
    lease.LEASE_SECONDS = 2.0
    lease.RENEW_SECONDS = 0.5
    set_up_logs("error", "json")
    asyncio.run(run(read_settings(), build_kb()))
