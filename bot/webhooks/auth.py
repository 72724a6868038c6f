"""Who may send: Standard Webhooks signatures and bearer tokens, over the raw bytes.

A check that failed is never tried another way.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from bot.web.body import PROVEN_SECONDS, UNPROVEN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.settings import Settings


def is_authentic(settings: Settings, headers: Mapping[str, str], raw: bytes) -> bool:
    """Whether the body is signed, or where it claims no signature, the token is right."""
    if "webhook-signature" in headers:
        secret = settings.webhook_secret
        return secret is not None and is_signed(secret.get_secret_value(), headers, raw)
    token = settings.webhook_token
    return token is not None and has_token(token.get_secret_value(), headers)


def grant_time(settings: Settings, headers: Mapping[str, str]) -> float:
    """Return the seconds that a body may take: many behind the right token, none behind a wrong one.

    What is signed shows only as a whole whether it is authentic.
    """
    if "webhook-signature" in headers:
        return UNPROVEN_SECONDS if settings.webhook_secret else 0.0
    return PROVEN_SECONDS if is_authentic(settings, headers, b"") else 0.0


def is_set_up(settings: Settings) -> bool:
    """Whether there is anything to check by, and a channel to post to."""
    has_check = bool(settings.webhook_secret or settings.webhook_token)
    return has_check and settings.webhook_channel is not None


def is_signed(secret: str, headers: Mapping[str, str], raw: bytes) -> bool:
    """Check the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`."""
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    try:
        given = {name: headers.get(name, "").encode("latin-1").decode("ascii") for name in names}
        Webhook(secret).verify(raw, given, json_parse=False)
    except (WebhookVerificationError, ValueError):
        return False
    return True


def has_token(token: str, headers: Mapping[str, str]) -> bool:
    """Check `Authorization: Bearer <token>`, compared in constant time."""
    scheme, _, given = headers.get("Authorization", "").partition(" ")
    wanted = token.encode()
    return hmac.compare_digest(given.strip().encode("utf-8", "replace"), wanted) and (
        scheme.lower() == "bearer"
    )
