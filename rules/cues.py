"""Words by which people show that they speak of an error, not suffer one; several languages.

Each set is one expression over a person's sentences. They are cues, not verdicts: the confidence
weighs them, and a pasted log beside them outweighs them.
"""

from __future__ import annotations

from typing import Any

import re2


_OPTIONS = re2.Options()
_OPTIONS.max_mem = 1 << 26
_OPTIONS.log_errors = False


def _any(*phrases: str) -> Any:
    return re2.compile("(?i)" + "|".join(phrases), _OPTIONS)


OVER = _any(
    r"\bresolved\b", r"\bsolved\b", r"\bno longer (?:sees?|seen|gets?|happens?|an issue|a problem|appears?|reproduc)",
    r"\b(?:is|are|was|were|been|got|all|now|already|finally) fixed\b", r"\bfixed (?:it|this|that|now|by|with|in|since|the|for)\b",
    r"\b(?:fine|works?|good|ok|okay|working|healthy|stable|clean|green) (?:now|since|after)\b", r"\bworks? again\b",
    r"\bstopped (?:after|since|when|once)\b", r"\bwent away\b", r"\bgone (?:now|since|after)\b", r"\b(?:is|are) gone\b",
    r"\bclos(?:ing|ed) (?:this|the (?:ticket|issue|incident|thread)|as)\b", r",? closing\b\W*$",
    r"\bfalse alarm\b", r"\bnever ?mind\b", r"\bback to normal\b", r"\bhaven'?t seen\b", r"\bhasn'?t (?:come back|happened|occurred)\b",
    r"\bdid(?:n'?t| not) come back\b", r"\brecovered\b", r"\bpost-?mortem\b", r"\broot cause was\b", r"\bturned out\b",
    r"\blast (?:week|month|year|quarter|friday|monday|night|summer)'?s?\b", r"\bused to (?:see|get|hit|be|throw|fail)\b",
    r"\bback then\b", r"\b(?:weeks?|months?|years?) ago\b", r"\bno more\b", r"\bzero occurrences\b", r"\ball clear\b", r"\bmitigated\b",
    "已经?解决", "没有?问题了", "解決しました", "解決済み", "直りました", "해결(?:됐|되었|했)", r"\bgelöst\b", r"\bbehoben\b", r"\berledigt\b",
    r"\brésolu", r"\bréglé", r"\bresuelto\b", r"\bsolucionado\b", "решен[оа]", "исправлен[оа]", "починил",
)  # fmt: skip
"""It is over, or was long ago."""

ABOUT = _any(
    r"\bFAQ\b", r"\bwiki\b", r"\brun ?books?\b", r"\bplay ?books?\b", r"\b(?:the|our|your|nvidia'?s?|pytorch'?s?|slurm'?s?) docs?\b",
    r"\bdocument(?:ation|ed|ing|s)?\b", r"\bslides?\b", r"\bblog\b", r"\bpaper\b", r"\btalk (?:about|on)\b", r"\btutorial\b",
    r"\bfeature request\b", r"\balert(?:ing)? rules?\b", r"\bdashboards?\b", r"\bregex(?:es|p)?\b", r"\bnew alert\b",
    r"\bgrep(?:ping|ped)?\b", r"\bpatterns?\b", r"\bscanner\b", r"\bclassif(?:y|ier|ication)\b", r"\bstatistics\b",
    r"\bfavou?rite\b", r"\bTIL\b", r"\bfor the record\b", r"\bF\.?Y\.?I\b", r"\breminder\b", r"\bPSA\b", r"\bfun fact\b",
    r"\btable (?:for|of|with)\b", r"\bgood read\b", r"\bcheat ?sheet\b", r"\bchange ?log\b", r"\brelease notes\b",
    r"\bthe (?:sentence|phrase|string|wording|error text|term|expression)\b", r"\bunit tests?\b", r"\btest cases?\b",
    r"\bmock(?:s|ed|ing)?\b", r"\bsimulat(?:e|es|ed|ing)\b", r"\bpages? only\b", r"\bquiz\b", r"\binterview\b", r"\bexam\b",
    r"\bpull request\b", r"\bmerged\b", r"\bticket (?:for|about|to)\b", r"\bbot (?:should|could|will|now|answers?)\b",
    r"\bexplains?\b", r"\bmeans? that\b", r"\bstands for\b", r"\bin general\b", r"\btheoretical(?:ly)?\b", r"\bhypothetical",
    r"\bcurious\b", r"\bthe difference between\b", r"\bbest practices?\b", r"\btraining (?:session|course)\b", r"\bworkshop\b",
    r"\btranslat(?:e|ed|ion)\b", r"\bspell(?:ing|ed)\b", r"\btypo\b", r"\bwording of\b", r"\bin (?:case|the event) (?:of|you|we|anyone)\b",
    r"\bwhenever (?:you|someone|anyone) see\b", r"\bif (?:you|anyone|someone|we) (?:ever )?(?:see|sees|get|gets|hit|hits|run into)\b",
    r"\bnext time\b", r"\bsummary of\b", r"\blist of\b", r"\btop (?:ten|five|3|5|10)\b", r"\bI(?:'ll| will) (?:put|add|write)\b",
)  # fmt: skip
"""It is about documents, tools, wording or the general case."""

