"""Slack over HTTP: verify the raw bytes, persist, acknowledge. The work is the inbox's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import structlog
from aiohttp import web
from sqlalchemy.exc import SQLAlchemyError

from bot.delivery import Kind, read_delivery
from bot.slack.blocks.form import check_form
from bot.slack.signature import is_signed
from bot.web.body import UNPROVEN_SECONDS, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.inbox import Inbox

log = structlog.get_logger(__name__)

Json = dict[str, Any]


class MalformedError(ValueError):
    """A signed body that is none of Slack's forms."""


class SlackRequests:
    """The handler of the request URL that events, interactivity and commands share."""

    def __init__(self, inbox: Inbox, secret: str, now: Callable[[], float]) -> None:
        self._inbox = inbox
        self._secret = secret
        self._now = now

    async def serve(self, request: web.Request) -> web.Response:
        """401 without a good signature, 400 for what cannot be read, else what Slack waits for.

        503 where it cannot be stored: Slack delivers it again.
        """
        raw = await read_whole(request, UNPROVEN_SECONDS)
        if not is_signed(self._secret, request.headers, raw, self._now()):
            return web.Response(status=401, text="invalid signature")
        try:
            kind, body = read_body(raw, request.content_type)
            return await self._take(kind, body)
        except MalformedError as error:
            return web.Response(status=400, text=str(error))
        except SQLAlchemyError:
            return web.Response(status=503, text="cannot be stored")
        except RecursionError:
            return web.Response(status=400, text="nested too deeply")

    async def _take(self, kind: Kind, body: Json) -> web.Response:
        if body.get("type") == "url_verification":
            return web.json_response({"challenge": str(body.get("challenge"))})
        if body.get("type") == "app_rate_limited":
            log.warning("slack_holds_events_back", minute=body.get("minute_rate_limited"))
            return web.Response()
        # A check of the certificate asks for nothing but a 200.
        if "ssl_check" in body:
            return web.Response()
        answer = answer_at_once(body)
        if answer is not None:
            return web.json_response(answer)
        await self._inbox.accept(read_delivery(kind, body))
        return web.Response()


def answer_at_once(body: Json) -> Json | None:
    """Return the answer that has to travel in the acknowledgement; none where it is empty."""
    view = body.get("view")
    if body.get("type") == "view_submission" and isinstance(view, dict):
        return check_form(view)
    return None


def read_body(raw: bytes, content_type: str) -> tuple[Kind, Json]:
    """Kind and payload of a request. Raises MalformedError."""
    if content_type == "application/json":
        return Kind.EVENT, _read_json(raw)
    try:
        fields = dict(parse_qsl(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise MalformedError("not a form") from None
    # A command's text may hold the word "payload"; only the field of that name is interactivity.
    if "payload" in fields and "command" not in fields:
        return Kind.INTERACTIVE, _read_json(fields["payload"].encode())
    if "command" in fields or "ssl_check" in fields:
        return Kind.SLASH, fields
    raise MalformedError("not one of Slack's forms")


def _read_json(raw: bytes) -> Json:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise MalformedError("not JSON") from None
    if not isinstance(body, dict):
        raise MalformedError("not a JSON object")
    return body
