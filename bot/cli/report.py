"""A diagnosis as text for a terminal and as JSON for programs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from rules.model import DiagnosisKind
from rules.say import say_rate

if TYPE_CHECKING:
    import datetime as dt

    from rules.model import Diagnosis, Finding

_WIDTH = 96


def report(found: Diagnosis, now: dt.datetime) -> str:
    """Write the whole answer; for silence one line that says what would help."""
    finding = found.finding
    if found.kind is DiagnosisKind.SILENCE or finding is None or found.advice is None:
        return (
            "No known error found. What helps: the traceback of the first failing rank, "
            "its lines before the first 'SIGTERM', and NCCL's WARN lines."
        )
    entry = finding.entry
    parts = [
        f"{entry.title}\n{entry.id}, confidence {found.confidence:.0%}",
        f"line {finding.line} ({finding.how}): {finding.quote}",
        _fill(entry.root_cause),
    ]
    if found.kind is DiagnosisKind.REQUEST:
        parts.append("This line only says that something failed. Please send:")
    if found.advice.ask:
        parts.append("\n".join(f"  ? {item}" for item in found.advice.ask))
    parts += [_steps(found, now), _dead_ends(found, now), _consequences(found)]
    return "\n\n".join(part for part in parts if part)


def _steps(found: Diagnosis, now: dt.datetime) -> str:
    assert found.advice is not None
    blocks = ["Try, in this order:"]
    for place, ranked in enumerate(found.advice.steps, 1):
        mark = " (tried already)" if ranked.tried else ""
        rate = say_rate(ranked.rate, now)
        risk = "" if ranked.step.risk == "none" else f", risk: {ranked.step.risk}"
        block = [
            f"{place}. {ranked.step.do}{mark}",
            f"   {rate}, about {ranked.step.minutes} min{risk}",
        ]
        if ranked.step.details:
            block.append(textwrap.indent(_fill(ranked.step.details), "   "))
        if ranked.step.run:
            block.append(textwrap.indent(ranked.step.run.rstrip(), "     $ "))
        blocks.append("\n".join(block))
    return "\n".join(blocks)


def _dead_ends(found: Diagnosis, now: dt.datetime) -> str:
    assert found.advice is not None
    if not found.advice.dead_ends:
        return ""
    blocks = ["Do not waste time on:"]
    for ranked in found.advice.dead_ends:
        end = ranked.dead_end
        rate = say_rate(ranked.rate, now)
        unless = f" Unless: {end.unless}" if end.unless else ""
        blocks.append(f"x {end.do} ({rate})\n{textwrap.indent(_fill(end.why + unless), '  ')}")
    return "\n".join(blocks)


def _consequences(found: Diagnosis) -> str:
    lines = [f"  line {f.line}: {f.entry.id}" for f in found.consequences]
    return "\n".join(["Found too, as a consequence:", *lines]) if lines else ""


def _fill(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH)


def explain(found: Diagnosis) -> str:
    """Write the rule, the line, captures, the confidence and each loser with its reason."""
    lines = ["", "Why"]
    if found.finding is not None:
        lines += _rule(found.finding)
    lines += [f"  {reason}" for reason in found.reasons]
    lines += [
        f"  not {loser.finding.entry.id} (line {loser.finding.line}): {loser.reason}"
        for loser in found.losers
    ]
    lines.append(f"  fingerprint {found.fingerprint}, knowledge base {found.kb_version}")
    return "\n".join(lines)


def _rule(finding: Finding) -> list[str]:
    signature = finding.signature
    lines = [
        f"  rule {finding.entry.id}: {signature.text or signature.regex}",
        f"  matched by {finding.how} ({finding.score:.2f}) on line {finding.line}: {finding.quote}",
        f"  {finding.count} line(s), ranks {list(finding.ranks)}, role {finding.entry.role}",
    ]
    if finding.captures:
        lines.append(f"  captures {dict(finding.captures)}")
    if signature.when:
        lines.append(f"  conditions met {signature.when}")
    if signature.near:
        lines.append(f"  near {list(signature.near)}")
    if finding.entry.unless:
        lines.append(f"  gates passed: none of {list(finding.entry.unless)}")
    return lines


def to_json(found: Diagnosis) -> dict[str, Any]:
    """Give the contract for programs; `entry` is null for silence."""
    finding = found.finding
    spoken = finding if found.entry is not None else None
    advice = found.advice
    return {
        "kind": str(found.kind),
        "entry": found.entry.id if found.entry else None,
        "title": found.entry.title if found.entry else None,
        "confidence": round(found.confidence, 4),
        "line": spoken.line if spoken else None,
        "quote": spoken.quote if spoken else None,
        "matched_by": spoken.how if spoken else None,
        "captures": dict(spoken.captures) if spoken else {},
        "consequences": [f.entry.id for f in found.consequences],
        "runners_up": [
            {"entry": loser.finding.entry.id, "line": loser.finding.line, "reason": loser.reason}
            for loser in found.losers
        ],
        "workarounds": [
            {
                "id": r.step.id,
                "do": r.step.do,
                "run": r.step.run,
                "rate": round(r.rate.mean, 4),
                "low": round(r.rate.low, 4),
                "high": round(r.rate.high, 4),
                "stated": r.rate.stated,
                "minutes": r.step.minutes,
                "risk": str(r.step.risk),
                "tried": r.tried,
            }
            for r in (advice.steps if advice else ())
        ],
        "dead_ends": [
            {
                "id": r.dead_end.id,
                "do": r.dead_end.do,
                "why": r.dead_end.why,
                "fail_rate": round(1 - r.rate.mean, 4),
                "tried": r.tried,
            }
            for r in (advice.dead_ends if advice else ())
        ],
        "ask": list(advice.ask) if advice else [],
        "facts": _facts(found),
        "fingerprint": found.fingerprint,
        "kb_version": found.kb_version,
        "reasons": list(found.reasons),
    }


def _facts(found: Diagnosis) -> dict[str, Any]:
    evidence = found.evidence
    first = evidence.first_failure
    return {
        "ranks": list(evidence.ranks),
        "hosts": list(evidence.hosts),
        "first_failure": {"rank": first.rank, "host": first.host, "exit_code": first.exit_code}
        if first
        else None,
        "world_size": evidence.world_size,
        "versions": dict(evidence.versions),
        "gpu": evidence.gpu,
        "operation": evidence.operation,
        "sequence": evidence.sequence,
        "timeout_ms": evidence.timeout_ms,
        "exit_codes": list(evidence.exit_codes),
        "signals": list(evidence.signals),
        "xids": [{"number": x.number, "pci": x.pci} for x in evidence.xids],
        "environment": dict(evidence.environment),
        "job_id": evidence.job_id,
    }
