"""The maintainers' channel hears why a changed knowledge base is not used, once for the same faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.reload import Reloaded
from bot.reloads import Reloads

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


async def test_maintainers_hear_once_why_a_set_is_refused(stage: Stage) -> None:
    async with stage.running(maintainer_channel=stage.channel.id) as bot:
        for errors in (("kb/a/b.yaml:3: ``` <!channel>",), ("kb/a/b.yaml:3: ``` <!channel>",)):
            Reloads(bot.core).note(Reloaded("0123456789", errors))
            await stage.slack.wait_for(stage.roots)
        await stage.quiet()
        [told] = stage.roots()

        assert "0123456789 stays in place" in told.text
        assert "kb/a/b.yaml:3" in told.text
        assert told.text.count("```") == 2
        assert "<!channel" not in told.text
