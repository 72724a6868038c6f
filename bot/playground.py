"""The playground: a made-up workspace on this machine, and settings that lead the bot to it.

The bot that runs is the production one; it knows an address and tokens, as of any Slack.
"""

from __future__ import annotations

import asyncio
import socket
import tempfile
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import structlog
from pydantic import SecretStr

from bot.localslack import LocalSlack, Shortcut
from bot.web.server import port_taken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.localslack import App, Channel, User
    from bot.settings import Settings

log = structlog.get_logger(__name__)

PEOPLE = ("ada", "grace", "linus", "margaret")
EXAMPLE = (
    "Anyone seen this? Dies after ten minutes, every time:\n"
    "```RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600)```\n"
    "4 nodes, torch 2.3 on H100. I increased the timeout already."
)
SHORTCUTS = (
    Shortcut("diagnose_message", "Diagnose this message", "message"),
    Shortcut("this_solved_it", "This solved it", "message"),
    Shortcut("diagnose_log", "Diagnose a log", "global"),
)
"""Those of the manifest, which an installed package does not have by it."""
HOST = "127.0.0.1"
PAGE_PORT = 8080
HOOK_PORT = 8081


@asynccontextmanager
async def open_playground(settings: Settings) -> AsyncIterator[Settings]:
    """Open a local Slack with people, channels and one example, for as long as the block runs.

    Raises PortTakenError where its page cannot be served.
    """
    page, hooks = _choose_ports(settings)
    slack = LocalSlack(host=HOST, port=page)
    try:
        await slack.start()
    except OSError as error:
        raise port_taken(HOST, page, error) from None
    people = [slack.add_user(name) for name in PEOPLE]
    first, second, *_ = people
    app = slack.add_app("nccl-bot", shortcuts=SHORTCUTS)
    channel = slack.add_channel("training", [*people, app])
    slack.add_channel("random", people)
    jobs = slack.add_channel("job-failures", [*people, app])
    # Whoever looks is the first person: the example is another's, as most posts are.
    opening = asyncio.create_task(_post_example(slack, app, second, channel))
    try:
        with tempfile.TemporaryDirectory(prefix="nccl-bot-") as folder:
            led = _lead_to(settings, slack, app, first, Path(folder))
            channels = _place(settings, jobs, {each.id for each in slack.world.channels.values()})
            yield led.model_copy(update={"port": hooks, **channels})
    finally:
        opening.cancel()
        with suppress(asyncio.CancelledError):
            await opening
        await slack.stop()


def _choose_ports(settings: Settings) -> tuple[int, int]:
    """Choose the page's port and the bot's own: what is set is the bot's, 0 frees both."""
    if "port" not in settings.model_fields_set:
        return PAGE_PORT, HOOK_PORT if _is_free(settings.host, HOOK_PORT) else 0
    if settings.port == 0:
        return 0, 0
    page = PAGE_PORT if settings.port != PAGE_PORT else HOOK_PORT
    return page if _is_free(HOST, page) else 0, settings.port


def _is_free(host: str, port: int) -> bool:
    """Whether it can be listened on, as far as a look can tell."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError:
        return False
    return True


def _lead_to(
    settings: Settings, slack: LocalSlack, app: App, maintainer: User, folder: Path
) -> Settings:
    chosen = settings.model_fields_set
    change: dict[str, object] = {
        "slack_api_url": slack.base_url,
        "slack_bot_token": SecretStr(app.bot_token),
        "slack_app_token": SecretStr(app.app_token),
    }
    if "maintainers" not in chosen:
        change["maintainers"] = (maintainer.id,)
    # A new workspace has a new history: what an earlier one left would only confuse.
    if "data_dir" not in chosen:
        change["data_dir"] = folder
    return settings.model_copy(update=change)


def _place(settings: Settings, jobs: Channel, known: set[str]) -> dict[str, object]:
    """Say where jobs and the digest go: a channel that is set is of another workspace, mostly."""
    change: dict[str, object] = {}
    if settings.webhook_channel not in known:
        change["webhook_channel"] = jobs.id
        if settings.webhook_channel is not None:
            used = f"#{jobs.name}"
            log.info("webhook_channel_not_here", channel=settings.webhook_channel, used=used)
    if settings.maintainer_channel is not None and settings.maintainer_channel not in known:
        change["maintainer_channel"] = None
        log.info("maintainer_channel_not_here", channel=settings.maintainer_channel)
    return change


async def _post_example(slack: LocalSlack, app: App, poster: User, channel: Channel) -> None:
    await slack.connected(app, timeout=60.0)
    await slack.post(poster, channel, EXAMPLE)


def announce(settings: Settings, port: int) -> None:
    """Say where the playground is, to the person at the terminal: the last thing said at start."""
    is_open = settings.webhook_token or settings.webhook_secret
    need = "" if is_open else ", once NCCL_BOT_WEBHOOK_TOKEN or NCCL_BOT_WEBHOOK_SECRET is set"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"Job failures go to http://{host}:{port}/hooks/generic{need}", flush=True)  # noqa: T201
    address = urljoin(settings.slack_api_url, "/")
    print(f"The playground is open: {address}", flush=True)  # noqa: T201  it is for a person
