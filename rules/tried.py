"""Which steps and dead ends a poster says were tried without success."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rules.entry import DeadEnd, Entry, Workaround
    from rules.model import CleanText

_SENTENCE = re.compile(r"[!?;]+|\.(?=\s|$)|\n")
_SETTING = re.compile(r"\b[A-Z][A-Z0-9]{1,11}_[A-Z0-9_]{2,60}=[\w.:,^-]{1,60}")
_TRIED = re.compile(
    r"\b(?:tried(?! to allocate)|trying|tested|already|attempted|experimented|played with|ruled out|verified"
    r"|(?:i|we)(?:'ve| have)? (?:set|changed|raised|increased|lowered|reduced|restarted|reinstalled|upgraded|downgraded|rebooted|disabled|enabled|switched|removed|added)"
    r"|even (?:with|after|when)|also with|not even)\b"
)
_FAILED = re.compile(
    r"\b(?:no luck|no success|without success|no (?:change|difference|effect|improvement|use|help)"
    r"|(?:did|does|do)(?: not|n't|nt) (?:help|work|change|fix|solve|matter|do anything)"
    r"|(?:didnt|doesnt|dont) (?:help|work|change|fix|solve|matter)"
    r"|still|same (?:error|thing|result|problem|issue|kind|message|hang)|nothing (?:changed|changes|helped|helps|works|worked)"
    r"|did nothing|does nothing|made no|makes no|in vain|to no avail|never helped|doesn't either|neither|either way"
    r"|not (?:helping|working)|keeps? (?:failing|happening|crashing|hanging)|puts? \w+ right back|does it too|did not)\b"
)
# Without any of these nothing was tried in vain, and most posts are only an error.
_CUES = (
    *("tried", "trying", "tested", "already", "attempted", "experimented", "played", "ruled out"),
    *(
        "verified",
        "i ",
        "i'",
        "we ",
        "we'",
        "even ",
        "also with",
        "no ",
        "not ",
        "n't",
        "nt ",
        "still",
    ),
    *(
        "same",
        "nothing",
        "in vain",
        "to no avail",
        "never",
        "neither",
        "either",
        "keep",
        "right back",
    ),
    *("does it too", "without success"),
)
_SOLVED = re.compile(
    r"\b(?:helps|helped|fixed|fixes|solved|solves|works|worked|resolved|it runs|runs fine|is fine|all good|gone)\b"
)
_NOT_FAILED = re.compile(
    r"(?:n't|not|nt|no|never|nothing|neither|none)(?: \w+){0,2} (?:helps|helped|fixed|fixes|solved|solves|works|worked|help|work)\b|nothing \w+"
)
_OPEN = re.compile(
    r"\b(?:should (?:i|we)|shall (?:i|we)|can (?:i|we)|could (?:i|we)|may i|is it (?:ok|okay|safe|worth|enough)"
    r"|do (?:i|we) (?:need|have)|would it|how (?:do|can|to)|where (?:do|can|to)|what if|if (?:i|we) (?:set|raise|increase|use|try)"
    r"|(?:have|has|had|did)(?:n't| not|nt)(?: yet)? (?:tried|try|set|test|tested|touch|touched|change|changed)|not (?:yet )?(?:tried|tested)"
    r"|(?:will|going to|gonna|want to|about to|plan to|planning to) (?:try|set|raise|increase|test)"
    r"|never tried|don't (?:want|like) to|dont want to|without having)\b"
)


def tried(text: CleanText, entry: Entry) -> tuple[str, ...]:
    """List ids of the entry's workarounds and dead ends that the poster tried in vain, in its order.

    Questions, plans, negations and steps that helped do not count, and neither do log lines.
    """
    prose = "\n".join(
        line.text for line in text.lines if not line.prefix and not line.quoted
    ).lower()
    if not any(cue in prose for cue in _CUES):
        return ()
    sentences = tuple(_sentences(prose))
    steps: tuple[Workaround | DeadEnd, ...] = (*entry.workarounds, *entry.dead_ends)
    return tuple(
        step.id for step in steps if any(_in_vain(phrase, sentences) for phrase in _phrases(step))
    )


def _sentences(prose: str) -> Iterator[tuple[str, bool]]:
    """Yield sentences of what people wrote, and whether each one asks something."""
    start = 0
    for stop in _SENTENCE.finditer(prose):
        yield prose[start : stop.start()], "?" in stop[0]
        start = stop.end()
    if start < len(prose):
        yield prose[start:], False


def _phrases(step: Workaround | DeadEnd) -> Iterable[str]:
    """Name the step as a post may: its own phrases and the settings that it consists of."""
    return (*step.tried, *_settings(f"{step.do} {getattr(step, 'run', None) or ''}"))


@lru_cache(maxsize=8192)
def _settings(commands: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SETTING.findall(commands)))


@lru_cache(maxsize=8192)
def _expression(phrase: str) -> re.Pattern[str]:
    """Compile the words of `phrase` in order, with up to two others between each pair."""
    words = [re.escape(word) for word in phrase.lower().split()]
    return re.compile(r"(?<![\w])" + r"\W{1,3}(?:[\w'./=-]{1,40} ){0,2}".join(words) + r"(?!\w)")


def _in_vain(phrase: str, sentences: tuple[tuple[str, bool], ...]) -> bool:
    first = phrase.lower().split()[0]
    for index, (sentence, asks) in enumerate(sentences):
        if first not in sentence or asks or _OPEN.search(sentence):
            continue
        hit = _expression(phrase).search(sentence)
        if hit is None:
            continue
        after = sentence[hit.start() :]
        follow = sentences[index + 1][0] if index + 1 < len(sentences) else ""
        if _is_failure(sentence, after, follow):
            return True
    return False


def _is_failure(sentence: str, after: str, follow: str) -> bool:
    if _FAILED.search(sentence):
        return not _SOLVED.search(_NOT_FAILED.sub("", after))
    if not _TRIED.search(sentence) or _SOLVED.search(_NOT_FAILED.sub("", sentence)):
        return bool(_FAILED.search(follow)) and not _SOLVED.search(sentence) and " but" in after
    return not _SOLVED.search(_NOT_FAILED.sub("", follow[:60]))
