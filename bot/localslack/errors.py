"""Slack's own way of refusing: an error code, with details where it gives any."""

from bot.localslack.model import Json


class SlackError(Exception):
    """A refused call; `code` is Slack's, `extra` what the answer carries beside it."""

    def __init__(self, code: str, **extra: object) -> None:
        super().__init__(code)
        self.code = code
        self.extra: Json = extra

    def as_answer(self) -> Json:
        """Return the body of the answer."""
        return {"ok": False, "error": self.code, **self.extra}


def refuse_with(code: str, messages: list[str]) -> SlackError:
    """Return an error whose answer lists every fault, as Slack's validators do."""
    return SlackError(
        code,
        errors=messages,
        response_metadata={"messages": [f"[ERROR] {message}" for message in messages]},
    )
