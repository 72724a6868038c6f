"""Slack's request signature, version v0."""

import hashlib
import hmac


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the X-Slack-Signature of a body: HMAC-SHA256 over `v0:timestamp:body`, in hex.

    Source: docs.slack.dev/authentication/verifying-requests-from-slack
    """
    base = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
