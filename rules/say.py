"""Rates in words: short plain strings, the same wherever a rate is shown."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from rules.policy import DAY
from rules.posterior import Measure
from rules.votes import to_epoch

if TYPE_CHECKING:
    import datetime as dt

    from rules.posterior import Posterior
    from rules.votes import Context


def say_rate(rate: Posterior, now: dt.datetime) -> str:
    """Write one line: stated until 3 incidents bear on it, then reports, estimate, 80 % range and age."""
    if rate.measure is Measure.EVIDENCE:
        return "gathers evidence, not rated"
    fails = rate.measure is Measure.DEAD_END
    if rate.stated:
        return _say_stated(rate, fails=fails)
    low, high = (1.0 - rate.high, 1.0 - rate.low) if fails else (rate.low, rate.high)
    mean = 1.0 - rate.mean if fails else rate.mean
    parts = [_say_reports(rate, fails=fails)] if rate.reports else []
    lead = "est. fails" if fails else "est."
    parts.append(f"{lead} {percent(mean)} ({percent(low)[:-2]}–{percent(high)})")
    if rate.last is not None:
        parts.append(f"last {say_age(rate.last, now)}")
    return " · ".join(parts)


def say_context(rate: Posterior) -> str | None:
    """Name a rate's context and counts: "on H100, torch 2.10: 4 of 5"; None if everywhere."""
    if rate.context is None:
        return None
    return (
        f"on {name_context(rate.context)}: {_count(rate, fails=rate.measure is Measure.DEAD_END)}"
    )


def name_context(context: Context) -> str:
    """List the known fields, hardware first."""
    named = (
        context.gpu,
        context.fabric,
        f"torch {context.torch}" if context.torch else None,
        f"NCCL {context.nccl}" if context.nccl else None,
    )
    return ", ".join(filter(None, named))


def say_age(then: dt.datetime, now: dt.datetime) -> str:
    """Write an age in whole days: "today", "1 day ago", "12 days ago"."""
    days = int(max(0.0, to_epoch(now) - to_epoch(then)) // DAY)
    return "today" if days == 0 else f"{days} day{'s' if days > 1 else ''} ago"


def percent(share: float) -> str:
    """Write a share in whole percent, halves up: "72 %"."""
    return f"{floor(share * 100.0 + 0.5 + 1e-9)} %"


def _say_stated(rate: Posterior, *, fails: bool) -> str:
    if rate.measure is Measure.MATCH:
        said = f"diagnosis {_say_reports(rate, fails=False)}"
        return said if rate.reports else "no reports on the diagnosis"
    if fails:
        said = f"fails {percent(1.0 - rate.stated_rate)}, stated"
        return f"{said}, {_say_reports(rate, fails=True)}" if rate.reports else said
    said = f"stated {percent(rate.stated_rate)}"
    return f"{said}, {_count(rate, fails=False)} reports" if rate.reports else said


def _say_reports(rate: Posterior, *, fails: bool) -> str:
    verb = {Measure.DEAD_END: "failed", Measure.MATCH: "right"}.get(rate.measure, "worked")
    return f"{verb} in {_count(rate, fails=fails)} reports"


def _count(rate: Posterior, *, fails: bool) -> str:
    hits = rate.reports - rate.successes if fails else rate.successes
    return f"{hits} of {rate.reports}"
