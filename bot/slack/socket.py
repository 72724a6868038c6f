"""Slack over Socket Mode: persist, acknowledge. The work is the inbox's."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

import aiohttp
import structlog
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse
from sqlalchemy.exc import SQLAlchemyError

from bot.delivery import Kind, read_delivery
from bot.slack.http import answer_at_once

if TYPE_CHECKING:
    from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.inbox import Inbox

log = structlog.get_logger(__name__)

PING_SECONDS = 5.0
_KINDS = {
    "events_api": Kind.EVENT,
    "interactive": Kind.INTERACTIVE,
    "slash_commands": Kind.SLASH,
}


class Socket:
    """One connection, which the SDK keeps up; several processes may have one each."""

    def __init__(self, inbox: Inbox, app_token: str, client: AsyncWebClient) -> None:
        self._inbox = inbox
        self._closed = False
        self._taking: set[asyncio.Task[object]] = set()
        quiet = logging.getLogger("slack_sdk.socket_mode")
        self._client = SocketModeClient(
            app_token=app_token, web_client=client, ping_interval=PING_SECONDS, logger=quiet
        )
        self._client.socket_mode_request_listeners.append(self._take)
        self._client.on_message_listeners.append(_read_notice)

    async def open(self) -> None:
        """Connect; the token has been checked, so that this ends."""
        await self._client.connect()  # type: ignore[no-untyped-call]
        log.info("socket_connected")

    async def close(self) -> None:
        """Take in no more, and let what came in be stored.

        What was not acknowledged Slack delivers again, and the inbox knows it.
        """
        self._closed = True
        await self._client.close()  # type: ignore[no-untyped-call]
        await asyncio.gather(*self._taking, return_exceptions=True)

    async def is_connected(self) -> bool:
        """Whether deliveries can come in."""
        return bool(await self._client.is_connected())

    async def _take(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        if self._closed:
            return
        task = asyncio.current_task()
        assert task is not None
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)
        await self._store(client, request)

    async def _store(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        kind = _KINDS.get(request.type)
        body: dict[str, Any] = request.payload
        answer = answer_at_once(body)
        if kind is not None and answer is None:
            try:
                await self._inbox.accept(read_delivery(kind, body))
            except SQLAlchemyError:
                # Said already, and not acknowledged: Slack delivers it again.
                return
            except Exception as error:  # noqa: BLE001  the SDK would pass over it in silence
                log.warning("delivery_not_taken", kind=kind, error=error)
                return
        response = SocketModeResponse(envelope_id=request.envelope_id, payload=answer)
        try:
            await client.send_socket_mode_response(response)
        except (OSError, aiohttp.ClientError) as error:
            log.info("not_acknowledged", error=error)


async def _read_notice(message: aiohttp.WSMessage) -> None:
    """Say why Slack ends a connection; the SDK opens the next one."""
    if message.type is not aiohttp.WSMsgType.TEXT or '"disconnect"' not in message.data:
        return
    try:
        notice = json.loads(message.data)
    except ValueError:
        return
    if not isinstance(notice, dict) or notice.get("type") != "disconnect":
        return
    reason = notice.get("reason")
    if reason == "link_disabled":
        hint = "switch Socket Mode on again on the app's page; the bot then reconnects by itself"
        log.error("socket_mode_switched_off", hint=hint)
    elif reason == "too_many_websockets":
        hint = "Slack allows ten connections an app: end other copies of the bot"
        log.error("too_many_connections", hint=hint)
    else:
        log.info("socket_reconnects", reason=reason)
