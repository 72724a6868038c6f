"""Volatile tokens -> short placeholders, and the fingerprint of a failure."""

from __future__ import annotations

import re
from hashlib import blake2s
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNIT_SIZE = r"(?:[KMGTE]i?B|kB|bytes|[KMG]bps|B/s|[KMG]B/s)"
_UNIT_TIME = r"(?:milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|days?|ms|us|ns|s|m|h|it/s|s/it)"
_NAME = r"[A-Za-z0-9][\w.-]{0,80}+"

# Order decides: what must stay is claimed before what goes. Groups: `keep` stays as it is; `name`
# and `pci` are words around a token that goes.
_VOLATILE = re.compile(
    # Numbers that decide: error, exit, signal, status, Xid.
    r"(?P<keep>(?<![A-Za-z])(?i:errno|error|err|exit ?code|exit status|return ?code|status|signal|xid|"
    r"opcode|failure|fault|code|retcode|res|result|failed with|\brc|->)\b[\s:=#(\[]{0,4}-?\d{1,6}(?![\d.]|\s?[KMGT]i?B)"
    r"|Xid(?= \(PCI))"
    # Types and products whose digits are part of the name.
    r"|(?P<type>(?<![A-Za-z])(?i:float|bfloat|int|uint|fp|bf|tf|complex|c10d?|utf|ncclv?|x|sm_|cu|mlx|ipv|http|sha|base|aarch|amd|e4m3|e5m2)\d{1,3}[a-z]{0,3}(?![\w-]))"
    r"|(?P<uuid>(?<![0-9A-Za-z])(?:GPU-|MIG-)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    r"|(?P<url>[a-z]{3,6}://[^\s'\"<>)\]]{1,300}+)"
    r"|(?P<pci>\(PCI:[0-9a-fA-F:.]{4,16}\))"
    r"|(?P<time>\d{2,4}-\d\d-\d\d(?:[T_ ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
    r"|(?<![\d:])\d{1,3}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:]))"
    r"|(?P<addr>\[[0-9A-Za-z:.%_-]{1,80}\]:\d{1,5}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|<\d{1,5}>|/\d{1,2})?(?![\w.])"
    rf"|{_NAME}<\d{{1,5}}>|\({_NAME}, \d{{1,5}}\)|(?<![\w:])(?:[0-9a-fA-F]{{1,4}}:){{2,7}}(?::?[0-9a-fA-F]{{1,4}})(?:%\w{{1,16}})?(?:<\d{{1,5}}>)?(?![\w:]))"
    r"|(?P<hex>0x[0-9a-fA-F]{1,32}|(?<![\w.])(?=[0-9a-f]{0,39}\d)[0-9a-f]{8,64}(?![\w.]))"
    # The directories of a path, never its last part.
    r"|(?P<path>(?<![\w.<>])(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.+@~-]{1,120}+[/\\]){1,40}+(?=[\w.+-])"
    r"|(?<![\w/.<>])(?:[\w.+-]{1,80}+/){1,30}+(?=[\w.+-]{1,80}\.(?:py|cc|cpp|cu|h|hpp|c|so|json|pt|bin|log)\b))"
    r"|(?P<host>(?<=on node )[\w.-]{1,80}|(?<=on host )[\w.-]{1,80}|(?<=remote peer )[\w.-]{1,80}(?= |$)"
    r"|(?<= ON )[\w.-]{1,80}(?= CANCELLED)|(?<=srun: error: )[\w.\[\],-]{1,120}(?=: task)|(?<=slurmstepd-)[\w.-]{1,80}(?=: error)"
    r"|(?<=host      : )[\w.-]{1,120}"
    r"|(?<![\w-])(?:node|worker|gpu|host|trainer|master|compute|dgx|pod|nid|cn|ip|launcher|machine|server|rank)"
    r"[-_]?\d[\w.-]{0,60}+|(?<![\w./-])[a-z][a-z0-9]{0,20}(?:-[a-z0-9]{1,20}){0,6}-\d[\w.-]{0,40}+)"
    rf"|(?P<size>(?<![A-Za-z_\d])\d{{1,15}}(?:\.\d{{1,6}})?\s?{_UNIT_SIZE}(?![A-Za-z]))"
    rf"|(?P<span>(?<![A-Za-z_\d.])\d{{1,15}}(?:\.\d{{1,6}})?\s?{_UNIT_TIME}(?![\w/]))"
    r"|(?P<shape>\[\d{1,12}(?:,\s?\d{1,12}){0,16}\])"
    r"|(?P<number>(?<![A-Za-z_#])[-+]?\d{1,20}(?:\.\d{1,20})*(?:e[-+]?\d{1,3})?(?![A-Za-z_])"
    r"|(?<=[A-Za-z]_)\d{1,12}(?![A-Za-z_])|(?<=[Rr]ank)\d{1,6}(?![A-Za-z_])|(?<=PG)\d{1,6}(?![A-Za-z_]))"
)
_PLACEHOLDERS = {
    "uuid": "<id>",
    "url": "<url>",
    "pci": "(PCI:<id>)",
    "time": "<time>",
    "addr": "<addr>",
    "hex": "<hex>",
    "path": "",
    "host": "<host>",
    "size": "<size>",
    "span": "<time>",
    "shape": "[#]",
    "number": "#",
}
_LONGEST = 4000
_LIST = re.compile(r"#(?:[,/ ]{1,2}#)+")


def mask(text: str) -> str:
    """Replace what differs between ranks, hosts and runs of one failure.

    Numbers that decide (error, exit code, signal, status, Xid), operations, types and names stay.
    """
    if len(text) <= _LONGEST:
        return _VOLATILE.sub(_replace, text)
    return "".join(
        _VOLATILE.sub(_replace, text[at : at + _LONGEST]) for at in range(0, len(text), _LONGEST)
    )


def fingerprint(lines: Iterable[str], entry_id: str | None) -> str:
    """Twelve hexadecimal digits, the same for one failure on any rank, host and run.

    White space, case, order and copies of a line make no difference.
    """
    kept = {_LIST.sub("#", mask(line)).lower().replace(" ", "") for line in lines}
    digest = blake2s("\n".join((entry_id or "", *sorted(kept))).encode(), digest_size=6)
    return digest.hexdigest()


def _replace(match: re.Match[str]) -> str:
    return _PLACEHOLDERS.get(match.lastgroup or "", match[0])
