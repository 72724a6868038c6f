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
    r"\bresolved\b", r"\bsolved\b", r"\bsorted(?: out)?\b", r"\bno longer\b", r"\banymore\b", r"\bany more\b", r"\bno more\b",
    r"\b(?:is|are|was|were|been|got|all|now|already|finally) fixed\b", r"\bfix(?:ed|es) (?:it|this|that|now|by|with|in|since|the|for|a|an)\b",
    r"\b(?:fine|works?|good|ok|okay|working|healthy|stable|clean|green) (?:now|since|after)\b", r"\bworks? again\b", r"\b(?:runs?|running) again\b",
    r"\bstopped (?:after|since|when|once)\b", r"\bwent away\b", r"\bgone (?:now|since|after|with)\b", r"\b(?:is|are) (?:all )?gone\b",
    r"\bclos(?:ing|ed)\b", r"\bauto-?closed?\b", r"\bfalse alarm\b", r"\bnever ?mind\b", r"\bback to normal\b", r"\bback in the pool\b",
    r"\bhaven'?t seen\b", r"\bnot see(?:n|ing)\b", r"\bhasn'?t (?:come back|happened|occurred)\b", r"\bgot rid of\b", r"\bthat did it\b",
    r"\bdid(?:n'?t| not) come back\b", r"\brecovered\b", r"\bpost-?mortem\b", r"\bretro\b", r"\broot cause (?:was|is|of)\b", r"\bturned out\b",
    r"\bthe (?:fix|culprit|cause|reason) (?:was|is)\b", r"\bwas caused by\b", r"\bcause of\b", r"\bnothing to do for you\b",
    r"\blast (?:week|month|year|quarter|friday|monday|night|summer|spring|winter|autumn)'?s?\b", r"\bused to (?:see|get|hit|be|throw|fail)\b",
    r"\bback then\b", r"\b(?:weeks?|months?|years?) ago\b", r"\bzero occurrences\b", r"\ball[- ]clear\b", r"\bmitigated\b", r"\bwhite_check_mark\b",
    r"\b(?:was|were|been|got) (?:replaced|swapped|exchanged|reseated)\b", r"\b(?:is|are) back (?:in|on|to|since|after|up|online)\b", r"\bstable since\b", r"\bgreen again\b", r"(?m)^fixed:", r"\blife ?saver\b", r"\bsuccess(?:ful)?(?:ly)?\b", r"\b\d+ runs? (?:green|clean|passed)\b", r"\bfinished at\b",
    "已经?解决", "解决了", "没有?问题了", "正常了", "修好了", "解決", "直りました", "治りました", "해결", "고쳤", r"\bgelöst\b", r"\bbehoben\b", r"\berledigt\b", r"\bläuft (?:jetzt|wieder)\b",
    r"\brésolu", r"\bréglé", r"\bplus de\b", r"\bresuelto\b", r"\bsolucionado\b", r"\barreglado\b", "решен", "решён", "исправлен", "починил", "закрыт", "пропал",
)  # fmt: skip
"""It is over, or was long ago."""

