"""Cleaned lines -> the facts that the text itself states."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from rules.environment import read_environment, read_job_id, read_world_size
from rules.exits import read_exit_codes, read_signals, read_timeout_ms
from rules.failures import pick_first, read_failures
from rules.joined import join
from rules.model import Evidence
from rules.versions import read_gpu, read_versions
from rules.xid import read_xids

if TYPE_CHECKING:
    from rules.joined import Joined
    from rules.model import CleanText, RankFailure

_RANK = re.compile(
    r"(?<![A-Za-z_])(?:global[ _])?rank\s{0,12}[:=#]?\s{0,3}(\d{1,6})(?![\d.%]|/\d)", re.IGNORECASE
)
_HOST = re.compile(r"(?<!\S)host\s{0,12}: {0,4}([\w.-]{1,120})")
_OPERATION = re.compile(
    r"OpType=(\w{1,40})"
    r"|(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier|gather|scatter)\w{0,12}"
    r" (?:op )?(?:timed out|time-?out|hangs?|hung|got stuck|is stuck|failed)",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"(?:SeqNum|SequenceNumber|seq_num)=(\d{1,12})")
_NOTHING = Evidence()


def extract(clean: CleanText) -> Evidence:
    """Read ranks, hosts, failures, versions, settings and error numbers out of a post."""
    if not clean.lines:
        return _NOTHING
    post = join(clean)
    failures = read_failures(post)
    codes = read_exit_codes(post)
    return Evidence(
        ranks=_ranks(post, failures),
        hosts=_hosts(post, failures),
        failures=failures,
        first_failure=pick_first(post, failures),
        world_size=read_world_size(post),
        versions=MappingProxyType(read_versions(post)),
        gpu=read_gpu(post),
        operation=_operation(post),
        sequence=_sequence(post),
        timeout_ms=read_timeout_ms(post),
        exit_codes=codes,
        signals=read_signals(post, codes),
        xids=read_xids(post),
        environment=MappingProxyType(read_environment(post)),
        job_id=read_job_id(post),
    )


def _ranks(post: Joined, failures: tuple[RankFailure, ...]) -> tuple[int, ...]:
    ranks = {line.rank for line in post.lines if line.rank is not None}
    ranks.update(failure.rank for failure in failures if failure.rank is not None)
    ranks.update(int(match[1]) for match in post.read("rank", _RANK))
    return tuple(sorted(ranks))


def _hosts(post: Joined, failures: tuple[RankFailure, ...]) -> tuple[str, ...]:
    hosts = [line.host for line in post.lines if line.host]
    hosts += [match[1] for match in post.read("host", _HOST)]
    hosts += [failure.host for failure in failures if failure.host]
    return tuple(dict.fromkeys(hosts))


def _operation(post: Joined) -> str | None:
    match = post.read_first("operation", _OPERATION)
    return None if match is None else (match[1] or match[2].replace("_", "")).upper()


def _sequence(post: Joined) -> int | None:
    match = post.read_first("sequence", _SEQUENCE)
    return None if match is None else int(match[1])
