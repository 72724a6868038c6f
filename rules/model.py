"""What passes between the stages of the engine: frozen types and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.entry import Entry, Signature, SignatureKind
    from rules.rank import RankedDeadEnd, RankedStep


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a post without its log prefix."""

    text: str
    number: int
    """Line of the original post, from 1."""
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    """Time stamp as printed, for putting ranks in order; never parsed into a zone."""
    prefix: str = ""
    """What was cut off at the start: a line with a log prefix is pasted, not written."""
    quoted: bool = False
    """Behind a `>` of a reply or help text."""
    fenced: bool = False
    """Inside a code fence, a preformatted block or inline code that fills the line."""
    gpu: int | None = None
    """Device index on its host, as NCCL prints it in its prefix."""
    source: str = ""
    """Who wrote the line, as the prefix names it: the same for all lines of one process."""


@dataclass(frozen=True, slots=True)
class CleanText:
    """A post after cleaning: its lines in order."""

    lines: tuple[Line, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class RankFailure:
    """A rank that the text says failed, as far as it says."""

    rank: int | None = None
    host: str | None = None
    exit_code: int | None = None
    signal: str | None = None
    time: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Xid:
    """An NVIDIA driver error number and where it was raised."""

    number: int
    pci: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the text itself states; every field may be empty."""

    ranks: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    failures: tuple[RankFailure, ...] = ()
    first_failure: RankFailure | None = None
    world_size: int | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Product (pytorch, nccl, cuda, driver, python, vllm, ...) -> version as stated."""
    gpu: str | None = None
    """GPU model, such as H100 or RTX 4090."""
    operation: str | None = None
    """Collective operation, such as ALLREDUCE."""
    sequence: int | None = None
    timeout_ms: int | None = None
    exit_codes: tuple[int, ...] = ()
    signals: tuple[str, ...] = ()
    xids: tuple[Xid, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    job_id: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """An entry that the text shows, with the best line for it."""

    entry: Entry
    signature: Signature
    how: SignatureKind
    line: int
    """Line of the original post, from 1."""
    quote: str
    """The matched line, cleaned and redacted."""
    captures: Mapping[str, str]
    score: float
    """Similarity in [0, 1]; 1 for a signature that fired."""
    count: int = 1
    """How many lines show it."""
    ranks: tuple[int, ...] = ()
    talk: float = 0.0
    """How much the words around it speak of an error instead of showing one, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Loser:
    """A finding that was not chosen, and why."""

    finding: Finding
    reason: str


class DiagnosisKind(StrEnum):
    """What to do with a post."""

    ANSWER = "answer"
    REQUEST = "request"
    SILENCE = "silence"


@dataclass(frozen=True, slots=True)
class Advice:
    """What to say about the winner."""

    steps: tuple[RankedStep, ...]
    dead_ends: tuple[RankedDeadEnd, ...]
    ask: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that the engine says of one post."""

    kind: DiagnosisKind
    confidence: float
    """Chance that `finding` (or the best candidate) deserves to be the answer."""
    evidence: Evidence
    fingerprint: str
    """Same for the same failure across ranks, hosts and runs."""
    kb_version: str
    finding: Finding | None = None
    advice: Advice | None = None
    consequences: tuple[Finding, ...] = ()
    """Found too, but caused by the winner."""
    losers: tuple[Loser, ...] = ()
    reasons: tuple[str, ...] = ()
    unread: str = ""
    """A sentence on what was left out of a log that could not be read whole."""

    @property
    def entry(self) -> Entry | None:
        """The entry that answers; none for silence."""
        return self.finding.entry if self.finding and self.kind != "silence" else None
