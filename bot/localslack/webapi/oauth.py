"""oauth.v2.access: codes and refresh tokens for access tokens."""

from bot.localslack.model import Json
from bot.localslack.webapi.registry import Call, method


@method(
    "oauth.v2.access",
    {
        "client_id": "string",
        "client_secret": "string",
        "code": "string",
        "redirect_uri": "string",
        "grant_type": "string",
        "refresh_token": "string",
    },
    token="none",  # noqa: S106 (a kind of token, not one)
    tier="4",
)
def access(call: Call) -> Json:
    """Exchange a code, or rotate a token."""
    assert call.services is not None
    return call.services.exchange_code(call)
