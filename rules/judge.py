"""Findings -> one winner or silence, with the reason for each loser."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from rules.confidence import Features, confidence
from rules.entry import Role
from rules.model import Finding, Loser
from rules.pattern import squeeze
from rules.redact import redact
from rules.talk import hear, is_closed, is_pasted, is_quoted, stands_in_code, words_around

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.match import Match, Matches
    from rules.model import CleanText, Line

_RANK = {Role.ROOT: 0, Role.CASCADE: 1, Role.WRAPPER: 2}
_HOW = {"regex": 0, "text": 0, "fuzzy": 1}
_LONGEST_QUOTE = 300
_WRAPPED_LINES = 5
_MOST_LOOKED_AT = 8
_QUOTES = '"`'


@dataclass(frozen=True, slots=True)
class Verdict:
    """The best candidate, how sure it is, and what it beat."""

    winner: Finding | None
    confidence: float
    features: Features | None
    consequences: tuple[Finding, ...] = ()
    losers: tuple[Loser, ...] = ()


def judge(matches: Matches, clean: CleanText) -> Verdict:
    """Choose the entry that is the cause of the others, and say how sure that is."""
    groups = _by_entry(matches.fired)
    gated = [Loser(_finding([m]), reason) for m, reason in matches.gated]
    losers: list[Loser] = []
    for group in groups.values():
        _put_telling_line_first(group[0], clean)
    candidates = {identity: _finding(group) for identity, group in groups.items()}
    lines = {identity: group[0].lines[0] for identity, group in groups.items()}
    standing, beaten = _resolve(candidates)
    losers += beaten
    if not standing:
        return Verdict(None, 0.0, None, losers=tuple(gated + losers))
    order = sorted(standing, key=_precedence)
    winner = order[0]
    features = _features(winner, groups[winner.entry.id][0], lines, clean, order)
    losers += [Loser(rival, _why_behind(rival, winner)) for rival in order[1:]]
    consequences = tuple(loser.finding for loser in losers if _follows(loser.finding, winner))
    sure = confidence(features)
    return Verdict(
        replace(winner, talk=round(1 - sure, 3)),
        sure,
        features,
        consequences,
        tuple(gated + losers),
    )


def _by_entry(fired: Iterable[Match]) -> dict[str, list[Match]]:
    groups: dict[str, list[Match]] = {}
    for match in fired:
        groups.setdefault(match.rule.entry.id, []).append(match)
    for group in groups.values():
        group.sort(key=lambda m: (_HOW[m.how], m.wrapped, m.lines[0].number, -len(m.captures)))
    return groups


def _put_telling_line_first(match: Match, clean: CleanText) -> None:
    """Let a line that a program printed speak, not the code that raised it or who quotes it."""
    for place, line in enumerate(match.lines[:_MOST_LOOKED_AT]):
        if is_pasted(line, match.wording) and not stands_in_code(line, clean):
            match.lines.insert(0, match.lines.pop(place))
            return


def _finding(group: Sequence[Match]) -> Finding:
    best = group[0]
    lines: dict[int, Line] = {line.number: line for match in group for line in match.lines}
    captures = {k: v for match in reversed(group) for k, v in match.captures.items()}
    return Finding(
        entry=best.rule.entry,
        signature=best.rule.signature,
        how=best.how,
        line=best.lines[0].number,
        quote=redact(best.lines[0].text.strip())[:_LONGEST_QUOTE],
        captures=MappingProxyType(captures),
        score=best.score,
        count=len(lines),
        ranks=tuple(sorted({line.rank for line in lines.values() if line.rank is not None})),
    )


def _resolve(candidates: dict[str, Finding]) -> tuple[list[Finding], list[Loser]]:
    """Take out whatever yields to another candidate or answers only alone."""
    beaten: list[Loser] = []
    standing: list[Finding] = []
    for finding in candidates.values():
        cause = next((c for c in finding.entry.yields_to if _stands(candidates, c, finding)), None)
        if cause is not None:
            beaten.append(Loser(finding, f"caused by {cause}, which is in the text too"))
        elif finding.entry.only_if_alone and len(candidates) > 1:
            beaten.append(Loser(finding, "answers only where nothing else is found"))
        else:
            standing.append(finding)
    if not standing and candidates:
        # A ring of yields: the one that is nearest to the cause stands.
        first = min(candidates.values(), key=_precedence)
        return [first], [loser for loser in beaten if loser.finding is not first]
    return standing, beaten


def _stands(candidates: dict[str, Finding], cause: str, finding: Finding) -> bool:
    other = candidates.get(cause)
    if other is None or other.entry.only_if_alone:
        return False
    return not (other.how == "fuzzy" and finding.how != "fuzzy" and other.score < 0.9)


def _precedence(finding: Finding) -> tuple[int, int, int, float, str]:
    weak = finding.how == "fuzzy" and finding.score < 0.9
    return (
        _RANK[finding.entry.role] + (2 if weak else 0),
        _HOW[finding.how],
        finding.line,
        -_length(finding),
        finding.entry.id,
    )


def _length(finding: Finding) -> int:
    return len(squeeze(finding.signature.text or finding.signature.regex or ""))


def _why_behind(rival: Finding, winner: Finding) -> str:
    if _RANK[rival.entry.role] > _RANK[winner.entry.role]:
        return f"a {rival.entry.role} behind the {winner.entry.role} {winner.entry.id}"
    if rival.how == "fuzzy" and winner.how != "fuzzy":
        return "only resembles its signature"
    if rival.line > winner.line:
        return f"comes later than line {winner.line}"
    return "less specific"


def _follows(finding: Finding, winner: Finding) -> bool:
    return finding.how != "fuzzy" and (
        winner.entry.id in finding.entry.yields_to
        or _RANK[finding.entry.role] > _RANK[winner.entry.role]
    )


def _features(
    winner: Finding,
    match: Match,
    lines: dict[str, Line],
    clean: CleanText,
    order: Sequence[Finding],
) -> Features:
    line = lines[winner.entry.id]
    tone = hear(clean, match.wording)
    code = stands_in_code(line, clean)
    pasted = not code and is_pasted(line, match.wording if winner.how != "fuzzy" else "")
    around = 0 if pasted else words_around(line, match.wording)
    rivals = [
        other
        for other in order[1:]
        if _RANK[other.entry.role] == _RANK[winner.entry.role] and other.how == winner.how
    ]
    log = min(4, tone.pasted_lines) / 4
    return Features(
        distance=(1 - winner.score) * 10,
        length=math.log2(1 + len(squeeze(match.wording))) / 8,
        pasted=float(pasted),
        log=log,
        code=float(code),
        over=_talk(tone.over, log),
        about=_talk(tone.about, log),
        notice=_talk(tone.notice, log),
        help=min(2, tone.help) / 2,
        question=min(1, tone.questions),
        report=min(4, tone.report) / 4,
        turn=min(2, tone.turn) / 2,
        mention=float(around > 3 and not (tone.help or tone.report or tone.questions)),
        quoted=float(not pasted and is_quoted(_passage(line, match, clean), match.wording))
        * (1 - log),
        rivals=min(2, len(rivals)) / 2,
        closed=float(is_closed(clean)),
    )


def _passage(line: Line, match: Match, clean: CleanText) -> str:
    """Take the line, and the next where its wording, or a quotation in it, runs on over them."""
    runs_on = match.wrapped or any(line.text.count(mark) % 2 for mark in _QUOTES)
    if not runs_on:
        return line.text
    first = next((i for i, other in enumerate(clean.lines) if other is line), 0)
    return "\n".join(other.text for other in clean.lines[first : first + _WRAPPED_LINES])


def _talk(count: int, log: float) -> float:
    """Words of talk count less the more was pasted beside them."""
    return min(2, count) / 2 * (1 - log)
