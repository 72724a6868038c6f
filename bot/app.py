"""The composition root: everything the bot is made of is put together here and nowhere else."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import aiohttp
import structlog

from bot.catchup import CatchUp
from bot.chores import Chores
from bot.core import Core
from bot.delivery import Delivery, Kind, find_team
from bot.errors import UsageError
from bot.inbox import Inbox
from bot.jobs import report_job
from bot.ledger import Ledger, read_policy
from bot.metrics import Metrics
from bot.outbox import Outbox
from bot.outcomes import take_success
from bot.reload import Fixed, LiveKnowledge
from bot.reloads import Reloads
from bot.seal import Seal, read_key
from bot.slack.app import build_app, work
from bot.slack.http import SlackRequests
from bot.slack.installed import InstalledWorkspaces
from bot.slack.oauth import Installs
from bot.slack.people import People
from bot.slack.socket import Socket
from bot.slack.workspaces import OneWorkspace, check_app_token, connect
from bot.standing import note_standing
from bot.store.database import Database
from bot.store.migrate import upgrade
from bot.voters import make_voters
from bot.voting import settle_sent
from bot.web.server import build_web, serve
from bot.webhooks.receive import Hooks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Any

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.settings import Settings
    from bot.slack.workspaces import Workspaces
    from rules.load import KnowledgeBase

log = structlog.get_logger(__name__)

DRAIN_SECONDS = 20.0
"""How long what is being worked may take to end when the bot stops."""
_BOLT_READS = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")


class Bot:
    """A running bot; `async with start_bot(...)` makes one."""

    def __init__(self, core: Core, inbox: Inbox, chores: Chores, port: int) -> None:
        self.core = core
        self.inbox = inbox
        self.chores = chores
        self.port = port


@asynccontextmanager
async def start_bot(
    settings: Settings,
    kb: KnowledgeBase | LiveKnowledge,
    now: Callable[[], float] = time.time,
) -> AsyncIterator[Bot]:
    """Start the bot; leaving the block stops the intake, lets work end and closes everything.

    Raises UsageError where Slack, the database, the key or the port cannot be used.
    """
    for name in _BOLT_READS:
        # With these in the environment Bolt turns to OAuth and drops the bot token.
        os.environ.pop(name, None)
    async with AsyncExitStack() as stack:
        database = Database(settings.resolved_database_url)
        stack.push_async_callback(database.close)
        await upgrade(database)
        key = _find_key(settings)
        seal = Seal(key)
        timeout = aiohttp.ClientTimeout(total=60)
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=timeout))
        workspaces: Workspaces
        if settings.installs:
            workspaces = InstalledWorkspaces(settings, database, seal, session, now)
        else:
            workspaces = OneWorkspace(await _connect(settings, session))
        metrics = Metrics()
        outbox = Outbox(database, seal, workspaces, metrics, now)
        knowledge = kb if isinstance(kb, LiveKnowledge) else Fixed(kb)
        policy = read_policy(settings, knowledge.current)
        ledger = Ledger(database, knowledge.current, now, make_voters(key), policy)
        core = Core(settings, database, seal, knowledge, ledger, workspaces, outbox, metrics, now)
        inbox = Inbox(database, seal, metrics, now)

        async def on_sent(connection: AsyncConnection, row: Row[Any], ts: str) -> None:
            await settle_sent(core, connection, row, ts)

        outbox.on_sent = on_sent
        note = partial(note_standing, core)
        people = People(now, note, strangers_vote=settings.strangers_vote)
        app = build_app(core, people, session)

        async def do(delivery: Delivery) -> None:
            if delivery.kind is Kind.WEBHOOK:
                await report_job(core, delivery)
            elif delivery.kind is Kind.SUCCESS:
                await take_success(core, delivery)
            elif await workspaces.find(find_team(delivery.body)) is None:
                log.info("not_installed", team=delivery.team)
            else:
                await work(app, delivery)

        chores = Chores(core)
        catch_up = CatchUp(core, inbox)
        parts = (inbox, outbox, chores, catch_up)
        work_on = (inbox.run(do), outbox.run(), chores.run(), catch_up.run())
        running = [asyncio.create_task(part) for part in work_on]
        if isinstance(kb, LiveKnowledge):
            kb.report = Reloads(core).note
            stack.push_async_callback(_cancel, asyncio.create_task(kb.watch()))
        stack.push_async_callback(_drain, parts, running)
        bot = Bot(core, inbox, chores, await _listen(stack, core, inbox, session))
        yield bot


async def _connect(settings: Settings, session: aiohttp.ClientSession) -> Any:
    assert settings.slack_bot_token is not None
    if settings.slack_app_token is not None:
        token = settings.slack_app_token.get_secret_value()
        await check_app_token(token, settings.slack_api_url, session)
    return await connect(
        settings.slack_bot_token.get_secret_value(), settings.slack_api_url, session
    )


def _find_key(settings: Settings) -> str:
    try:
        return read_key(
            settings.key.get_secret_value() if settings.key else None, settings.data_dir
        )
    except OSError as error:
        message = f"cannot keep the key in {settings.data_dir} ({error.strerror}): set NCCL_BOT_KEY"
        raise UsageError(message) from None


async def _listen(
    stack: AsyncExitStack, core: Core, inbox: Inbox, session: aiohttp.ClientSession
) -> int:
    """Open the ways in; they are the first to close."""
    settings = core.settings
    home = settings.home_team or ""
    if not settings.installs:
        home = (await core.workspaces.primary()).team
    socket: Socket | None = None
    slack = None
    if settings.slack_app_token is not None:
        client = (await core.workspaces.primary()).client
        socket = Socket(inbox, settings.slack_app_token.get_secret_value(), client)
        stack.push_async_callback(socket.close)
    elif settings.slack_signing_secret is not None:
        secret = settings.slack_signing_secret.get_secret_value()
        slack = SlackRequests(inbox, secret, core.now).serve

    async def is_ready() -> bool:
        return not inbox.outage.is_on and (socket is None or await socket.is_connected())

    application = build_web(
        hooks=Hooks(inbox, settings, home).serve,
        slack=slack,
        is_ready=is_ready,
        metrics=core.metrics,
        max_body=settings.max_body_mb << 20,
    )
    if settings.installs:
        pages = Installs(settings, core.database, core.seal, session, core.now)
        pages.add_routes(application.router)
    runner, port = await serve(application, settings.host, settings.port)
    stack.push_async_callback(runner.cleanup)
    if socket is not None:
        await socket.open()
    log.info("started", mode=settings.mode, port=port, entries=len(core.kb.entries))
    return port


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _drain(
    parts: tuple[Inbox, Outbox, Chores, CatchUp], running: list[asyncio.Task[None]]
) -> None:
    for part in parts:
        part.stop()
    _, late = await asyncio.wait(running, timeout=DRAIN_SECONDS)
    for task in late:
        # What is cut off here is still in the inbox or the outbox, and is taken up at the next start.
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def run(settings: Settings, kb: KnowledgeBase | LiveKnowledge) -> None:
    """Run until SIGTERM or SIGINT; without Slack credentials as the playground.

    SIGHUP reads a live knowledge base anew.

    Raises UsageError as `start_bot` does.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if isinstance(kb, LiveKnowledge):
        loop.add_signal_handler(signal.SIGHUP, kb.ask)
    async with AsyncExitStack() as stack:
        is_play = settings.mode == "playground"
        if is_play:
            from bot.playground import announce, open_playground  # noqa: PLC0415  only for play

            settings = await stack.enter_async_context(open_playground(settings))
        bot = await stack.enter_async_context(start_bot(settings, kb))
        if is_play:
            announce(settings, bot.port)
        await stop.wait()
        log.info("stopping")
