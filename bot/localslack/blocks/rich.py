"""rich_text: its four kinds of part and what may stand in a line.

Fields: docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

from bot.localslack.blocks.composition import IDENTIFIER, URL
from bot.localslack.blocks.rules import (
    Check,
    array,
    boolean,
    by_type,
    choice,
    integer,
    shape,
    string,
)

_LONG = 40_000
_MANY = 5_000
_STYLE = shape(
    dict.fromkeys(
        (
            "bold",
            "italic",
            "strike",
            "code",
            "underline",
            "highlight",
            "client_highlight",
            "unlink",
        ),
        boolean,
    )
)
_STYLED: dict[str, Check] = {"style": _STYLE}
_WORD = string(255)
_TEXT = shape({"text!": string(_LONG)} | _STYLED)
_LINK = shape({"url!": URL, "text": string(_LONG), "unsafe": boolean} | _STYLED)
_INLINE: dict[str, Check] = {
    "text": _TEXT,
    "link": _LINK,
    "user": shape({"user_id!": _WORD} | _STYLED),
    "channel": shape({"channel_id!": _WORD} | _STYLED),
    "usergroup": shape({"usergroup_id!": _WORD} | _STYLED),
    "team": shape({"team_id!": _WORD} | _STYLED),
    "emoji": shape({"name!": _WORD, "unicode": _WORD, "skin_tone": integer(1, 6)} | _STYLED),
    "broadcast": shape({"range!": choice("here", "channel", "everyone")} | _STYLED),
    "color": shape({"value!": _WORD} | _STYLED),
    "date": shape(
        {
            "timestamp!": integer(0, 9_999_999_999),
            "format!": _WORD,
            "url": URL,
            "fallback": _WORD,
        }
        | _STYLED
    ),
}
_LINE = array(by_type(_INLINE), _MANY, 0)
_BORDER = integer(0, 1)
_SECTION = shape({"elements!": _LINE})
_PARTS: dict[str, Check] = {
    "rich_text_section": _SECTION,
    "rich_text_quote": shape({"elements!": _LINE, "border": _BORDER}),
    "rich_text_preformatted": shape(
        {
            "elements!": array(by_type({"text": _TEXT, "link": _LINK}), _MANY, 0),
            "border": _BORDER,
            "language": _WORD,
        }
    ),
    "rich_text_list": shape(
        {
            "style!": choice("bullet", "ordered"),
            "elements!": array(by_type({"rich_text_section": _SECTION}), _MANY),
            "indent": integer(0, 8),
            "offset": integer(0, 1_000),
            "border": _BORDER,
        }
    ),
}
RICH_TEXT = shape({"elements!": array(by_type(_PARTS), _MANY), "block_id": IDENTIFIER})
