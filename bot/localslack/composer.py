"""What Slack makes of what a person types: encoded text and a rich_text block.

The rules are those of docs.slack.dev/messaging/formatting-message-text: three characters are
escaped, things that look like hosts become links, fences stay in the text and become
rich_text_preformatted, whose content is not escaped.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.localslack.model import Json

_FENCE = re.compile(r"```(.+?)```", re.DOTALL)
# Endings that are both a top-level domain and a common file suffix, and a few plain domains.
_DOMAINS = "com|org|net|io|dev|ai|edu|gov|py|sh|md|rs|so|pl|cc|example"
_PIECE = re.compile(
    rf"""
      `(?P<code>[^`\n]+)`
    | (?P<url>https?://[^\s<>"'`|]+[^\s<>"'`|.,;:!?)\]}}])
    | (?<![\w./@+-])(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    | (?<![\w./@:=-])(?P<host>[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*)*\.(?:{_DOMAINS}))(?![\w./@=-]*\w)
    | <[@#](?P<token>[A-Z][A-Z0-9]+)>
    | (?<![\w@#])(?P<name>[@#][A-Za-z0-9][\w.-]*[\w-]|[@#][A-Za-z0-9])
    """,
    re.VERBOSE,
)
_RANGES = ("here", "channel", "everyone")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that the workspace knows: the token in the text and its rich_text element."""

    token: str
    element: Json


Resolve = Callable[[str], Mention | None]


@dataclass(frozen=True, slots=True)
class Composed:
    """A typed message as Slack stores it."""

    text: str
    blocks: list[Json]


def escape(text: str) -> str:
    """Encode the three characters that Slack encodes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Undo `escape`; the ampersand last, so that nothing is decoded twice."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def compose(typed: str, resolve: Resolve, block_id: str) -> Composed:
    """Turn typed text into what the message event carries for it."""
    encoded: list[str] = []
    elements: list[Json] = []
    for content, fenced in _split_fences(typed):
        if fenced:
            encoded.append(f"```{escape(content)}```")
            elements.append(_preformatted(content))
        else:
            encoded.extend(token for token, _ in _pieces(content, resolve))
            # The line break that ends a fence belongs to the fence.
            shown = content.removeprefix("\n") if elements else content
            elements.append(_section([element for _, element in _pieces(shown, resolve)]))
    if len(elements) > 1:
        elements = [each for each in elements if each["elements"]]
    block: Json = {"type": "rich_text", "block_id": block_id, "elements": elements}
    return Composed("".join(encoded), [block])


def _split_fences(typed: str) -> Iterator[tuple[str, bool]]:
    end = 0
    for fence in _FENCE.finditer(typed):
        yield typed[end : fence.start()], False
        yield fence[1], True
        end = fence.end()
    yield typed[end:], False


def _preformatted(content: str) -> Json:
    text: Json = {"type": "text", "text": content.removeprefix("\n").removesuffix("\n")}
    return {"type": "rich_text_preformatted", "elements": [text], "border": 0}


def _section(elements: list[Json]) -> Json:
    merged: list[Json] = []
    for element in elements:
        last = merged[-1] if merged else {}
        if element.keys() == last.keys() == {"type", "text"}:
            last["text"] += element["text"]
        else:
            merged.append(element)
    return {"type": "rich_text_section", "elements": merged}


def _pieces(text: str, resolve: Resolve) -> Iterator[tuple[str, Json]]:
    end = 0
    for match in _PIECE.finditer(text):
        piece = _encode_piece(match, resolve)
        if piece is None:
            continue
        if match.start() > end:
            yield _plain(text[end : match.start()])
        yield piece
        end = match.end()
    if end < len(text):
        yield _plain(text[end:])


def _plain(text: str) -> tuple[str, Json]:
    return escape(text), {"type": "text", "text": text}


def _encode_piece(match: re.Match[str], resolve: Resolve) -> tuple[str, Json] | None:
    kind, value = match.lastgroup, match[match.lastgroup or 0]
    if kind == "code":
        return f"`{escape(value)}`", {"type": "text", "text": value, "style": {"code": True}}
    if kind == "url":
        return f"<{escape(value)}>", {"type": "link", "url": value}
    if kind == "mail":
        link: Json = {"type": "link", "url": f"mailto:{value}", "text": value}
        return f"<mailto:{value}|{value}>", link
    if kind == "host":
        link = {"type": "link", "url": f"http://{value}", "text": value}
        return f"<http://{value}|{value}>", link
    return _encode_mention(value, resolve)


def _encode_mention(value: str, resolve: Resolve) -> tuple[str, Json] | None:
    if value[0] == "@" and value[1:] in _RANGES:
        return f"<!{value[1:]}>", {"type": "broadcast", "range": value[1:]}
    mention = resolve(value)
    return None if mention is None else (mention.token, mention.element)
