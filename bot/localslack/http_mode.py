"""Delivery over HTTP: signed requests to an app's request URL."""

import json
from dataclasses import dataclass, field
from urllib.parse import urlencode

import aiohttp

from bot.localslack.clock import Clock
from bot.localslack.delivery import Answer, Delivery, Timing, Undelivered, within
from bot.localslack.model import Json
from bot.localslack.signing import sign

_FORM = "application/x-www-form-urlencoded"
# aiohttp gives up at this count, Slack after following two.
_MAX_REDIRECTS = 3


def encode(delivery: Delivery) -> tuple[str, bytes]:
    """Return the content type and body that Slack sends for a payload."""
    if delivery.kind == "slash_commands":
        return _FORM, urlencode(delivery.payload).encode()
    text = json.dumps(delivery.payload, separators=(",", ":"), ensure_ascii=False)
    if delivery.kind == "interactive":
        return _FORM, urlencode({"payload": text}).encode()
    return "application/json", text.encode()


@dataclass(eq=False, slots=True)
class HttpTransport:
    """Posts payloads to request URLs and reads the answers."""

    clock: Clock
    timing: Timing
    _session: aiohttp.ClientSession | None = field(default=None)

    async def deliver(self, delivery: Delivery) -> Answer:
        """Post once; raises Undelivered with Slack's retry reason."""
        content_type, body = encode(delivery)
        headers = self._headers(delivery, content_type, body)
        try:
            return await within(self.clock, self.timing.ack, self._post(delivery, headers, body))
        except TimeoutError as error:
            raise Undelivered("http_timeout") from error
        except aiohttp.TooManyRedirects as error:
            raise Undelivered("too_many_redirects") from error
        except aiohttp.ClientSSLError as error:
            raise Undelivered("ssl_error") from error
        except aiohttp.ClientConnectionError as error:
            raise Undelivered("connection_failed") from error
        except aiohttp.ClientError as error:
            raise Undelivered("unknown_error") from error

    def _headers(self, delivery: Delivery, content_type: str, body: bytes) -> dict[str, str]:
        timestamp = str(int(self.clock.now()))
        headers = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": sign(delivery.app.signing_secret, timestamp, body),
        }
        if delivery.attempt:
            headers["x-slack-retry-num"] = str(delivery.attempt)
            headers["x-slack-retry-reason"] = delivery.failures[-1]
        return headers

    async def _post(self, delivery: Delivery, headers: dict[str, str], body: bytes) -> Answer:
        if self._session is None:
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        url = delivery.app.request_url or ""
        async with self._session.post(
            url, data=body, headers=headers, max_redirects=_MAX_REDIRECTS
        ) as response:
            text = await response.text()
            if not response.ok:
                stop = response.headers.get("x-slack-no-retry") == "1"
                raise Undelivered("http_error", no_retry=stop)
            return Answer(response.status, _parse(text, response.content_type))

    async def close(self) -> None:
        """Close the connections that are kept open."""
        if self._session is not None:
            await self._session.close()


def _parse(text: str, content_type: str) -> Json | str | None:
    if not text:
        return None
    if content_type != "application/json":
        return text
    try:
        parsed = json.loads(text)
    except ValueError:
        return text
    return parsed if isinstance(parsed, dict) else text
