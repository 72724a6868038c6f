"""The playground: a made-up workspace on this machine, and settings that lead the bot to it.

The bot that runs is the production one; it knows an address and tokens, as of any Slack.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from pydantic import SecretStr

from bot.localslack import LocalSlack
from bot.web.server import port_taken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.localslack import App, Channel, User
    from bot.settings import Settings

PEOPLE = ("ada", "grace", "linus", "margaret")
EXAMPLE = (
    "Anyone seen this? Dies after ten minutes, every time:\n"
    "```RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)```\n"
    "4 nodes, torch 2.3 on H100. I increased the timeout already."
)
HOST = "127.0.0.1"


@asynccontextmanager
async def open_playground(settings: Settings) -> AsyncIterator[Settings]:
    """Open a local Slack with people, channels and one example, for as long as the block runs.

    Raises PortTakenError where its page cannot be served.
    """
    slack = LocalSlack(host=HOST, port=settings.port)
    try:
        await slack.start()
    except OSError as error:
        raise port_taken(HOST, settings.port, error) from None
    people = [slack.add_user(name) for name in PEOPLE]
    app = slack.add_app("nccl-bot")
    channel = slack.add_channel("training", [*people, app])
    slack.add_channel("random", people)
    jobs = slack.add_channel("job-failures", [*people, app])
    opening = asyncio.create_task(_post_example(slack, app, people[0], channel))
    try:
        with tempfile.TemporaryDirectory(prefix="nccl-bot-") as folder:
            yield _lead_to(settings, slack, app, jobs, Path(folder))
    finally:
        opening.cancel()
        with suppress(asyncio.CancelledError):
            await opening
        await slack.stop()


def _lead_to(
    settings: Settings, slack: LocalSlack, app: App, jobs: Channel, folder: Path
) -> Settings:
    chosen = settings.model_fields_set
    change: dict[str, object] = {
        "slack_api_url": slack.base_url,
        "slack_bot_token": SecretStr(app.bot_token),
        "slack_app_token": SecretStr(app.app_token),
        "port": 0,
    }
    if "webhook_channel" not in chosen:
        change["webhook_channel"] = jobs.id
    # A new workspace has a new history: what an earlier one left would only confuse.
    if "data_dir" not in chosen:
        change["data_dir"] = folder
    return settings.model_copy(update=change)


async def _post_example(slack: LocalSlack, app: App, poster: User, channel: Channel) -> None:
    await slack.connected(app, timeout=60.0)
    await slack.post(poster, channel, EXAMPLE)


def announce(settings: Settings) -> None:
    """Say where the playground is, to the person at the terminal: the last thing said at start."""
    address = urljoin(settings.slack_api_url, "/")
    print(f"The playground is open: {address}", flush=True)  # noqa: T201  it is for a person
