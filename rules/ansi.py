"""Characters that a terminal, a browser or a chat put into a text and nobody wrote."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]{0,400}\x1b\\"
    r"|[ -/][0-~]|[0-Z\\-~])"
    r"|\x9b[0-?]{0,32}[@-~]"
)
# The escape byte as people's tools print it: caret notation, a control picture, source escapes.
_PRINTED_ESCAPE = re.compile(r"(?:\^\[|\u241b|\\(?:x1[bB]|033|e|u001[bB]))\[[0-9;?]{0,24}[A-Za-z]")
# With the byte lost only colour codes and "clear the line" are told from a list or an index;
# the code 5 alone is left out because "rate(x[5m])" is a range.
_SGR = r"(?:[0-4]|[79]|2[1-9]|[34]8;(?:5|2;\d{1,3};\d{1,3});\d{1,3}|3\d|4\d|9[0-7]|10[0-7])"
_BARE = re.compile(rf"\[(?:{_SGR}(?:;{_SGR}){{0,4}}m(?!\])|2?K(?![\w\]]))")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_ODD = {
    **dict.fromkeys(
        map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e"),
        None,
    ),
    **dict.fromkeys(range(0x202A, 0x202F), None),
    **dict.fromkeys(range(0x2066, 0x206A), None),
    **dict.fromkeys(range(0xFE00, 0xFE10), None),
    **dict.fromkeys(range(0x80, 0xA0), None),
    **dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    **dict.fromkeys([0x2028, 0x2029], "\n"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), "-"),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    0x2026: "...",
}
_ODD_CLASS = re.compile("[" + "".join(f"\\u{code:04x}" for code in _ODD) + "]")


def normalise(text: str) -> str:
    """Drop escapes, control bytes and invisible characters; plain quotes, dashes and spaces.

    Line feeds and lone carriage returns stay; lone surrogates become question marks.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
        text = _ODD_CLASS.sub(lambda odd: text_of(odd[0]), text)
    if "\\" in text or "^[" in text or "\u241b" in text:
        text = _PRINTED_ESCAPE.sub("", text)
    return _CONTROL.sub("", _BARE.sub("", text))


def text_of(odd: str) -> str:
    """Give the plain form of one odd character, empty for an invisible one."""
    return _ODD[ord(odd)] or ""