ABOUT = _any(
    r"\bFAQ\b", r"\bwiki\b", r"\bhandbook\b", r"\bguide(?:line)?s?\b", r"\brun ?books?\b", r"\bplay ?books?\b", r"\bdocs?\b", r"\bREADME\b",
    r"\bdocument(?:ation|ed|ing|s)?\b", r"\bslides?\b", r"\bblog\b", r"\bpaper\b", r"\btalk (?:about|on)\b", r"\btutorial\b", r"\bsection \d",
    r"\bfeature request\b", r"\balert(?:ing)? rules?\b", r"\bdashboards?\b", r"\bregex(?:es|p)?\b", r"\bnew alert\b", r"\bpanel\b",
    r"\bgrep(?:ping|ped)?\b", r"\bpatterns?\b", r"\bscanner\b", r"\bparser?\b", r"\bclassif(?:y|ier|ies|ication)\b", r"\bstatistics\b", r"\bnumbers\b",
    r"\bfavou?rite\b", r"\bTIL\b", r"\bfor the record\b", r"\bF\.?Y\.?I\b", r"\breminder\b", r"\bPSA\b", r"\bfun fact\b", r"\btrivia\b",
    r"\btable (?:for|of|with)\b", r"\b(?:good|worth a) read\b", r"\bcheat ?sheet\b", r"\bchange ?log\b", r"\brelease notes\b", r"\bnew in\b",
    r"\bthe (?:sentence|phrase|string|wording|error text|term|expression|line)\b", r"\bunit tests?\b", r"\btest cases?\b", r"\btests? for\b",
    r"\bmock(?:s|ed|ing)?\b", r"\bsimulat(?:e|es|ed|ing|or)\b", r"\bpages? only\b", r"\bquiz\b", r"\binterview\b", r"\bexam\b", r"\bcandidates?\b",
    r"\bpull request\b", r"\bPRs?\b", r"\bMRs?\b", r"\bmerged?\b", r"\breview(?:s|ers?|ed|ing)?\b", r"\bnit\b", r"\bLGTM\b", r"\bcommits?\b", r"\bbump(?:s|ed)?\b",
    r"\btickets?\b", r"\bbacklog\b", r"\bupvotes?\b", r"\bwould be (?:great|nice|cool)\b", r"\bwish\b", r"\bbot\b", r"\bdeploy(?:ed|ment)?\b",
    r"\bexplains?\b", r"\bmeans? that\b", r"\bwhat \W?.{1,80}\W? means\b", r"\bstands for\b", r"\bin general\b", r"\btheoretical(?:ly)?\b", r"\bhypothetical",
    r"\bcurious\b", r"\bthe difference between\b", r"\bbest practices?\b", r"\btraining (?:session|course)\b", r"\bworkshop\b", r"\bonboarding\b",
    r"\btranslat(?:e|ed|ion)\b", r"\bspell(?:ing|ed)\b", r"\btypo\b", r"\bwording\b", r"\bin (?:case|the event) (?:of|you|we|anyone)\b", r"\bquot(?:e|ed|ing)\b",
    r"\bwhenever (?:you|someone|anyone) see\b", r"\bif (?:you|anyone|someone|a job|jobs) (?:ever )?(?:see|sees|get|gets|hit|hits|run into|ends?|dies?|prints?)\b",
    r"\bnext time\b", r"\bsummary of\b", r"\blist of\b", r"\btop (?:ten|five|3|5|10)\b", r"\bI(?:'ll| will) (?:put|add|write)\b", r"\badded\b", r"\bmoved\b",
    r"\bcan't happen\b", r"\b(?:our|the|that|this|a|my) page\b", r"\btests?/", r"\bsnapshot\b", r"\bdraft\b", r"\bsymptom:", r"\bcomments? (?:until|please|welcome)\b", r"\btl;?dr\b", r"\bFTR\b", r"\bwhat we learned\b", r"\bMTBF\b", r"\bpolicy\b",
    r"\bfixtures?\b", r"\brevis(?:ar|e)\b", r"\brelire\b", r"\bnotas?\b", r"\bpublished\b", r"\brelease[sd]?\b", r"\brenovate\b", r"\bversion(?:s)? \d.{0,20}\b(?:adds|removes|fixes)\b", r"\bif you (?:ever )?see\b", r"\bhealth check\b", r"\bguide\b", r"\boffice hours\b", r"\bexamples?\b", r"\bstale (?:>|for|since|prs?|issues?|branch)",
    r"\bglossary\b", r"\bproposal\b", r"\barchive\b", r"\bincident review\b", r"\btimeline\b", r"\baction items?\b", r"\bwrite-?up\b", r"\breport is up\b", r"\bunsubscribe\b", r"\bmuted?\b", r"\bnewsletter\b",
    r"\b(?:issue|pull request|discussion|thread) (?:closed|opened|reopened|titled)\b", r"\bnew (?:comment|issue|reply|question) (?:on|in|from)\b", r"\bgithub\b(?:[^.]|$)", r"\bstack ?overflow\b", r"\b[\w.-]{2,40}/[\w.-]{2,40}#\d+", r"\btitled\b", r"\bnot ours\b", r"\b(?:someone|somebody|other people)(?: else)?'s?\b.{0,20}\b(?:thread|issue|post)\b",
    r"\b(?:should|shall) (?:we|i|one) (?:page|alert|treat|count|ignore|drain|cordon|monitor)\b", r"\bdoes .{1,60} always\b", r"\b(?:is|are) .{1,40} documented\b", r"\bpoll\b", r"\bvote\b",
    r"\b(?:possible|common|usual|typical|likely) causes?\b", r"\bcauses? (?:include|are|of)\b", r"\bindicates? (?:that|a|an|the)\b", r"\boccurs? (?:when|if|because)\b", r"\bwas (?:raised|returned|thrown) when\b", r"\b(?:is|are) (?:raised|returned|thrown|set|shown|emitted|logged|reported) (?:when|if|whenever|for)\b",
    r"\binteresting\b", r"\bprebuilt\b", r"\bspreadsheet\b", r"\bso that we (?:all )?\b", r"\bour parser\b", r"\blabs?\b", r"\bshould have a\b",
    r"\bupstream\b", r"\bidiom\b", r"\brefactor", r"\bhandler\b", r"\bcatch(?:es|ing)?\b", r"\bgets? logged\b", r"\bcount(?:s|ed)?\b", r"\b\d+(?:x|×| times) (?:today|this|last|per|in|so far|since)\b", r"\bglossar", r"\bfrom the release\b", r"\bnotes\)",
    "统计", "上周", "上个月", "総括", "先週", "지난주", r"\binforme\b", r"\brapport\b", r"\bcompte[- ]rendu\b", r"\bProtokoll\b", "отчёт", "отчет", "статистик", r"\bUnterschied\b", r"\bdifférence\b", "区别", "違い", "차이", "разница", "会议", "面试",
    r"文档", r"维基", r"ドキュメント", r"ウィキ", r"위키", r"문서", "вики", "документаци", r"\bDoku(?:mentation)?\b", r"\bergänzt\b", r"\bdokumentiert\b", r"\bdocumenté", r"\bdocumentación\b",
    r"\bAllgemeine Frage\b", r"\bquestion générale\b", r"\bpregunta general\b", "一般的な", "일반적", "общий вопрос", r"\bquestion (?:out of|for my)\b",
)  # fmt: skip
"""It is about documents, code, tools, wording or the general case."""

