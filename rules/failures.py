"""Which ranks a text says failed, and which of them first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.exits import WORDS, signal_of
from rules.model import RankFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.joined import Joined

# torchrun's table, whole or run together by a copy; "rank2 (local rank: 2)exitcode: -9" is one.
_TABLE = re.compile(
    r"(?:time\s{0,20}:\s{0,4}(?P<time>\S{1,40})\s{1,60}host\s{0,20}:\s{0,4}(?P<host>\S{1,120})\s{1,60})?"
    r"rank\s{0,20}:?\s{0,4}(?P<rank>\d{1,6})\s{0,4}\(local[_ ]rank:\s{0,4}\d{1,6}\)\s{0,60}"
    r"exit_?code\s{0,20}:\s{0,4}(?P<code>-?\d{1,5})"
)
_LAUNCHER = re.compile(
    r"failed \(exitcode: (?P<code>-?\d{1,5})\) local_rank: \d{1,6}"
    r"|srun: error: (?P<host_srun>[\w.\[\],-]{1,200}): tasks? (?P<rank_srun>\d{1,6})[\d,-]{0,200}: "
    r"(?:Exited with exit code (?P<code_srun>\d{1,3})|(?P<word>[A-Z][A-Za-z ]{2,24}))"
    r"|process rank (?P<rank_mpi>\d{1,6}) with PID \d{1,10} on node (?P<host_mpi>[\w.-]{1,120}) "
    r"exited on signal (?P<signal>\d{1,2})"
    r"|process (?P<rank_spawn>\d{1,6}) terminated with "
    r"(?:signal (?P<name>SIG\w{2,6})|exit code (?P<code_spawn>\d{1,3}))"
    r"|\[Rank (?P<rank_said>\d{1,6})\] (?:NCCL )?[Ww]atchdog "
)
_DEATH = re.compile(
    r"(?:[A-Za-z_][\w.]{0,120}+(?<=Error|ption|rrupt)(?:\(\w{1,60}\))?(?::|$)|(?:NCCL )?[Ww]atchdog (?:caught|thread term)"
    r"|Process group watchdog thread terminated|Fatal Python error:|Fatal error in)"
)
_DIGIT = re.compile(r"\d")


def read_failures(post: Joined) -> tuple[RankFailure, ...]:
    """Every rank that is said to have failed, merged by rank, in order of appearance."""
    merged: dict[object, RankFailure] = {}
    for failure in (*_read_tables(post), *_read_launchers(post), *_read_lines(post)):
        key = failure.line if failure.rank is None else ("rank", failure.rank)
        merged[key] = _fill(merged[key], failure) if key in merged else failure
    return tuple(sorted(merged.values(), key=lambda failure: failure.line))


def pick_first(post: Joined, failures: tuple[RankFailure, ...]) -> RankFailure | None:
    """Pick what the launcher calls the root cause, else the earliest by its time stamp.

    Time stamps are compared only where all are written alike; without any, a lone failing rank is
    the first one.
    """
    ranked = [failure for failure in failures if failure.rank is not None]
    for at in list(post.candidates("root"))[-1:]:
        root = next((f for f in _read_tables(post, at) if f.rank is not None), None)
        if root is not None:
            return next((f for f in ranked if f.rank == root.rank), root)
    timed = [(failure.time, failure) for failure in ranked if failure.time]
    if len(timed) == len(ranked) > 1 and len({_DIGIT.sub("0", time) for time, _ in timed}) == 1:
        return min(timed, key=lambda item: item[0])[1]
    return ranked[0] if len(ranked) == 1 else None


def _read_tables(post: Joined, start: int = 0) -> Iterator[RankFailure]:
    last = -1
    for row in post.read("table", _TABLE, start):
        # "time : ..." and "rank : ..." of one row are both candidates.
        if row.end() == last:
            continue
        last = row.end()
        code = int(row["code"])
        yield RankFailure(
            int(row["rank"]),
            row["host"],
            code,
            signal_of(code) if code < 0 else None,
            row["time"],
            post.line_at(row.start("rank")).number,
        )


def _read_launchers(post: Joined) -> Iterator[RankFailure]:
    for match in post.read("launcher", _LAUNCHER):
        # The part of a group's name before "_" is the field; one launcher fills its own alone.
        said = {name.partition("_")[0]: text for name, text in match.groupdict().items() if text}
        code = int(said["code"]) if "code" in said else None
        signal = said.get("name") or WORDS.get(said.get("word", "").strip().lower())
        if code is not None and code < 0:
            signal = signal_of(code)
        elif "signal" in said:
            signal = signal_of(-int(said["signal"]))
        line = post.line_at(match.start())
        rank = int(said["rank"]) if "rank" in said else None
        yield RankFailure(rank, said.get("host"), code, signal, line.time, line.number)


def _read_lines(post: Joined) -> Iterator[RankFailure]:
    """Lines of a known rank that end its life: an exception, the watchdog, a fatal error."""
    for line in post.lines:
        if line.rank is not None and _DEATH.match(line.text):
            yield RankFailure(line.rank, line.host, time=line.time, line=line.number)


def _fill(old: RankFailure, new: RankFailure) -> RankFailure:
    """Add what a later mention of the same rank says."""
    return replace(
        old,
        host=old.host or new.host,
        exit_code=new.exit_code if old.exit_code is None else old.exit_code,
        signal=old.signal or new.signal,
        time=old.time or new.time,
        line=min(old.line, new.line),
    )
