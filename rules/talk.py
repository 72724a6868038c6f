"""Whether a post shows an error or only speaks of one.

A pasted line is evidence whatever stands beside it. In a person's own sentence the words decide:
a thing that is over, a document, a joke or a search pattern is talk; a cry for help is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rules.cues import ABOUT, HELP, NOTICE, OVER, REPORT, TURN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.model import CleanText, Line

_CODE = re.compile(
    r"""re\.(?:compile|search|match|findall)\(|^\s*[$`]*(?:grep|egrep|rg|zgrep|ack|awk|sed)\s|\bgrep\s+-\w
    |(?:logger|logging|log)\.\w+\(\s*f?["']|\bassert\b.*\bin\b|\bif\s+["'].*["']\s+in\b|\bin\s+str\(\w+\)|\bexcept\s+\w+|^\s*\#define|^\s*expr:
    |\bPATTERNS?\b|["']\s*:\s*r["']|\bpytest\.raises\(|^\s*(?:-\s+)?(?:alert|regex|pattern|match|summary|description):\s
    |\.contains\(|\bcase\s+["']|\bclass\s+\w+\(|^\s*[A-Z_]{3,}\s*=\s*r?["']|^\s*(?:Regex|Match|Filter|condition)\b|["'](?:pattern|regex|condition)["']\s*:
    |\bPASSED\b|\bdef\s+test_|^\s*\|.*\|\s*$|\.format\(|^\s*\("|^\s*raise\s\w+\(|^[0-9a-f]{7,12}\s+[A-Z]|\bXFAIL\b|,\s*contains\s*,|=>|\w\.[Cc]ontains\(|^\s*r?["'].*["'],?\s*$|"{3}
    |^\s*(?:def|class|func|fn|import|from|return|elif|else:|case|match|struct|enum|package|const|let|var)\b(?!.*\bFile\b)|^\s*[}\])]+[;,)]*\s*$|[{;]\s*$|^\s*if\s.*[:{]\s*$|^\s*[\w|*]+\)\s+\w+=|print\(f?["']|^\s*(?:\#|//|\*)\s|^\s*[+-]\s.*(?://\s|[!=]=\s|[{;]\s*$)|[!=]=\s*["'].*["']|\b\w*printf\(|\b(?:WARN|ERROR|FATAL|LOG|TRACE|assert\w*|EXPECT_\w+|ASSERT_\w+)\(.*["']|^\s*\{?\s*\w+:\s*["'`].*["'`],\s*$|^\s*(?://!<|///|/\*)|^\s+[fr]["']|=~\s|\|~\s|\|=\s*["`]""",
    re.VERBOSE,
)
_LOGGED = re.compile(
    r"""^[\s>|*\-`"'(\[]*(?:
      (?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Interrupt|Exit|Failure)\d?\b\s*[:(\]]
    | Traceback\b | File\s" | \#\d+\s | frame\s\# | at\s\S+\(
    | NCCL\s(?:WARN|INFO)\b | NVRM: | (?:slurmstepd|srun|sbatch|salloc|mpirun|nvidia-container-cli|kubelet)\b[^:]{0,40}:
    | (?:FATAL|ERROR|WARN(?:ING)?|CRITICAL|E\d{4})\b | [Ee]rror:\s | terminate\scalled | Fatal\sPython | what\(\):
    | \S+\s+\d+/\d+\s+\S+ | (?:Unable\sto|Could\snot|MountVolume|Back-off|Readiness|Liveness)\b
    | \S+\.(?:cc|cpp|cu|cuh|h|py|c):\d+ | \[\d+\]\s | Warning\s{2,} | Last\serror: | Watchdog\scaught
    | CUDA\serror: | Xid\s\( | \w+\s+exited\swith | libc\+\+abi | Killed\b | State:\s | Reason:\s | Exit\sCode: | Message:\s
    )|^[^"'`“]*(?:0x[0-9a-f]{6,}|\bNCCL\sWARN\b|exitcode\s?:\s?-?\d)""",
    re.VERBOSE,
)
_CLOSED = re.compile(
    r"""^\W{0,8}(?::\w+:\W{0,4})?(?:
      \[\s?(?:RESOLVED|RECOVERED|SOLVED|CLOSED|OK)(?::\d+)?\s?\] | (?-i:RESOLVED|RECOVERED)(?::\d+)?\W{0,2}\s?[:\u2013\u2014-]
    | \W{0,2}(?:Resolved|Recovered)\W{0,3}$ )""",
    re.VERBOSE | re.IGNORECASE,
)
_FAILED = re.compile(r'File ".*", line \d|Traceback \(|py_callstack|extraInfo|\berror_handler')
_DEFINED = re.compile(
    r"^\s*(?:[-*\u2022\u00b7]\s*)?[`*_]{0,2}(?P<term>[A-Z]+_[A-Z_]+|[A-Z]{6,}|(?:[A-Z]+[a-z]+){3,})[`*_]{0,2}(?:\s?[:\u2013\u2014(]| -|\s[a-z])"
)
_LEAST_DEFINED = 3
"""Lines that each begin with a term of their own and say something of it: a glossary."""
_KERNEL = re.compile(r"\bkernel: \[ *\d+\.\d+\]|^\[ *\d+\.\d{4,}\]")
"""The kernel's time stamp: its line, whatever record it was copied out of."""
_SAME_QUOTES = "\"`'"
_PAIRED_QUOTES = (("“", "”"), ("«", "»"), ("‘", "’"), ("「", "」"), ("『", "』"), ("„", "“"))
_WORD = re.compile(r"[A-Za-z']{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_LONGEST = 500
"""Characters of a line that are looked at."""
_MOST_LINES = 60
_NEIGHBOURS = 3
_LONG_WORDING, _FEW_WORDS, _WHOLE_SENTENCE = 20, 8, 40


@dataclass(frozen=True, slots=True)
class Tone:
    """What the sentences of a post do: counts of different cues, and of lines."""

    over: int
    about: int
    notice: int
    help: int
    report: int
    turn: int
    questions: int
    pasted_lines: int
    prose_lines: int


def is_pasted(line: Line, wording: str = "") -> bool:
    """Whether `line` came out of a program.

    It has a log prefix, the shape of a log line, or begins with the error's own `wording`, and says
    little more or has a whole sentence of it letter for letter.
    """
    text = line.text[:_LONGEST]
    if line.prefix or _LOGGED.search(text) or _KERNEL.search(text):
        return True
    if len(wording) < _LONG_WORDING or not line.text.lower().startswith(wording.lower()):
        return False
    return words_around(line, wording) <= _FEW_WORDS or (
        len(wording) >= _WHOLE_SENTENCE and line.text.startswith(wording)
    )


def is_code(line: Line) -> bool:
    """Whether `line` is source code or a search command that may hold an error string."""
    text = line.text[:_LONGEST]
    return not line.prefix and bool(_CODE.search(text)) and not _KERNEL.search(text)


def stands_in_code(line: Line, clean: CleanText) -> bool:
    """Whether `line` is code, or fenced with code round it; a traceback shows code, but failed."""
    index = next((i for i, other in enumerate(clean.lines) if other is line), 0)
    around = clean.lines[max(0, index - _NEIGHBOURS) : index + _NEIGHBOURS + 1]
    if any(other.prefix or _FAILED.search(other.text[:_LONGEST]) for other in around):
        return False
    return is_code(line) or (line.fenced and any(is_code(other) for other in around))


def is_closed(clean: CleanText) -> bool:
    """Whether the post bears at its head the tag of an alert that is over, and takes no turn."""
    head = next((line for line in clean.lines if line.text.strip()), None)
    if head is None or not _CLOSED.match(head.text[:_LONGEST]):
        return False
    return not hear(clean).turn


def hear(clean: CleanText, wording: str = "") -> Tone:
    """Hear the tone of all lines that a person wrote, without the error's own `wording`."""
    looked_at = clean.lines[:_MOST_LINES]
    prose = [line for line in looked_at if line.text.strip() and not is_pasted(line)]
    said = "\n".join(line.text[:_LONGEST] for line in prose)
    said = _without(said, wording)
    return Tone(
        over=_count(OVER, said),
        about=_count(ABOUT, said) + 2 * _is_glossary(prose),
        notice=_count(NOTICE, said),
        help=_count(HELP, said),
        report=_count(REPORT, said),
        turn=_count(TURN, said),
        questions=sum(said.count(mark) for mark in "?？"),
        pasted_lines=len(looked_at) - len(prose),
        prose_lines=len(prose),
    )


def _is_glossary(prose: Sequence[Line]) -> bool:
    found = (_DEFINED.match(line.text[:_LONGEST]) for line in prose)
    return len({term["term"] for term in found if term}) >= _LEAST_DEFINED


def words_around(line: Line, wording: str) -> int:
    """How many words of `line` are not part of the error itself."""
    return len(_WORD.findall(_without(line.text[:_LONGEST], wording)))


def is_quoted(text: str, wording: str) -> bool:
    """Whether `wording` stands between quotation marks, with other words outside of them."""
    place = _find(text, wording)
    if place is None:
        return False
    before, after = text[: place[0]], text[place[1] :]
    same = any(
        before.count(mark) % 2 and mark in after and not _is_data(before, mark)
        for mark in _SAME_QUOTES
    )
    return same or any(
        before.rfind(opened) > before.rfind(closed) and closed in after
        for opened, closed in _PAIRED_QUOTES
    )


def _is_data(before: str, mark: str) -> bool:
    """Whether the quotation mark opens a field of a record: `"message":"...` and not speech."""
    return before[: before.rfind(mark)].endswith((":", "=", "{", "["))


def _without(text: str, wording: str) -> str:
    place = _find(text, wording)
    return text if place is None else text[: place[0]] + " " + text[place[1] :]


def _find(text: str, wording: str) -> tuple[int, int] | None:
    """Where `wording` begins and ends in `text`, whatever white space a wrap put in or took."""
    if not wording:
        return None
    start = text.lower().find(wording.lower())
    if start >= 0:
        return start, start + len(wording)
    letters = [character for character in wording if not character.isspace()][:_LONGEST]
    found = re.search(r"\s*".join(map(re.escape, letters)), text, re.IGNORECASE)
    return found.span() if found else None


def _count(pattern: Any, text: str) -> int:
    return len({found[0].lower() for found in pattern.finditer(text)})
