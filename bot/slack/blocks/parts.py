"""Pieces of messages, each within Slack's limits.

Text from logs goes into rich text, where nothing is parsed: it can name nobody, link nowhere and
end no code block. In plain texts it is encoded and guarded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json = dict[str, Any]

LONGEST_HEADER = 150
LONGEST_CODE = 2400
LONGEST_PROSE = 700
LONGEST_TEXT = 3800
"""Slack splits a text beyond 4,000 characters into several messages."""
LONGEST_CONTEXT = 1900
HEAVIEST = 12_500
MOST_BLOCKS = 50
LONGEST_WORD = 40
"""A cut goes back to the end of a word, unless that costs more than this."""
_SENTENCE_END = re.compile(r"(?<!\.)[.?!]['\")\]]{0,2}(?=\s+[^a-z\s])")
"""Three dots end nothing, and neither do those of an abbreviation, which a small letter follows."""
_CLAUSE_END = re.compile(r"[;:] ")
_ZERO_WIDTH = "\u200b"
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Also those that turn the direction of what follows: with them a name can pose as another."""
_NOTHING = "…"
"""Slack refuses an empty text."""


@dataclass(frozen=True, slots=True)
class Message:
    """A rendered message: `text` alone says all of it."""

    text: str
    blocks: tuple[Json, ...]

    @property
    def arguments(self) -> Json:
        """As arguments of a call."""
        return {"text": self.text, "blocks": list(self.blocks)}


def cut(text: str, most: int) -> str:
    """`text`, at most `most` code points: whole words, and an ellipsis for what is gone."""
    return text if len(text) <= most else _end_at_word(text[:most]) + "…"


def _end_at_word(text: str) -> str:
    """Text without its last character and the word that this breaks, where a word ends nearby."""
    kept = text[:-1]
    words = re.match(r"(.*\S)\s", text, re.DOTALL)
    if words and len(kept) - words.end(1) <= LONGEST_WORD:
        kept = words[1]
    return kept.rstrip(" \n\t,;:(")


def gist(text: str, most: int) -> str:
    """Return the first sentences of prose that fit; a first one that does not, its first clauses."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    ends = [found.end() for found in _SENTENCE_END.finditer(flat) if found.end() <= most]
    if ends:
        return flat[: ends[-1]]
    clauses = [found.start() for found in _CLAUSE_END.finditer(flat, most // 2, most)]
    return f"{flat[: clauses[-1]]}…" if clauses else cut(flat, most)


def escape(text: str, most: int = LONGEST_TEXT) -> str:
    """Text encoded for Slack, at most `most` characters so encoded, never cut inside an entity.

    Control characters, which Slack drops or refuses, go.
    """
    size = 0
    out: list[str] = []
    for character in clean(text):
        encoded = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(character, character)
        size += len(encoded)
        if size > most - 1:
            # What broke the limit is given as one letter: of an entity a part is none.
            broken = character if encoded == character else "x"
            return _end_at_word("".join(out) + broken) + "…"
        out.append(encoded)
    return "".join(out)


def guard(text: str, most: int = LONGEST_TEXT) -> str:
    """Text from a log, encoded, in which `@here`, links and fences are broken up."""
    broken = text.replace("```", f"`{_ZERO_WIDTH}``").replace("@", f"@{_ZERO_WIDTH}")
    return escape(broken.replace("://", f":{_ZERO_WIDTH}//"), most)


def clean(text: str) -> str:
    """Text without control characters; all that comes from outside goes through here."""
    return _CONTROLS.sub("", text)


def words(text: str, *, bold: bool = False, strike: bool = False, code: bool = False) -> Json:
    """Text in one style; not parsed."""
    style = {name: True for name, on in (("bold", bold), ("strike", strike), ("code", code)) if on}
    element: Json = {"type": "text", "text": clean(text) or " "}
    return {**element, "style": style} if style else element


def rate(text: str) -> Json:
    """Return a rate in parentheses, in which no number parts from its unit."""
    kept = re.sub(r"(?<=\d) (?=%|min\b)", "\u00a0", text)
    return words(f" ({kept})")


def prose(
    text: str, *, most: int = LONGEST_PROSE, bold: bool = False, strike: bool = False
) -> list[Json]:
    """Prose in which `backticks` mark code."""
    pieces = cut(" ".join(text.split()), most).split("`")
    return [
        words(piece, bold=bold and not place % 2, strike=strike, code=bool(place % 2))
        for place, piece in enumerate(pieces)
        if piece
    ]


def emoji(name: str) -> Json:
    """Return an emoji."""
    return {"type": "emoji", "name": name}


def line(*elements: Json) -> Json:
    """Return a paragraph."""
    return {"type": "rich_text_section", "elements": list(elements)}


def code(text: str, most: int = LONGEST_CODE) -> Json:
    """Return a code block; nothing in it is parsed, so nothing in it can end it."""
    content = cut(clean(text).strip("\n"), most) or " "
    return {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": content}]}


def items(lines: Iterable[Sequence[Json]], style: Literal["ordered", "bullet"]) -> Json:
    """Return a list."""
    return {
        "type": "rich_text_list",
        "style": style,
        "indent": 0,
        "elements": [line(*elements) for elements in lines],
    }


def rich(*elements: Json) -> Json:
    """Return a block of paragraphs, lists and code."""
    return {"type": "rich_text", "elements": list(elements)}


def weigh(blocks: Iterable[Json]) -> int:
    """Characters of all texts in blocks: Slack refuses a message of about 13,200."""
    return sum(map(_weigh, blocks))


def fits(blocks: Sequence[Json]) -> bool:
    """Whether Slack takes so many blocks of so much text in one message."""
    return len(blocks) <= MOST_BLOCKS and weigh(blocks) <= HEAVIEST


def _weigh(value: Any) -> int:
    if isinstance(value, dict):
        own = len(value["text"]) if isinstance(value.get("text"), str) else 0
        return own + sum(map(_weigh, value.values()))
    return sum(map(_weigh, value)) if isinstance(value, list) else 0


def header(text: str) -> Json:
    """Return a headline."""
    return {"type": "header", "text": plain(cut(clean(text), LONGEST_HEADER) or _NOTHING)}


def context(text: str, links: Sequence[str] = ()) -> Json:
    """Small print; plain text, not parsed, and after it links to sources."""
    said = [plain(cut(clean(text), LONGEST_CONTEXT) or _NOTHING)]
    linked = {"type": "mrkdwn", "text": f"sources: {', '.join(links)}", "verbatim": True}
    return {"type": "context", "elements": [*said, linked] if links else said}


def link(url: str, label: str) -> str:
    """Return a link in mrkdwn; for addresses from the knowledge base, never from a post."""
    safe = url.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"<{safe}|{escape(label.replace('|', ' '))}>"


def note(text: str) -> Json:
    """Return a paragraph of our own words in mrkdwn; never for text from outside."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def plain(text: str) -> Json:
    """Return a plain text object."""
    return {"type": "plain_text", "text": text, "emoji": False}


def button(
    label: str, action: str, value: str, style: Literal["primary", "danger"] | None = None
) -> Json:
    """Return a button; `action` tells the handler, `value` what it is about."""
    made: Json = {
        "type": "button",
        "action_id": action,
        "value": value,
        "text": {"type": "plain_text", "text": label, "emoji": True},
    }
    return {**made, "style": style} if style else made


def actions(*buttons: Json) -> Json:
    """Return a row of buttons."""
    return {"type": "actions", "elements": list(buttons)}