UNHARMED = _any(
    r"\bignor(?:e|ed|ing) (?:it|them|that|this)\b", r"\bharmless\b", r"\bno problem\b", r"\bjust (?:for|a) (?:fun|warning|info)",
    r"\bgives? 0\b", r"\b(?:0|zero|no) (?:hits?|matches|occurrences|errors?)\b", r"\bnothing (?:to worry|broken)\b",
    r"\bnormal(?:ly)?,? right\b", r"\bnever (?:saw|seen|happened|had|once)\b", r"\bexpected (?:here|there|behaviou?r|during|for)\b",
    r"\bgoes down nicely\b", r"\bonly a warning\b", r"\bnot (?:an|the) (?:issue|problem|error)\b", r"\bon purpose\b",
    r"\bdeliberate(?:ly)?\b", r"\bchaos test\b", r"\bfire ?drill\b", r"\bdry[- ]run\b", r"\bintentional(?:ly)?\b",
)  # fmt: skip
"""Nothing is wrong, or it was provoked."""

HELP = _any(
    r"\bany (?:ideas?|help|clues?|hints?|suggestions?|pointers?|thoughts)\b", r"\b(?:any|some)(?:one|body) (?:else )?(?:seen|saw|knows?|know|hit|have|has|had|can|able)\b", r"\bhelp\b", r"\bhow (?:do|can|to|should)\b",
    r"\bwhy\b", r"\bstuck\b", r"\bcrash(?:es|ed|ing)?\b", r"\bfail(?:s|ed|ing|ure)?\b", r"\bd(?:ies|ied|ying)\b",
    r"\bkeeps?\b", r"\bevery time\b", r"\b(?:i|we|i'm|we're|it) (?:get|gets|got|getting|see|seeing|hit|am getting|are getting)\b",
    r"\bstill\b", r"\bagain\b", r"\bhangs?\b", r"\bhanging\b", r"\bfrozen?\b", r"\bwhat (?:does|is|can|should|to do)\b",
    r"\bsuddenly\b", r"\bbroke(?:n)?\b", r"\bunable\b", r"\bcan(?:no|')t\b", r"\bwon'?t\b", r"\bthrows?\b", r"\braises?\b",
    r"\bboom\b", r"\bgave\b", r"\bwith this\b", r"\bstops?\b", r"\bkilled\b", r"\berrors? out\b", r"\bsince (?:today|this morning|the upgrade)\b",
    "怎么", "报错", "求助", "帮忙", "为什么", "エラー", "助け", "에러", "오류", "왜", r"\bhilfe\b", r"\bwarum\b", r"ошибк", "почему", "помогите",
    r"\bne (?:marche|fonctionne)\b", r"\bayuda\b",
)  # fmt: skip
"""Somebody suffers."""
