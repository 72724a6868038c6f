"""The one web application: webhooks, health, metrics and, in HTTP mode, Slack."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.metrics import Metrics

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

log = structlog.get_logger(__name__)

SLACK_PATH = "/slack/events"
LINGER_SECONDS = 1.0
"""How long a connection is kept whose body was refused before it had come in whole."""


class PortTakenError(UsageError):
    """The port cannot be listened on; the text says which and what to do."""


def build_web(
    *,
    hooks: Handler,
    slack: Handler | None,
    is_ready: Callable[[], Awaitable[bool]],
    metrics: Metrics,
    max_body: int,
) -> web.Application:
    """Build the application, with every route it has."""

    async def live(_: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def ready(_: web.Request) -> web.Response:
        up = await is_ready()
        return web.Response(status=200 if up else 503, text="ready" if up else "not ready")

    async def show_metrics(_: web.Request) -> web.Response:
        return web.Response(body=metrics.render(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    application = web.Application(client_max_size=max_body, middlewares=[_answer_errors])
    application.router.add_get("/healthz", live)
    application.router.add_get("/readyz", ready)
    application.router.add_get("/metrics", show_metrics)
    application.router.add_post("/hooks/{sender}", hooks)
    if slack is not None:
        application.router.add_post(SLACK_PATH, slack)
    return application


@web.middleware
async def _answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn what nobody foresaw into a 500 that says nothing, and a line in the log."""
    try:
        return await handler(request)
    except (web.HTTPException, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, the sender gets no traceback
        log.warning("request_failed", path=request.path, error=error)
        return web.Response(status=500, text="internal error")


def port_taken(host: str, port: int, error: OSError) -> PortTakenError:
    """Say that an address cannot be listened on."""
    reason = error.strerror or str(error)
    return PortTakenError(
        f"cannot listen on {host}:{port} ({reason}): set another NCCL_BOT_PORT, or end what uses it"
    )


async def serve(application: web.Application, host: str, port: int) -> tuple[web.AppRunner, int]:
    """Listen; the runner to clean up and the port. Raises PortTakenError."""
    # Tracebacks of requests that are no HTTP, which anyone can send; what fails here is logged above.
    quiet = logging.getLogger("aiohttp.server")
    quiet.setLevel(logging.CRITICAL)
    runner = web.AppRunner(
        application,
        access_log=None,
        logger=quiet,
        shutdown_timeout=5.0,
        lingering_time=LINGER_SECONDS,
    )
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise port_taken(host, port, error) from None
    return runner, int(runner.addresses[0][1])
