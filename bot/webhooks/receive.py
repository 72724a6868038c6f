"""Job failures over HTTP: authenticate the raw bytes, read, persist, 2xx at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web
from sqlalchemy.exc import SQLAlchemyError

from bot.delivery import Delivery, Kind
from bot.web.body import read_whole
from bot.webhooks import Sender, list_senders
from bot.webhooks.model import BadBodyError

if TYPE_CHECKING:
    from bot.inbox import Inbox
    from bot.settings import Settings
    from bot.webhooks.model import JobFailure, JobSuccess

RETRY_SECONDS = 30


class Hooks:
    """The handler of /hooks/<sender>."""

    def __init__(self, inbox: Inbox, settings: Settings, team: str) -> None:
        self._inbox = inbox
        self._settings = settings
        self._team = team
        self._senders: dict[str, Sender] = {sender.name: sender for sender in list_senders()}

    async def serve(self, request: web.Request) -> web.Response:
        """202 once it is kept; 4xx says what is wrong; 503 where it cannot be kept now (senders retry it)."""
        sender = self._find_sender(request)
        raw = await self._read_authentic(sender, request)
        if self._inbox.overloaded:
            return _send_again("too much waits; send it again")
        try:
            told = self._read(sender, request, raw)
        except BadBodyError as error:
            return web.Response(status=400, text=str(error))
        except RecursionError:
            return web.Response(status=400, text="the body is nested too deeply")
        try:
            for delivery in told:
                await self._inbox.accept(delivery)
        except SQLAlchemyError:
            return _send_again("cannot be stored; send it again")
        failures = sum(delivery.kind is Kind.WEBHOOK for delivery in told)
        return web.json_response({"accepted": failures}, status=202)

    def _find_sender(self, request: web.Request) -> Sender:
        sender = self._senders.get(request.match_info["sender"])
        if sender is None:
            known = ", ".join(sorted(self._senders))
            raise web.HTTPNotFound(text=f"no such sender; there are: {known}")
        if not sender.is_open(self._settings):
            text = "webhooks are closed: set NCCL_BOT_WEBHOOK_CHANNEL and a secret or token"
            raise web.HTTPForbidden(text=text)
        return sender

    async def _read_authentic(self, sender: Sender, request: web.Request) -> bytes:
        seconds = sender.grant_time(self._settings, request.headers)
        raw = await read_whole(request, seconds) if seconds else b""
        if not seconds or not sender.may(self._settings, request.headers, raw):
            raise web.HTTPUnauthorized(text="signature or token missing, wrong or too old")
        return raw

    def _read(self, sender: Sender, request: web.Request, raw: bytes) -> list[Delivery]:
        told: list[tuple[Kind, JobFailure | JobSuccess]] = [
            (Kind.WEBHOOK, job) for job in sender.read(raw, request.headers)
        ]
        if sender.succeeded is not None and self._settings.outcomes != "off":
            told += [(Kind.SUCCESS, job) for job in sender.succeeded(raw)]
        return [
            Delivery(self._team, kind, f"hook:{sender.name}:{job.key}", job.model_dump(mode="json"))
            for kind, job in told
        ]


def _send_again(text: str) -> web.Response:
    return web.Response(status=503, text=text, headers={"Retry-After": str(RETRY_SECONDS)})
