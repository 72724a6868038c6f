"""Is everything there that the bot needs? Each answer says how to mend what is not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.doctor.finding import Finding, Verdict
from bot.doctor.installed import try_installations
from bot.doctor.machine import examine_database, examine_kb, examine_key, examine_port
from bot.doctor.slack import ask_slack

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from bot.settings import Settings

__all__ = ["Finding", "Verdict", "examine"]


async def examine(
    settings: Settings, directories: Sequence[Path] = (), now: Callable[[], float] = time.time
) -> AsyncIterator[Finding]:
    """Yield the finding of each check; nothing is written anywhere, and nothing is posted.

    `directories` hold entries beyond the shipped ones.
    """
    for finding in examine_kb([*directories, *settings.kb_dirs]):
        yield finding
    yield examine_key(settings)
    database, known = await examine_database(settings)
    yield database
    yield await examine_port(settings)
    posted_to = filter(None, (settings.webhook_channel, settings.maintainer_channel))
    async for finding in ask_slack(settings, dict.fromkeys([*posted_to, *known]), now):
        yield finding
    if settings.installs and database.verdict is Verdict.OK:
        async for finding in try_installations(settings, now):
            yield finding