NOTICE = _any(
    r"\bignor(?:e|ed|ing) (?:it|them|that|this)\b", r"\bharmless\b", r"\bno (?:problem|action|impact)\b", r"\bjust (?:for|a) (?:fun|warning|info)",
    r"\bgives? 0\b", r"\b(?:0|zero|no) (?:hits?|matches|occurrences|jobs affected|errors? (?:since|anymore|any more|after|so far|today|this|in))\b", r"\bnothing (?:to worry|broken)\b",
    r"\bnormal(?:ly)?,? right\b", r"\bnever (?:saw|seen|happened|had|once)\b", r"\bexpected (?:here|there|behaviou?r|during|for)\b", r"\bquiet\b",
    r"\bgoes down nicely\b", r"\bonly a warning\b", r"\bnot (?:an|the) (?:issue|problem|error)\b", r"\bon purpose\b", r"\bmy weekend\b", r"\broses are red\b", r"\brubber duck\b",
    r"\bdeliberate(?:ly)?\b", r"\bchaos test\b", r"\bfire ?drill\b", r"\bdry[- ]run\b", r"\bintentional(?:ly)?\b", r"\binjected\b", r"\blol\b", r"\bhaha\b", r"\bjoke\b",
    r"\bheads[- ]?up\b", r"\bplanned\b", r"\bmaintenance\b", r"\bfrom (?:monday|tuesday|wednesday|thursday|friday|next week|tomorrow)\b", r"\btomorrow\b", r"\bnext (?:week|month|quarter|sprint)\b",
    r"\bwill (?:print|show|see|get|be)\b", r"\bannounc(?:e|ed|ement|ing)\b", r"\broll(?:ed|ing)[- ]?out\b", r"\broll-out\b", r"\brollout (?:of|to|plan|starts|begins)\b", r"\bQ[1-4]\b", r"\bplease (?:wait|rebuild|update|check|note)\b", r"\b\d+ ?% of\b",
    r"\bresolved by\b", r"\backnowledged by\b", r"\bduration:", r"\bPagerDuty\b", r"\bOpsgenie\b", r"\bJira\b", r"\bdependabot\b", r"\bthanks (?:to|all|everyone|a lot|again)\b", r"\bthx\b", r"\bmerci\b", r"\bgracias\b",
    r"\baviso\b", r"\bprévu\b", r"\bgeplant\b", r"\bhoy a las\b", r"\bno hace falta\b", r"\bno hay prisa\b", r"\bheute (?:abend|nacht|um)\b", r"\bce soir\b", r"\btonight\b", r"\btidying\b", r"\bdesk\b", "今晚", "今夜", "来週", "다음 ?주", "오늘 밤", "정상", "次の", "新しいイメージ", "修正され", "итоги", "новост", "сегодня (?:вечером|ночью)", "困っていません", r"\ball good\b", r"\bmodel loaded\b",
    r"\bis history\b", r"\bhaunted\b", r"\bband name\b", r"\bcoffee\b", r"\bgym\b", r"\bfridge\b", r"\blunch\b", r"\bT-?shirt\b", r"\bsticker\b", r"\bmug\b", r"\bmeme\b", r"\bhit single\b", r"\bhealthy\b", r"\b:D\b", r"\b(?:sind|ist) .{0,20}normal\b", r"\bWartung\b", r"\bmantenimiento\b",
    "维护", "メンテナンス", "점검", "обслуживани", "明日", "明天", "내일", "завтра", r"\bmorgen\b", r"\bdemain\b", r"\bmañana\b",
    "谢谢", "ありがとう", "감사", "спасибо", r"\bdanke\b", "問題ありません", "不影响", "没问题", "문제 ?없", "не влияет", r"\bkein Problem\b", r"\bpas de problème\b",
)  # fmt: skip
"""Nothing is wrong now: an announcement, a joke, a thank-you, something provoked."""

