"""Slack's message objects -> the text in them, wherever it is, in Slack's own encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

_DEEPEST = 12
_LONGEST = 200_000


def read_text(message: Json) -> str:
    """All text of a message: its `text`, then what blocks and attachments add, each line once.

    A fallback counts only where nothing else was found.
    """
    text = message.get("text")
    pieces = [text] if isinstance(text, str) and text else []
    # What a person writes stands in `text` whole; an app's `text` may be only a summary.
    if not pieces or message.get("bot_id") or message.get("subtype") == "bot_message":
        pieces += _read_blocks(message.get("blocks"))
        fallbacks: list[str] = []
        for attachment in _dicts(message.get("attachments")):
            pieces += _read_attachment(attachment)
            fallback = attachment.get("fallback")
            fallbacks += [fallback] if isinstance(fallback, str) else []
        pieces = pieces or fallbacks
    return _join(pieces)


def _read_attachment(attachment: Json) -> list[str]:
    found = [
        attachment[name] for name in ("pretext", "title", "text") if _is_text(attachment, name)
    ]
    for field in _dicts(attachment.get("fields")):
        found += [field[name] for name in ("title", "value") if _is_text(field, name)]
    found += _read_blocks(attachment.get("blocks"))
    return found + ([attachment["footer"]] if _is_text(attachment, "footer") else [])


def _read_blocks(blocks: object) -> list[str]:
    return [piece for block in _dicts(blocks) for piece in _read_block(block)]


def _read_block(block: Json) -> list[str]:
    if block.get("type") == "rich_text":
        lines = "".join(_walk_rich_text(block, 0)).split("\n")
        return [line for line in lines if line.strip()]
    return list(_walk_text_objects(block, 0))


def _walk_text_objects(value: object, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        kind, text = value.get("type"), value.get("text")
        if isinstance(text, str) and kind in {"mrkdwn", "plain_text", "markdown"}:
            yield text if kind == "mrkdwn" else encode(text)
            return
        for key in ("text", "fields", "elements", "title"):
            yield from _walk_text_objects(value.get(key), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _walk_text_objects(item, depth + 1)


def _walk_rich_text(element: Json, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    kind = element.get("type")
    if kind in {"text", "link"}:
        yield encode(str(element.get("text") or element.get("url") or ""))
    elif kind == "user":
        yield f"<@{element.get('user_id')}>"
    children = _dicts(element.get("elements"))
    if kind == "rich_text_preformatted":
        yield "\n```"
    for child in children:
        yield from _walk_rich_text(child, depth + 1)
    if kind == "rich_text_preformatted":
        yield "```\n"
    elif kind in {"rich_text_section", "rich_text_quote"}:
        yield "\n"


def encode(text: str) -> str:
    """Text as Slack encodes it: the three characters that mean something."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _join(pieces: list[str]) -> str:
    seen: set[str] = set()
    lines: list[str] = []
    for number, piece in enumerate(pieces):
        for line in piece.split("\n"):
            # Within one piece a line may stand twice for a reason; across pieces it is a copy.
            if number and line.strip() and line.strip() in seen:
                continue
            lines.append(line)
        seen.update(line.strip() for line in piece.split("\n"))
    return "\n".join(lines)[:_LONGEST]


def _is_text(value: Json, name: str) -> bool:
    return isinstance(value.get(name), str) and bool(value[name].strip())


def _dicts(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
