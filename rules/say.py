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
        return "a check, not rated"
    fails = _fails(rate)
    if rate.stated:
        return _say_stated(rate, now, fails=fails)
    parts = [_say_reports(rate, fails=fails)] if rate.reports else []
    return " · ".join([*parts, *_say_estimate(rate, now)])


def say_context(rate: Posterior) -> str | None:
    """Name a rate's context and counts: "on H100, torch 2.10: 4 of 5"; None if everywhere."""
    if rate.context is None:
        return None
    return f"on {name_context(rate.context)}: {_count(rate, fails=_fails(rate))}"


def say_here(rate: Posterior, now: dt.datetime) -> str:
    """Write a context's rate in full, with estimate, range and age."""
    return " · ".join(filter(None, [say_context(rate), *_say_estimate(rate, now)]))


def say_move(before: Posterior, after: Posterior, now: dt.datetime) -> str:
    """Write how a rate moved: "85 % (stated) → 34 % (15–55 %; worked in 0 of 3 reports, last today)"."""
    fails = _fails(after)
    old = 1.0 - before.mean if fails else before.mean
    mean, span = _say_span(after)
    said = f"{percent(old)}{'' if before.n else ' (stated)'} → {mean} ({span}"
    said += f"; {_say_reports(after, fails=fails)}" if after.reports else ""
    return f"{'fails ' if fails else ''}{said}{_say_last(after, now)})"


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


def _say_stated(rate: Posterior, now: dt.datetime, *, fails: bool) -> str:
    last = _say_last(rate, now)
    if rate.measure is Measure.MATCH:
        said = f"diagnosis {_say_reports(rate, fails=False)}{last}"
        return said if rate.reports else "no reports on the diagnosis"
    if fails:
        said = f"fails {percent(1.0 - rate.stated_rate)}, stated"
        return f"{said}, {_say_reports(rate, fails=True)}{last}" if rate.reports else said
    said = f"stated {percent(rate.stated_rate)}"
    return f"{said}, {_count(rate, fails=False)} reports{last}" if rate.reports else said


def _say_estimate(rate: Posterior, now: dt.datetime) -> list[str]:
    mean, span = _say_span(rate)
    last = [f"last {say_age(rate.last, now)}"] if rate.last is not None else []
    return [f"est. {'fails ' if _fails(rate) else ''}{mean} ({span})", *last]


def _say_span(rate: Posterior) -> tuple[str, str]:
    """Write the estimate and the 80 % range; of a dead end, that of failing."""
    mean, low, high = rate.mean, rate.low, rate.high
    if _fails(rate):
        mean, low, high = 1.0 - mean, 1.0 - high, 1.0 - low
    return percent(mean), f"{percent(low)[:-2]}–{percent(high)}"


def _say_last(rate: Posterior, now: dt.datetime) -> str:
    return f", last {say_age(rate.last, now)}" if rate.last is not None else ""


def _fails(rate: Posterior) -> bool:
    return rate.measure is Measure.DEAD_END


def _say_reports(rate: Posterior, *, fails: bool) -> str:
    verb = {Measure.DEAD_END: "failed", Measure.MATCH: "right"}.get(rate.measure, "worked")
    return f"{verb} in {_count(rate, fails=fails)} reports"


def _count(rate: Posterior, *, fails: bool) -> str:
    hits = rate.reports - rate.successes if fails else rate.successes
    return f"{hits} of {rate.reports}"