HELP = _any(
    r"\bany (?:ideas?|help|clues?|hints?|suggestions?|pointers?|thoughts)\b", r"\b(?:any|some)(?:one|body) (?:else )?(?:seen|saw|knows?|know|hit|have|has|had|can|able)\b", r"\bhelp\b",
    r"\bhow (?:do|can|to|should) (?:i|we|one|you)?\b", r"\bwhy\b", r"\bstuck\b", r"\bwhat (?:does|is|can|should|to do|else|could|am i|are we)\b", r"\bwhere (?:do|should|to)\b", r"\?\?+", r"\?!",
    r"\bplease\b.{0,20}\b(?:help|advise|look)\b", r"\bis (?:it|this) (?:my|a|the|our)\b", r"\b(?:no|without) (?:idea|clue|luck|success)\b", r"\bdid(?:n'?t| not) help\b", r"\bdoes(?:n'?t| not) (?:help|work|start)\b",
    r"\bblocked\b", r"\burgent\b", r"\basap\b", r"\bwtf\b", r"\bugh\b", r"\bweird\b", r"\bstrange\b", r"\bout of ideas\b", r"\blost here\b", r"\bwhat's (?:going on|wrong|this|up)\b",
    "怎么", "报错", "求助", "帮忙", "为什么", "怎麼", "请问", "请教", "大佬", "救", "どう", "なぜ", "教えて", "助け", "困って", "원인", "왜", "어떻게", "도와", r"\bhilfe\b", r"\bwarum\b", r"\bwie\b.{0,30}\?", r"\bjemand\b",
    "почему", "помогите", "подскажите", "что делать", "как (?:исправить|починить|быть)", r"\bpourquoi\b", r"\bune idée\b", r"\bcomment\b.{0,40}\?", r"\bayuda\b", r"\bpor qué\b", r"\balguna idea\b", r"\bquelqu'un\b", r"\balguien\b",
)  # fmt: skip
"""Somebody asks for help."""

