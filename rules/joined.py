"""The lines of a post as one text, searched for facts by topic.

One pass of RE2 over the text tells which topics it touches; only from the places that a topic's
candidates name does an exact expression of the standard library read on. So a post pays for what
it says, and hostile text costs no more than its length.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from rules.model import CleanText, Line

# Candidates: wider than what is read from them, and starting where it starts.
_CANDIDATES = {
    "version": r"(?i)(?:nvidia-)?(?:py)?(?:torch|nccl|cuda|python|vllm|deepspeed|transformers|megatron"
    r"|ray|jax|flash|accelerate|lightning|sglang|trl|xformers|triton|cudnn|tensorflow|slurm"
    r"|kubernetes|k8s|ofed)(?:lib)?(?:[_-](?:lm|core|attn|attention|engine|lightning))?(?:-cu\d\d)?"
    r"[ _-]?(?:(?:runtime |release |toolkit )?version)?(?: \()?[ \t:=@~>\"'-]{0,8}(?:is )?v?\d{1,4}\.\d",
    "nvidia": r"(?i)nvidia|nvrm",
    "cuda": r"cu(?:1[0-3]\d|9[012])|cudaDriverVersion \d|(?i:cuda used to build)|NCCL version 2\d\d\d\d",
    "python": r"python3\.\d",
    "driver": r"(?i)(?:driver|kernel module)[a-z0-9_ ]{0,30}[ \t:=(v]{0,8}\d{3}",
    "bare_driver": r"[3-6]\d\d\.\d{2,3}\.\d\d",
    "gpu": r"G?[BHAVP][1-8]0?0|H20|A10|[TL]4|K80|MI[123]\d\d|(?i:rtx|gtx|titan)|A[456]000"
    r"|[1-5]0[5-9]0|L40|A800|H800",
    "exit": r"(?i)exit ?code|exit[_ ]status|return ?code|exited with",
    "signal": r"SIG[A-Z]{2}|(?i:signal:? ?\d|by signal: |tasks? [\d,-]{1,60}: [a-z])",
    "timeout": r"(?i)timeout\(ms\)|\(timeout: \d"
    r"|(?:timed out|times out|time-?out|stuck|waiting|Barrier in)[^\d\n(]{0,50}\d",
    "rank": r"(?i)(?:global[ _])?rank\s{0,12}[:=#]?\s{0,3}\d",
    "host": r"host\s{0,12}: {0,4}[\w.-]",
    "operation": r"(?i)OpType=|(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier"
    r"|gather|scatter)\w{0,12} (?:op )?(?:timed|time|hang|hung|got|is|failed)",
    "sequence": r"(?:SeqNum|SequenceNumber|seq_num)=\d",
    "xid": r"(?i)xid",
    "set": r"(?:[A-Z]{2,12}_[A-Z0-9_]{2,60}|RANK)(?:\s?=|['\"]\]\s?=| set (?:by environment )?to )",
    "world": r"(?i)world[_ ]size|nranks \d|--nproc",
    "job": r"SLURM_JOB|\*\*\* (?:JOB|STEP) \d|StepId=\d|JobI[dD]=\d|Submitted batch|slurm-\d|raysubmit_"
    r"|(?:job\.batch|job(?:\.kubeflow\.org)?|jobset)/|job[-_]name[=:]",
    "table": r"(?i)time\s{0,20}:|rank\s{0,20}:?\s{0,4}\d{1,6}\s{0,4}\(local",
    "launcher": r"failed \(exitcode: |srun: error: |process rank \d|process \d{1,6} terminated"
    r"|\[Rank \d{1,6}\] (?:NCCL )?[Ww]atchdog",
    "root": r"(?i)first observed failure",
}
_EXPRESSIONS = {topic: re2.compile(candidate) for topic, candidate in _CANDIDATES.items()}
_TOPICS = tuple(_CANDIDATES)
_ALL = re2.Set.SearchSet()
for _candidate in _CANDIDATES.values():
    _ALL.Add(_candidate)
_ALL.Compile()


@dataclass(frozen=True, slots=True)
class Joined:
    """Cleaned lines joined by line feeds, with the way back from an offset to its line."""

    text: str
    lines: tuple[Line, ...]
    ends: tuple[int, ...]
    topics: frozenset[str]
    """What the text may say something about."""

    def line_at(self, offset: int) -> Line:
        """Find the line that holds the character at `offset`."""
        return self.lines[bisect_right(self.ends, offset)]

    def candidates(self, topic: str, start: int = 0) -> Sequence[int]:
        """Offsets from which `topic` may be read."""
        if topic not in self.topics:
            return ()
        return [hit.start() for hit in _EXPRESSIONS[topic].finditer(self.text, start)]

    def read(self, topic: str, exact: re.Pattern[str], start: int = 0) -> Sequence[re.Match[str]]:
        """Yield matches of `exact` at the candidates of `topic`."""
        if topic not in self.topics:
            return ()
        hits = (exact.match(self.text, offset) for offset in self.candidates(topic, start))
        return [hit for hit in hits if hit]

    def read_first(self, topic: str, exact: re.Pattern[str]) -> re.Match[str] | None:
        """Give the first match of `exact` at a candidate of `topic`."""
        hits = self.read(topic, exact)
        return hits[0] if hits else None


def join(clean: CleanText) -> Joined:
    """Join a post that has at least one line."""
    text = "\n".join([line.text for line in clean.lines])
    ends = tuple(accumulate([len(line.text) + 1 for line in clean.lines]))
    touched = _ALL.Match(text) or ()
    return Joined(text, clean.lines, ends, frozenset([_TOPICS[index] for index in touched]))
