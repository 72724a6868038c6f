"""The body of a request: whole, within its time, or a 4xx."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

if TYPE_CHECKING:
    from aiohttp.web import Request

UNPROVEN_SECONDS = 10.0
"""For a body that has to be read before it is known who sent it: that holds memory for a stranger."""
PROVEN_SECONDS = 60.0


async def read_whole(request: Request, seconds: float) -> bytes:
    """Read the body. Raises the HTTP answers 400, 408 and 413."""
    try:
        async with asyncio.timeout(seconds):
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="the body took too long") from None
    except (HttpProcessingError, web.RequestPayloadError):
        raise web.HTTPBadRequest(text="the body is not encoded as its headers say") from None
