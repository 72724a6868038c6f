"""The one entry point: a text, a knowledge base and rates -> a diagnosis."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rules.advise import advise
from rules.clean import clean as clean_text
from rules.confidence import ASKED_THRESHOLD, CHANNEL_THRESHOLD, explain
from rules.entry import Role
from rules.extract import extract
from rules.judge import Verdict, judge
from rules.mask import fingerprint
from rules.match import match
from rules.model import Diagnosis, DiagnosisKind
from rules.scan import read_log

if TYPE_CHECKING:
    from rules.learn import Rates
    from rules.load import KnowledgeBase
    from rules.model import CleanText
    from rules.scan import Readable

LONG = 1 << 18
"""Characters from which a text is read as a log: by windows round what is found."""


def diagnose(
    text: str,
    kb: KnowledgeBase,
    rates: Rates | None = None,
    *,
    slack: bool = False,
    asked: bool = False,
    threshold: float | None = None,
    fuzzy: bool = True,
) -> Diagnosis:
    """Say what `text` shows, or that the bot should be silent.

    `slack` decodes Slack's mark-up first; `asked` uses the lower threshold of somebody who
    addressed the bot; `threshold` in [0, 1] replaces both.
    """
    if len(text) > LONG:
        log = io.BytesIO(text.encode("utf-8", "replace"))
        return diagnose_log(log, kb, rates, asked=asked, threshold=threshold, fuzzy=fuzzy)
    cleaned = clean_text(text, slack=slack)
    return judge_text(cleaned, kb, rates, threshold=_pick(threshold, asked=asked), fuzzy=fuzzy)


def diagnose_log(
    log: Readable,
    kb: KnowledgeBase,
    rates: Rates | None = None,
    *,
    asked: bool = False,
    threshold: float | None = None,
    fuzzy: bool = True,
) -> Diagnosis:
    """Say the same of a log of any size, read once in bounded memory."""
    cleaned = read_log(log, kb.scanner)
    return judge_text(cleaned, kb, rates, threshold=_pick(threshold, asked=asked), fuzzy=fuzzy)


def _pick(threshold: float | None, *, asked: bool) -> float:
    if threshold is not None:
        return threshold
    return ASKED_THRESHOLD if asked else CHANNEL_THRESHOLD


def judge_text(
    clean: CleanText,
    kb: KnowledgeBase,
    rates: Rates | None,
    *,
    threshold: float,
    fuzzy: bool = True,
) -> Diagnosis:
    """Diagnose a post that is cleaned already."""
    verdict = judge(match(clean, kb.index, fuzzy=fuzzy), clean)
    evidence = extract(clean)
    winner = verdict.winner
    kind = _kind(verdict, threshold)
    advice = None
    if winner is not None and kind is not DiagnosisKind.SILENCE:
        advice = advise(winner.entry, evidence, clean, rates or kb.stated_rates)
    return Diagnosis(
        kind=kind,
        confidence=verdict.confidence,
        evidence=evidence,
        fingerprint=fingerprint(
            (winner.quote,) if winner else (line.text for line in clean.lines),
            winner.entry.id if winner else None,
        ),
        kb_version=kb.version,
        finding=winner,
        advice=advice,
        consequences=verdict.consequences,
        losers=verdict.losers,
        reasons=_reasons(verdict, threshold),
    )


def _kind(verdict: Verdict, threshold: float) -> DiagnosisKind:
    if verdict.winner is None or verdict.confidence < threshold:
        return DiagnosisKind.SILENCE
    if verdict.winner.entry.role is Role.WRAPPER:
        return DiagnosisKind.REQUEST
    return DiagnosisKind.ANSWER


def _reasons(verdict: Verdict, threshold: float) -> tuple[str, ...]:
    if verdict.winner is None or verdict.features is None:
        return ("no signature fired and none resembles the text",)
    shares = [f"{name} {share:+.1f}" for name, share in explain(verdict.features) if share]
    side = "at or above" if verdict.confidence >= threshold else "below"
    return (
        f"confidence {verdict.confidence:.2f}, {side} the threshold {threshold:.2f}",
        "log odds: " + ", ".join(shares),
    )
