"""Job failures over HTTP: authenticate the raw bytes, read, persist, 2xx at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from bot.delivery import Delivery, Kind
from bot.web.body import read_whole
from bot.webhooks import Sender, list_senders
from bot.webhooks.model import BadBodyError

if TYPE_CHECKING:
    from bot.inbox import Inbox
    from bot.settings import Settings

RETRY_SECONDS = 30


class Hooks:
    """The handler of /hooks/<sender>."""

    def __init__(self, inbox: Inbox, settings: Settings, team: str) -> None:
        self._inbox = inbox
        self._settings = settings
        self._team = team
        self._senders: dict[str, Sender] = {sender.name: sender for sender in list_senders()}

    async def serve(self, request: web.Request) -> web.Response:
        """202 once it is kept; 4xx says what is wrong; 503 where too much waits (senders retry it)."""
        sender = self._senders.get(request.match_info["sender"])
        if sender is None:
            known = ", ".join(sorted(self._senders))
            return web.Response(status=404, text=f"no such sender; there are: {known}")
        if not sender.is_open(self._settings):
            text = "webhooks are closed: set NCCL_BOT_WEBHOOK_CHANNEL and a secret or token"
            return web.Response(status=403, text=text)
        seconds = sender.grant_time(self._settings, request.headers)
        raw = await read_whole(request, seconds) if seconds else b""
        if not seconds or not sender.may(self._settings, request.headers, raw):
            return web.Response(status=401, text="signature or token missing, wrong or too old")
        if self._inbox.overloaded:
            headers = {"Retry-After": str(RETRY_SECONDS)}
            return web.Response(status=503, text="too much waits; send it again", headers=headers)
        try:
            jobs = sender.read(raw, request.headers)
        except BadBodyError as error:
            return web.Response(status=400, text=str(error))
        for job in jobs:
            key = f"hook:{sender.name}:{job.key}"
            await self._inbox.accept(
                Delivery(self._team, Kind.WEBHOOK, key, job.model_dump(mode="json"))
            )
        if sender.succeeded is not None and self._settings.outcomes != "off":
            for success in sender.succeeded(raw):
                key = f"hook:{sender.name}:{success.key}"
                await self._inbox.accept(
                    Delivery(self._team, Kind.SUCCESS, key, success.model_dump(mode="json"))
                )
        return web.json_response({"accepted": len(jobs)}, status=202)
