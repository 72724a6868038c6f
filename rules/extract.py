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

_RANK = re.compile(r"\b(?:global[ _])?rank\s{0,12}[:=#]?\s{0,3}(\d{1,6})(?![\d.%]|/\d)", re.IGNORECASE)
_HOST = re.compile(r"(?:^|\s)host\s{0,12}: {0,4}([\w.-]{1,120})")
_OPERATION = re.compile(
    r"OpType=(\w{1,40})"
    r"|nccl(AllReduce|AllGather|ReduceScatter|Broadcast|Reduce|Send|Recv|AllToAll)\b"
    r"|\b(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier|gather|scatter)\w{0,12}"
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
    text, lowered = post.text, post.lowered
    failures = read_failures(post)
    codes = read_exit_codes(text, lowered)
    return Evidence(
        ranks=_ranks(post, failures),
        hosts=_hosts(post, failures),
        failures=failures,
        first_failure=pick_first(post, failures),
        world_size=read_world_size(text, lowered),
        versions=MappingProxyType(read_versions(text, lowered)),
        gpu=read_gpu(text),
        operation=_operation(text, lowered),
        sequence=_sequence(text),
        timeout_ms=read_timeout_ms(text, lowered),
        exit_codes=codes,
        signals=read_signals(text, lowered, codes),
        xids=read_xids(post),
        environment=MappingProxyType(read_environment(text)),
        job_id=read_job_id(text, lowered),
    )


def _ranks(post: Joined, failures: tuple[RankFailure, ...]) -> tuple[int, ...]:
    ranks = {line.rank for line in post.lines if line.rank is not None}
    ranks.update(failure.rank for failure in failures if failure.rank is not None)
    if "rank" in post.lowered:
        ranks.update(map(int, _RANK.findall(post.text)))
    return tuple(sorted(ranks))


def _hosts(post: Joined, failures: tuple[RankFailure, ...]) -> tuple[str, ...]:
    hosts = [line.host for line in post.lines if line.host]
    if "host" in post.lowered:
        hosts += _HOST.findall(post.text)
    hosts += [failure.host for failure in failures if failure.host]
    return tuple(dict.fromkeys(hosts))


def _operation(text: str, lowered: str) -> str | None:
    if not any(word in lowered for word in ("optype=", "nccl", "time", "hang", "hung", "stuck")):
        return None
    match = _OPERATION.search(text)
    if match is None:
        return None
    return match[1].upper() if match[1] else (match[2] or match[3]).replace("_", "").upper()


def _sequence(text: str) -> int | None:
    match = _SEQUENCE.search(text) if "eq" in text else None
    return None if match is None else int(match[1])