REPORT = _any(
    r"\b(?:my|our|the) (?:jobs?|runs?|training|script|process(?:es)?|ranks?|workers?|nodes?|pods?|model|finetun\w+|server|engine|launch(?:er)?)\b", r"\bthe other (?:ranks?|nodes?|workers?|gpus?)\b",
    r"\bcrash(?:es|ed|ing)?\b", r"\bfail(?:s|ed|ing)?\b", r"\bd(?:ies|ied|ying)\b", r"\bkeeps?\b", r"\bevery time\b", r"\b(?:i|we|i'm|we're) (?:get|got|getting|see|seeing|hit|am getting|are getting|run into|ran into)\b",
    r"\bstill\b", r"\bagain\b", r"\bhangs?\b", r"\bhanging\b", r"\bfr(?:eezes|ozen?)\b", r"\bsuddenly\b", r"\bbroken?\b", r"\bunable\b", r"\bcan(?:no|')?t\b", r"\bwon'?t\b", r"\bthrows?\b", r"\braises?\b", r"\bboom\b",
    r"\bgave\b", r"\bgives?\b", r"\bsays?\b", r"\bprints?\b", r"\bshows?\b", r"\bspits?\b", r"\bwith this\b", r"\bthis error\b", r"\bthe error\b", r"\bfollowing\b", r"\bstops?\b", r"\berrors? out\b", r"\bend(?:s|ed)? (?:with|in)\b", r"\bgets? killed\b",
    r"\band then\b", r"\bbut now\b", r"\bnow (?:i|we|it|they|the)\b", r"\bsince (?:today|this morning|the upgrade|yesterday|we|i)\b", r"\bafter (?:\d|a few|some|about|upgrad|switch|mov|updat|chang|adding|install)", r"\bwhen (?:i|we|using|running|starting|launching|loading|saving|training)\b",
    r"\bat (?:step|epoch|iteration|startup|start|init)\b", r"\b(?:first|second|third|every|each) (?:epoch|step|run|node|rank|batch)\b", r"\btr(?:ied|ying)\b", r"\b(?:only|just|even) (?:on|with|when|one)\b", r"\b\d+ ?(?:gpus?|nodes?|ranks?|cards?|epochs?)\b", r"\b(?:torch|pytorch|nccl|cuda|driver|vllm|deepspeed|python) ?\d", r"\b[AHVBL]\d{1,3}0s?\b", r"\bRTX\b",
    r"\bfresh (?:cluster|clone|install|node|env)\b", r"\brandom(?:ly)?\b", r"\bsometimes\b", r"\bintermittent", r"\binside (?:docker|the container|a container)\b", r"\bcontainer\b", r"\b--\w", r"\bNCCL_\w+=", r"\b->\B",
    "卡住", "挂了", "报", "起不来", "失败", "崩", "止まり", "落ち", "エラー", "動かな", "失敗", "죽", "멈", "에러", "오류", "실패", "падает", "упал", "виснет", "ошибк", "завис", r"\bbricht ab\b", r"\bstürzt\b", r"\bhängt\b", r"\bFehler\b", r"\bplante\b", r"\berreur\b", r"\bne (?:marche|fonctionne|démarre)\b", r"\bfalla\b", r"\berror\b.{0,30}\bal\b", r"\bse cae\b", r"\bse cuelga\b",
)  # fmt: skip
"""Somebody reports what happens to a job of theirs."""

TURN = _any(
    r"\bbut (?:now|then|still|since|today|after|it|this|the|on|with|every|one|i|we)\b", r"\b(?:and|so) now\b", r"\bnow (?:i|we|it|they|every|the|this|with|instead|another|rank|node)\b", r"\byet\b",
    r"\bstill\b", r"\b(?:is|it's|came|comes|coming) back\b", r"\bonly to\b", r"\bhowever\b", r"\binstead (?:i|we|it|of)\b", r"\bnext (?:problem|issue|error)\b", r"\bnew (?:problem|issue|error|one)\b", r"\bagain\b",
    r"\b(?:did|done|set|tried) (?:that|this|it|both|all)\b", r"\bno (?:luck|change|difference|effect)\b", r"\bsame (?:error|thing|result|crash|problem)\b",
    "但是", "但现在", "还是", "仍然", "でも", "しかし", "まだ", "하지만", "여전히", "아직", "но теперь", "всё равно", "опять", "снова", r"\baber\b", r"\btrotzdem\b", r"\bimmer noch\b", r"\bmais\b", r"\btoujours\b", r"\bpero\b", r"\bsigue\b",
)  # fmt: skip
"""What was said before does not hold: the trouble goes on or a new one came."""
