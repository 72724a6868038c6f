"""What Slack changes in the text and blocks an app sends before it stores them."""

import re

from bot.localslack.model import Json
from bot.localslack.world import World

_ENTITY_OR_TOKEN = re.compile(
    r"&(?:amp|lt|gt);"
    r"|<(?:https?://|mailto:|tel:)[^<>\n]*>"
    r"|<[@#][A-Z0-9]+(?:\|[^<>\n]*)?>"
    r"|<!(?:here|channel|everyone|subteam\^[A-Z0-9]+(?:\|[^<>\n]*)?|date\^[^<>\n]*)>"
    r"|^>+(?= |$)"
    r"|(?P<stray>[&<>])",
    re.MULTILINE,
)
_STRAY = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HOLDERS = {"section", "actions", "input", "context_actions"}
_PASSIVE = {"image", "plain_text", "mrkdwn"}
_CODE = re.compile(r"(```.+?```|`[^`\n]+`)", re.DOTALL)
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|`\"']*[^\s<>|`\"'.,;:!?)\]}&]")


def normalise_text(text: str) -> str:
    """Escape stray control characters and link bare addresses outside code."""

    def encode(match: re.Match[str]) -> str:
        stray = match["stray"]
        return _STRAY[stray] if stray else match[0]

    escaped = _ENTITY_OR_TOKEN.sub(encode, text)
    parts = _CODE.split(escaped)
    return "".join(part if number % 2 else _link(part) for number, part in enumerate(parts))


def _link(text: str) -> str:
    return _BARE_URL.sub(lambda match: f"<{match[0]}>", text)


def normalise_blocks(world: World, blocks: list[Json]) -> list[Json]:
    """Blocks with an id each and the defaults of their text objects filled in."""
    filled = [_fill(block) for block in blocks]
    for block in filled:
        if not block.get("block_id"):
            block["block_id"] = f"b{world.count('block')}"
        for element in _interactive(block):
            if not element.get("action_id"):
                element["action_id"] = f"a{world.count('action')}"
    return filled


def _interactive(block: Json) -> list[Json]:
    if block["type"] not in _HOLDERS:
        return []
    held = [*block.get("elements", []), block.get("accessory"), block.get("element")]
    return [each for each in held if each is not None and each["type"] not in _PASSIVE]


def _fill(node: Json) -> Json:
    filled = {key: _fill_value(value) for key, value in node.items()}
    if filled.get("type") == "plain_text":
        filled.setdefault("emoji", True)
    if filled.get("type") == "mrkdwn":
        filled["text"] = normalise_text(str(filled["text"]))
        filled.setdefault("verbatim", False)
    return filled


def _fill_value(value: object) -> object:
    if isinstance(value, dict):
        return _fill(value)
    if isinstance(value, list):
        return [_fill_value(each) for each in value]
    return value
