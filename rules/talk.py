"""Whether a post shows an error or only speaks of one.

A pasted line is evidence whatever stands beside it. In a person's own sentence the words decide:
a thing that is over, a document, a joke or a search pattern is talk; a cry for help is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.model import CleanText, Line


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_OVER = _any(
    r"\bresolved\b", r"\bsolved\b", r"\bno longer (?:see|seen|get|happens?|an issue)",
    r"\b(?:is|are|was|were|been|got|all|now|already) fixed\b", r"\bfixed (?:it|this|that|now|by|with|in)\b",
    r"\b(?:fine|works?|good|ok|okay|working|healthy|stable) (?:now|again|since|after)\b",
    r"\bstopped after\b", r"\bwent away\b", r"\bgone (?:now|since|after)\b", r"\bis gone\b",
    r"\bclos(?:ing|ed) (?:this|the (?:ticket|issue|incident|thread)|as)\b", r",? closing\b\W*$",
    r"\bfalse alarm\b", r"\bnever ?mind\b", r"\bback to normal\b", r"\bhaven'?t seen\b",
    r"\bdid not come back\b", r"\brecovered\b", r"\bcleared\b", r"\bpost-?mortem\b",
    r"\blast (?:week|month|year|quarter|friday|monday|night)'s\b",
    "已经?解决", "没有?问题了", "解決しました", "解決済み", "직접 해결", "해결(?:됐|되었)", r"\bgelöst\b", r"\bbehoben\b",
    r"\brésolu\b", r"\bresuelto\b", "решен[оа]", "исправлен[оа]",
)  # fmt: skip
_ABOUT = _any(
    r"\bFAQ\b", r"\bwiki\b", r"\brun ?books?\b", r"\b(?:the|our|your|nvidia'?s?|pytorch'?s?) docs?\b",
    r"\bdocument(?:ation|ed|ing|s)?\b", r"\bslides?\b", r"\bblog\b", r"\bpaper\b", r"\btalk (?:about|on)\b",
    r"\bfeature request\b", r"\balert(?:ing)? rules?\b", r"\bdashboards?\b", r"\bregex(?:es|p)?\b",
    r"\bgrep\b", r"\bpatterns?\b", r"\bscanner\b", r"\bclassif(?:y|ier|ication)\b", r"\bstatistics\b",
    r"\bfavou?rite\b", r"\bTIL\b", r"\bfor the record\b", r"\bF\.?Y\.?I\b", r"\breminder\b",
    r"\btable (?:for|of)\b", r"\bgood read\b", r"\bcheat ?sheet\b", r"\bchange ?log\b", r"\brelease notes\b",
    r"\bthe (?:sentence|phrase|string|message|wording|error text)\b", r"\bunit tests?\b", r"\btest case\b",
    r"\bmock(?:s|ed|ing)?\b", r"\bsimulat(?:e|es|ed|ing)\b", r"\bpages? only\b", r"\bquiz\b", r"\binterview\b",
    r"\bpull request\b", r"\bmerged\b", r"\breview(?:ed|ing)?\b", r"\bticket (?:for|about|to)\b",
    r"\bexplains?\b", r"\bmeans? that\b", r"\bstands for\b", r"\bin general\b", r"\btheoretical(?:ly)?\b",
    r"\bcurious\b", r"\bwhat (?:is|are) the difference\b", r"\bbest practices?\b", r"\btraining (?:session|course)\b",
)  # fmt: skip
_UNHARMED = _any(
    r"\bignor(?:e|ing) (?:it|them|that|this)\b", r"\bharmless\b", r"\bno problem\b", r"\bjust (?:for|a) (?:fun|warning|info)",
    r"\bgives? 0\b", r"\b(?:0|zero|no) (?:hits?|matches|occurrences)\b", r"\bnothing (?:to worry|broken)\b",
    r"\bnormal(?:ly)?,? right\b", r"\bexpected\b[^.]{0,20}$", r"\bnever (?:saw|seen|happened|had)\b",
    r"\bgoes down nicely\b", r"\bonly a warning\b", r"\bnot (?:an|the) (?:issue|problem|error)\b",
)  # fmt: skip
_HELP = _any(
    r"\bany(?:one|body)?\b[^.?]{0,40}\b(?:ideas?|seen|knows?|help|clue|hints?|hit)\b", r"\bhelp\b", r"\bhow (?:do|can|to|should)\b",
    r"\bwhy\b", r"\bstuck\b", r"\bcrash(?:es|ed|ing)?\b", r"\bfail(?:s|ed|ing|ure)?\b", r"\bd(?:ies|ied|ying)\b",
    r"\bkeeps?\b", r"\bevery time\b", r"\b(?:i|we|i'm|we're) (?:get|got|getting|see|seeing|hit|am getting)\b",
    r"\bstill\b", r"\bagain\b", r"\bhangs?\b", r"\bhanging\b", r"\bfrozen?\b", r"\bwhat (?:does|is|can|should)\b",
    r"\bsuddenly\b", r"\bbroke(?:n)?\b", r"\bunable\b", r"\bcan(?:no|')t\b", r"\bwon'?t\b", r"\bthrows?\b", r"\braises?\b",
    r"\bboom\b", r"\bgave\b", r"\bsays?\b", r"\bwith this\b", r"\bstops?\b", r"\bkilled\b", r"\berrors? out\b", r"\bdown\b",
    "怎么", "报错", "请问", "求助", "帮忙", "为什么", "エラー", "どう", "에러", "오류", "왜", r"\bhilfe\b", r"\bwarum\b", r"\bошибк", r"\bпочему\b",
)  # fmt: skip
_CODE = re.compile(
    r"""re\.(?:compile|search|match)\(|\bgrep\b|\brg\s|(?:logger|logging|log)\.\w+\(|\bassert\b.*\bin\b
    |\bif\s+["'].*["']\s+in\b|^\s*\#define|\bexpr:|\bPATTERNS?\b|["']\s*:\s*r?["']|\braise\s+\w+\(
    |\bpytest\.raises\(|^\s*(?:-\s+)?(?:alert|regex|pattern|match|summary):\s|\.contains\(|awk\s+['"]|sed\s+-""",
    re.VERBOSE,
)
_LOGGED = re.compile(
    r"""^\s*(?:\w+(?:\.\w+)*(?:Error|Exception|Warning|Interrupt|Exit)\b|Traceback\b|File\s"|\#\d+\s|frame\s\#|at\s\S+\()
    |\bNCCL\s(?:WARN|INFO)\b|\bNVRM:|^(?:slurmstepd|srun|sbatch|salloc):|\berror:\s|\bERROR\b|\bFATAL\b|\bWARN(?:ING)?\b
    |^\S+\.(?:cc|cpp|cu|py|c|h):\d+|^terminate\scalled|^Fatal\sPython|^what\(\):|^\s*[A-Z]\w+:\s|0x[0-9a-f]{6,}""",
    re.VERBOSE,
)
_WORD = re.compile(r"[A-Za-z']{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Tone:
    """What the sentences of a post do, each in [0, 1] or as a count."""

    over: int
    about: int
    unharmed: int
    help: int
    pasted_lines: int
    prose_lines: int


def is_pasted(line: Line) -> bool:
    """Whether `line` came out of a program: it has a log prefix or the shape of one."""
    return bool(line.prefix) or bool(_LOGGED.search(line.text[:400]))


def is_code(line: Line) -> bool:
    """Whether `line` is source code or a search command that holds an error string."""
    return bool(_CODE.search(line.text[:400]))


def hear(clean: CleanText) -> Tone:
    """The tone of all lines that a person wrote."""
    prose = [line for line in clean.lines if line.text.strip() and not is_pasted(line)]
    said = "\n".join(line.text[:600] for line in prose[:60])
    return Tone(
        over=_count(_OVER, said),
        about=_count(_ABOUT, said),
        unharmed=_count(_UNHARMED, said),
        help=_count(_HELP, said),
        pasted_lines=len(clean.lines) - len(prose),
        prose_lines=len(prose),
    )


def words_around(line: Line, quote: str) -> int:
    """How many words of `line` are not part of the error itself."""
    return max(0, len(_WORD.findall(line.text[:600])) - len(_WORD.findall(quote)))


def _count(pattern: re.Pattern[str], text: str) -> int:
    return len(set(_lowered(pattern.findall(text))))


def _lowered(found: Iterable[str]) -> Iterable[str]:
    return (item.lower() for item in found)
