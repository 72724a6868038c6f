"""One call of Slack for one message, and what its outcome means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

METADATA = "nccl_bot_message"
"""Type of the metadata by which the bot finds its own message again."""

_UNKNOWN_ERRORS = frozenset(
    {"fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)
_AGAIN_ERRORS = frozenset({"ratelimited", "rate_limited"})
_IDEMPOTENT = frozenset({"update", "delete"})
_DONE_ERRORS = {"delete": frozenset({"message_not_found"})}


@dataclass(frozen=True, slots=True)
class Sent:
    """Slack has it; `ts` where it is a message that can be found again."""

    ts: str | None = None


@dataclass(frozen=True, slots=True)
class Later:
    """Slack did not take it and says when to try again."""

    seconds: float


@dataclass(frozen=True, slots=True)
class NotSent:
    """It never left; it may be tried again."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have arrived or not."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Slack will never take it."""

    error: str


Outcome = Sent | Later | NotSent | Unknown | Refused


async def send(client: AsyncWebClient, method: str, key: str, arguments: dict[str, Any]) -> Outcome:
    """Make the call that `method` names. Never raises for what Slack or the network does."""
    try:
        if method == "respond":
            return await _respond(client, arguments)
        return await _call(client, method, key, arguments)
    except SlackApiError as error:
        return read_error(error, method)
    except aiohttp.ClientConnectorError:
        return NotSent()
    except (TimeoutError, aiohttp.ClientError, OSError):
        return NotSent() if method in _IDEMPOTENT else Unknown()


async def _call(
    client: AsyncWebClient, method: str, key: str, arguments: dict[str, Any]
) -> Outcome:
    if method == "update":
        await client.chat_update(**arguments)
        return Sent()
    if method == "delete":
        await client.chat_delete(**arguments)
        return Sent()
    if method == "ephemeral":
        await client.chat_postEphemeral(**arguments)
        return Sent()
    metadata = {"event_type": METADATA, "event_payload": {"key": key}}
    posted = await client.chat_postMessage(
        **arguments, metadata=metadata, unfurl_links=False, unfurl_media=False
    )
    return Sent(str(posted["ts"]))


async def _respond(client: AsyncWebClient, arguments: dict[str, Any]) -> Outcome:
    hook = AsyncWebhookClient(arguments["url"], session=client.session, retry_handlers=[])
    response = await hook.send_dict({k: v for k, v in arguments.items() if k != "url"})
    if response.status_code == 429:
        return Later(_read_seconds(response.headers))
    if response.status_code >= 500:
        return Unknown()
    return Sent() if response.status_code == 200 else Refused(f"http_{response.status_code}")


def read_error(error: SlackApiError, method: str) -> Outcome:
    """Read what Slack's refusal of a call means for the message."""
    response = error.response
    status = getattr(response, "status_code", 200)
    data = getattr(response, "data", response)
    name = data.get("error", "unknown_error") if isinstance(data, dict) else "unknown_error"
    if status == 429 or name in _AGAIN_ERRORS:
        return Later(_read_seconds(getattr(response, "headers", {})))
    if name in _DONE_ERRORS.get(method, ()):
        return Sent()
    if status >= 500 or name in _UNKNOWN_ERRORS:
        return NotSent() if method in _IDEMPOTENT else Unknown()
    return Refused(str(name))


async def find_own(
    client: AsyncWebClient, *, key: str, channel: str, thread: str | None, since: float
) -> str | None:
    """Time stamp of the bot's message with `key`, where Slack has it.

    Raises SlackApiError and network errors: without a look nothing may be posted again.
    """
    cursor: str | None = None
    while True:
        window: dict[str, Any] = {
            "channel": channel,
            "oldest": f"{since:.6f}",
            "limit": 200,
            "include_all_metadata": True,
            "cursor": cursor or "",
        }
        page = await (
            client.conversations_replies(ts=thread, **window)
            if thread
            else client.conversations_history(**window)
        )
        for message in page["messages"]:
            metadata = message.get("metadata") or {}
            payload = metadata.get("event_payload") or {}
            if metadata.get("event_type") == METADATA and payload.get("key") == key:
                return str(message["ts"])
        cursor = (page.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return None


def _read_seconds(headers: Any) -> float:
    value = next((v for k, v in dict(headers).items() if k.lower() == "retry-after"), None)
    if isinstance(value, list):
        value = value[0] if value else None
    try:
        return max(1.0, float(value or 1))
    except (TypeError, ValueError):
        return 1.0
