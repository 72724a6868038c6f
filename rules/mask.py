"""Volatile tokens -> short placeholders, and the fingerprint of a failure."""

from __future__ import annotations

import re
from hashlib import blake2s
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIZE = r"(?:[KMGTE]i?B|kB|bytes|[KMG]bps|B/s|[KMG]B/s)(?![A-Za-z])"
_SPAN = (
    r"(?:milliseconds?|microseconds?|seconds?|secs?|minutes?|mins?|hours?|days?|[mun]s|[smh]|it/s|s/it)"
    r"(?![\w/])"
)
_NAME = r"[A-Za-z0-9][\w.-]{0,80}+"

_ID = r"(?:GPU-|MIG-)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_IPV6 = r"(?:[0-9a-fA-F]{1,4}:{1,2}){2,7}[0-9a-fA-F]{1,4}(?:%\w{1,16})?(?:<\d{1,5}>)?(?![\w:])"
_HEX = r"(?=[0-9a-f]{0,39}\d)[0-9a-f]{8,64}(?![\w.])"
_FOLDER = r"(?:[\w.+@~-]{1,120}+[/\\]){1,40}+(?=[\w.+-])"
_NUMBER = r"\d{1,20}(?:\.\d{1,20})*(?:e[-+]?\d{1,3})?(?![A-Za-z_])"
# By the kind of first character; within a kind the order decides: what must stay is claimed before
# what goes. Names that end in two underscores are second spellings of one kind of token.
_BY_DIGIT = (
    r"(?P<time>\d{2,4}-\d\d-\d\d(?:[T_ ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
    r"|\d{1,3}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:]))"
    r"|(?P<addr>\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|<\d{1,5}>|/\d{1,2})?(?![\w.]))"
    rf"|(?P<size>\d{{1,15}}(?:\.\d{{1,6}})?\s?{_SIZE})"
    rf"|(?P<span>\d{{1,15}}(?:\.\d{{1,6}})?\s?{_SPAN})"
    rf"|(?P<id>{_ID})|(?P<addr__>{_IPV6})|(?P<hex>0x[0-9a-fA-F]{{1,32}}|{_HEX})|(?P<number>{_NUMBER})"
)
_BY_LETTER = (
    # Types and products whose digits are part of the name.
    r"(?P<type>(?i:float|bfloat|int|uint|fp|bf|tf|complex|c10d?|utf|x|sm_|cu|mlx|ipv|http|sha|aarch|amd"
    r"|e[45]m)\d{1,3}[a-z]{0,3}(?![\w-]))"
    r"|(?P<url>[a-z]{3,6}://[^\s'\"<>)\]]{1,300}+)"
    rf"|(?P<addr___>{_NAME}<\d{{1,5}}>|{_IPV6})"
    r"|(?P<host>(?:node|worker|host|trainer|master|compute|dgx|pod|nid|cn|ip|launcher|machine|server)"
    r"[-_]?\d[\w.-]{0,60}+|[a-z][a-z0-9]{0,20}(?:-[a-z0-9]{1,20}){0,6}-\d[\w.-]{0,40}+)"
    rf"|(?P<id__>{_ID})|(?P<hex__>{_HEX})"
    # The directories of a path, never its last part.
    rf"|(?P<path>[A-Za-z]:[/\\]{_FOLDER}"
    r"|(?:[\w.+-]{1,80}+/){1,30}+(?=[\w.+-]{1,80}\.(?:py|cc|cpp|cu|h|hpp|c|so|json|pt|bin|log)\b))"
)
# A token starts where no word character stands before it, and has a digit or a slash before the
# next blank.
_VOLATILE = re.compile(
    r"(?<!\w)(?=\S{0,100}?[\d/\\])(?:"
    rf"(?=\d)(?:{_BY_DIGIT})|(?=[A-Za-z])(?:{_BY_LETTER})"
    rf"|(?P<path__>(?<![#>])(?:~|\.{{1,2}})?[/\\]{_FOLDER})|(?P<number__>[-+]{_NUMBER})"
    r"|(?P<addr____>\[[0-9A-Za-z:.%_-]{1,80}\]:\d{1,5})|(?P<shape>\[\d{1,12}(?:,\s?\d{1,12}){0,16}\])"
    r"|(?P<pci>\((?:PCI:)?[0-9a-fA-F]{4,8}(?::[0-9a-fA-F]{2}){1,2}(?:\.\d)?\)))"
)
_INNER = re.compile(r"\d{1,12}+(?![A-Za-z_])")
_INDEXED = re.compile(r"(?:(?<!\bsm)(?<=\w)_|[Rr]ank|PG)$")
_ANY = re.compile(r"[\d/\\]")
_NAMED_HOST = re.compile(
    r"(?P<before>\bon (?:node|host) |remote peer | ON |srun: error: |slurmstepd-|\bhost {1,8}: )"
    rf"[\w.\[\],-]{{1,120}}+(?=:|\s|$)|\({_NAME}, \d{{1,5}}\)"
)
_HOST_WORDS = ("on node", "on host", "peer ", " ON ", "srun:", "slurmstepd-", "host  ", " to (")
# A number after one of these words decides what the error is.
_DECIDING = (
    *("errno", "error", "err", "exitcode", "exit code", "exit status", "return code", "returncode"),
    *("status", "signal", "xid", "opcode", "failure", "fault", "code", "result", "res", "rc", "->"),
    "failed with",
)
_PLACEHOLDERS = {
    "pci": "(PCI:<id>)",
    "id": "<id>",
    "url": "<url>",
    "time": "<time>",
    "addr": "<addr>",
    "hex": "#",
    "path": "",
    "host": "<host>",
    "size": "<size>",
    "span": "<time>",
    "shape": "[#]",
    "number": "#",
}
_LIST = re.compile(r"#(?:[,/ ]{1,2}#)+")


def mask(text: str) -> str:
    """Replace what differs between ranks, hosts and runs of one failure.

    Numbers that decide (error, exit code, signal, status, Xid), operations, types and names stay.
    """
    if any(word in text for word in _HOST_WORDS):
        text = _NAMED_HOST.sub(_replace_host, text)
    if not _ANY.search(text):
        return text
    return _INNER.sub(_replace_index, _VOLATILE.sub(_replace, text))


def fingerprint(lines: Iterable[str], entry_id: str | None) -> str:
    """Twelve hexadecimal digits, the same for one failure on any rank, host and run.

    White space, case, order and copies of a line make no difference.
    """
    kept = {_LIST.sub("#", mask(line)).lower().replace(" ", "") for line in lines}
    digest = blake2s("\n".join((entry_id or "", *sorted(kept))).encode(), digest_size=6)
    return digest.hexdigest()


def _replace(match: re.Match[str]) -> str:
    kind = (match.lastgroup or "").rstrip("_")
    token = match[0]
    if kind == "number" and "." not in token:
        start = match.start()
        before = match.string[max(0, start - 40) : start].rstrip(" \t:=#([").lower()
        if before.endswith(_DECIDING) or (before.endswith(")") and "xid" in before):
            return token
    return _PLACEHOLDERS.get(kind, token)


def _replace_index(match: re.Match[str]) -> str:
    """Mask the number of a device or rank at the end of its name: `mlx5_0`, `rank3`."""
    start = match.start()
    return "#" if _INDEXED.search(match.string[max(0, start - 4) : start]) else match[0]


def _replace_host(match: re.Match[str]) -> str:
    before = match["before"]
    return "<addr>" if before is None else f"{before}<host>"
