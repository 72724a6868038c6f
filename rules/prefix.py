"""Log prefixes: what launchers, loggers, kernels and viewers put in front of a message.

They nest, so they are taken off one by one until none is left. Every quantifier is bounded: the
work for one line is linear in the length of its prefixes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|NOTICE)"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\w))?"
_DAY = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/]\d\d[-/]\d{4}|\d\d[-/]\d\d(?:[-/]\d\d)?)"
_STAMP = rf"{_DAY}[T_ ](?:{_CLOCK}|\d\d:\d\d){_ZONE}"
_ASCTIME = rf"[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} {_CLOCK}(?: [A-Z]{{3,4}})? \d{{4}}"
_HOST = r"[\w.-]{1,80}+"
_LOGGER = r"[A-Za-z_]\w{0,40}+(?:\.\w{1,40}+){1,8}+"
_FILE_LINE = r"(?:[\w./]{1,80}+:\d{1,5} )?"

_BOX = "│┃║╎┆╭╮╰╯┌┐└┘├┤─━═╔╚╠╗╝╣❱×•●▪◦‣·"
_FIELD = re.compile(r"\(\?P<(\w+)>")

# Kinds: `who` names the writer; `log` marks a logger's line, after which `_AFTER` applies;
# `look` is decoration and leaves no trace; `quote` is a reply's mark.
_WHO, _LOG, _LOOK, _QUOTE = "who", "log", "look", "quote"
_Rules = tuple[tuple[str, str], ...]

_BRACKET: _Rules = (
    (_WHO, r"\[(?:[Rr]ank|RANK)[ :]?(?P<rank>\d{1,6})\]:?"),
    (_WHO, r"\[[A-Za-z_-]{1,32}+\d{1,6}\]:"),
    (_LOG, r"\[ {0,8}(?P<time>\d{1,8}\.\d{5,9})\](?:\[ {0,8}[TC]\d{1,8}\])?"),
    (_LOG, rf"\[[DIWEFC](?:\d{{3,4}} (?P<time>{_CLOCK}))? [^\]\s]{{1,160}}+\](?<=\d\])"),
    (_WHO, r"\[PG [^\]\[\n]{0,120}?(?:Rank (?P<rank>\d{1,6}))?\]:?"),
    (
        _WHO,
        (
            rf"\[\d{{1,9}},(?:mpirank:)?(?P<rank>\d{{1,6}})(?:,(?P<host>{_HOST}))?\]"
            r"<std(?:out|err|diag)>:"
        ),
    ),
    (_LOG, rf"\[(?P<time>{_STAMP}|{_ASCTIME}|{_CLOCK})(?:[ ,|][^\]\[\n]{{0,200}}+)?\]:?"),
    (_LOG, rf"\[ ?(?:{_LEVEL}|[DIWEF]) {{0,3}}\](?::| -(?= ))?"),
    (_LOG, r"\[[\w./<>-]{1,120}+(?<=\.py):\d{1,6}(?::[\w<>.-]{1,60}+)?\]:?"),
    (_LOG, r"\[[\w.<>-]{1,80}+(?:(?<=\.cc)|(?<=\.cpp)|(?<=\.cu)|(?<=\.h)|(?<=\.go)):\d{1,6}\]"),
    (_LOG, r"\[NeMo [A-Z] [^\]\n]{1,200}+\]"),
    (_WHO, rf"\[pod/(?P<host>{_HOST})(?:/{_HOST})?\]"),
    (_WHO, rf"\[(?P<rank>\d{{1,5}})\] (?={_HOST}:\d{{1,8}}:\d{{1,8}} )"),
    (_WHO, rf"\[(?P<gpu>\d{{1,3}})\](?= {_FILE_LINE}NCCL )"),
    (_WHO, r"\[(?P<rank>\d{1,5})\]:(?=[ \t]{0,8}\S)"),
)
_PAREN: _Rules = (
    (
        _WHO,
        (
            r"\((?:[A-Za-z_][\w.:<>-]{0,80}+ (?:rank=(?P<rank>\d{1,6}) )?)?pid=\d{1,10}"
            r"(?:, ip=(?P<host>[\w.:-]{1,64}+))?\)"
        ),
    ),
    (
        _WHO,
        (
            r"\((?:raylet|gcs_server|autoscaler|scheduler)(?: [+\w]{1,20}+)?"
            r"(?:, ip=(?P<host>[\w.:-]{1,64}+))?\)"
        ),
    ),
)
# host:pid:tid [gpu] of NCCL; the same without pids (NCCL < 2.4); `service-0  |` of docker compose.
_HOSTED = (
    _WHO,
    (
        rf"(?P<host>{_HOST})(?::\d{{1,8}}:\d{{1,8}}(?: \[(?P<gpu>\d{{1,3}})\]|(?= NCCL ))"
        rf"| \[(?P<gpu_>\d{{1,3}})\](?= {_FILE_LINE}(?:NCCL )?(?:WARN|INFO) )"
        r"|(?<=[-_]\d)\d{0,4} {1,40}\|(?= |$)|(?<=[-_]\d\d) {1,40}\|(?= |$))"
    ),
)
# vLLM's `ERROR 08-01 10:00:00 [core.py:123]` and the logging module's `ERROR:logger:`.
_LEVELLED = (
    _LOG,
    (
        rf"{_LEVEL}(?:[ :|-]{{1,8}}(?P<time>{_STAMP})(?: {{1,4}}\[?[\w./<>-]{{1,120}}+:\d{{1,6}}\])?"
        r"|: ?[\w.-]{1,120}+:(?=\S| {0,400}$))"
    ),
)
_DIGIT: _Rules = (
    (_LOG, rf"(?P<time>{_STAMP}|{_CLOCK})(?::|(?=[\s|\[]|$))"),
    (_LOG, r"\d{1,7}\.\d{1,3}s[ \t]{1,8}\d{1,7}(?=[ \t])"),
    (_LOG, r"(?P<time>1\d{12}|1\d{9}\.\d{1,9})(?=[ \t])"),
    (_WHO, r"(?P<rank>\d{1,5}):(?=[ \t]{1,16}\S)"),
    (_WHO, r"(?P<host>\d{1,3}(?:\.\d{1,3}){3}):(?= )"),
    _HOSTED,
)
_ALPHA: _Rules = (
    (_LOG, rf"[DIWEF]\d{{3,4}} (?P<time>{_CLOCK}) {{1,8}}\d{{1,10}} [^\]\s]{{1,240}}+\]"),
    (
        _LOG,
        (
            rf"(?P<time>[A-Z][a-zéû]{{2,4}}\.? {{1,2}}\d{{1,2}} {_CLOCK}) (?P<host>{_HOST})"
            r"(?: kernel:| (?:python[\d.]{0,5}|bash|sh|torchrun|deepspeed|ray|dockerd?|containerd)"
            r"(?:\[\d{1,10}\])?:|(?= \S{1,80}: ))"
        ),
    ),
    (_LOG, rf"(?P<time>{_ASCTIME}|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} {_CLOCK})(?::|(?=\s|$))"),
    _LEVELLED,
    (_LOG, r"kernel:"),
    (
        _WHO,
        (
            r"(?P<host>(?:node|worker|gpu|host|trainer|master|compute|dgx|ip|pod|launcher|machine|server)"
            r"(?:[-_][\w.-]{1,60}+|\d[\w.-]{0,60}+)):(?= {1,8}\S)"
        ),
    ),
    _HOSTED,
    (
        _WHO,
        (
            r"[\w./-]{1,120}+(?:(?<=\.out)|(?<=\.err)|(?<=\.log)|(?<=\.txt)|(?<=\.stderr)|(?<=\.stdout))"
            r":(?:\d{1,8}[:-](?!\d\d[:-]\d\d))?(?=\S)"
        ),
    ),
    (
        _WHO,
        (
            r"(?P<host>[a-z0-9]{1,40}+(?:-[a-z0-9]{1,40}+){1,8}(?<=\d)) "
            r"(?:pytorch|tensorflow|trainer|launcher|mpi|vllm|ray-(?:head|worker))"
            r"(?= {1,8}\S)"
        ),
    ),
    (_WHO, r"rank(?P<rank>\d{1,6})\[\d{1,10}\]\[\w{1,40}\]:"),
    (_LOOK, r"E {2,8}(?=\S)"),
)
_MARK: _Rules = (
    (_QUOTE, r">(?![>=])"),
    (_LOOK, rf"[{_BOX}]{{1,400}}+>?"),
    (_LOOK, r"\|(?= )"),
    (_LOOK, r"\*{1,3}(?=[\w\[(`\"'])|[*-] (?=[\w`\[(\"'])|~(?=[\w\[(])"),
)
_AFTER: _Rules = (
    _LEVELLED,
    (_LOG, rf"\[(?:__main__|root|default|MainThread|{_LOGGER})\]"),
    (_LOG, rf"\({_LOGGER}\)"),
    (
        _LOG,
        (
            rf"[|-] {{0,8}}(?:[\w.]{{1,80}}+ {{0,8}}[|-] )?{_LEVEL} {{1,8}}[|-] "
            r"(?:[\w.<>]{1,120}+:[\w<>]{1,80}+:\d{1,6} - |[\w.]{1,80}+ {0,8}[|-] )?"
        ),
    ),
    (_LOG, rf"{_LEVEL}(?![:\w])(?: {{1,8}}[|-](?= ))?"),
    (_LOG, rf"{_LOGGER}: \[{_LEVEL}\]"),
    (_LOG, r"[\w./-]{1,120}+(?<=\.py):\d{1,6}(?::[\w<>.]{1,60}+)?(?: {0,2}(?:--?|\|)(?= )|:(?= ))"),
    (_LOG, r"[DIWEFC] {1,4}[^\]\s]{1,200}+\](?<=\d\])"),
    (_LOG, r"(?:stdout|stderr) [FP](?= )"),
    (_WHO, r"(?P<host>algo-\d{1,4})(?= )"),
    (_LOG, r"[\w-]{1,40}+ \|\|(?= )|-(?= )|:(?= )"),
)


class Stripped(NamedTuple):
    """Where the message starts and what stood before it."""

    start: int
    prefix: str = ""
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    gpu: int | None = None
    source: str = ""
    quoted: bool = False


class _Rule(NamedTuple):
    kind: str
    fields: tuple[tuple[str, str], ...]
    """Field of `Stripped` -> name of the group that holds it; the first one found stays."""


class _Table:
    """Rules for one kind of first character, as one alternation of named groups."""

    def __init__(self, rules: _Rules) -> None:
        self.rules: dict[str | None, _Rule] = {}
        parts: list[str] = []
        for number, (kind, pattern) in enumerate(rules):
            name = f"r{number}"
            fields = _FIELD.findall(pattern)
            self.rules[name] = _Rule(kind, tuple((f.rstrip("_"), f"{f}_{name}") for f in fields))
            parts.append(f"(?P<{name}>" + _FIELD.sub(rf"(?P<\1_{name}>", pattern) + ")")
        self.match = re.compile(f"(?:{'|'.join(parts)})[ \\t]*").match


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_TABLES: dict[str, _Table] = {
    "[": _Table(_BRACKET),
    "(": _Table(_PAREN),
    **dict.fromkeys("0123456789", _Table(_DIGIT)),
    **dict.fromkeys(_ALPHABET + _ALPHABET.upper() + "_./", _Table(_ALPHA)),
    **dict.fromkeys(">|*-~" + _BOX, _Table(_MARK)),
}
_LATER = _Table(_AFTER)
_BLANKS = re.compile(r"[ \t]*")


def strip_prefix(line: str, start: int = 0) -> Stripped:
    """Find where the message in `line` begins, looking from `start` on."""
    blanks = _BLANKS.match(line, start)
    begin = blanks.end() if blanks else start
    hit = _match(line, begin, logged=False)
    if hit is None:
        return Stripped(begin)
    found: dict[str, str] = {}
    source, quoted, logged = "", False, False
    prefix: list[str] = []
    while hit is not None:
        (kind, fields), match = hit
        begin = match.end()
        if kind in (_WHO, _LOG):
            token = match[0].rstrip()
            prefix.append(token)
            if kind == _WHO:
                source += token
            else:
                logged = True
            for field, group in fields:
                if match[group] is not None:
                    found.setdefault(field, match[group])
        elif kind == _QUOTE:
            quoted = True
        hit = _match(line, begin, logged=logged)
    rank, gpu = found.get("rank"), found.get("gpu")
    return Stripped(
        begin,
        " ".join(prefix),
        None if rank is None else int(rank),
        found.get("host"),
        found.get("time"),
        None if gpu is None else int(gpu),
        source,
        quoted,
    )


def _match(line: str, begin: int, *, logged: bool) -> tuple[_Rule, re.Match[str]] | None:
    """Find the rule that fits at `begin`; an opening quote before a log prefix is passed over."""
    if logged and (match := _LATER.match(line, begin)):
        return _LATER.rules[match.lastgroup], match
    first = line[begin : begin + 1]
    table = _TABLES.get(first)
    if table is not None:
        if match := table.match(line, begin):
            return table.rules[match.lastgroup], match
    elif first in ("`", '"', "'"):
        table = _TABLES.get(line[begin + 1 : begin + 2])
        if table is not None and (match := table.match(line, begin + 1)):
            rule = table.rules[match.lastgroup]
            return (rule, match) if rule.kind in (_WHO, _LOG) else None
    return None
