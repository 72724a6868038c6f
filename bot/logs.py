"""How the bot logs: structured, without the text of posts and without secrets."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Literal

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor, WrappedLogger

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def set_up_logs(level: str, form: Literal["auto", "json", "console"]) -> None:
    """Configure structlog and quieten the libraries, whose debug logs print whole messages."""
    console = form == "console" or (form == "auto" and sys.stderr.isatty())
    renderer: Processor = (
        structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            name_error,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    for name in ("slack_bolt", "slack_sdk", "aiohttp", "sqlalchemy", "asyncio", "alembic"):
        logging.getLogger(name).setLevel(logging.ERROR)


def name_error(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Put an error's type and place into the event; its message may quote a post or a token."""
    error = event.pop("error", None)
    if isinstance(error, BaseException):
        event["error"] = type(error).__name__
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None:
            event["at"] = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
    elif error is not None:
        event["error"] = error
    return event
