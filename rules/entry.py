"""What one knowledge base file holds: frozen, validated types and nothing else."""

from __future__ import annotations

import datetime as dt  # noqa: TC003  pydantic reads it
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from rules.conditions import names_in

if TYPE_CHECKING:
    from typing import Self

LONGEST_PHRASE = 1000
"""Characters in a row that are sought literally; Hyperscan refuses some thousands."""
UNRATED = 0.5
"""What a check has for a rate; nothing is ordered by it."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
EntryId = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9]+(-[a-z0-9]+)*$", max_length=120),
]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Phrase = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_PHRASE)
]
Rate = Annotated[float, Field(ge=0.0, le=1.0)]
Url = Annotated[str, StringConstraints(pattern=r"^https://\S+$")]


class Role(StrEnum):
    """How close to the cause what the entry describes is."""

    ROOT = "root"
    CASCADE = "cascade"
    WRAPPER = "wrapper"


class Verification(StrEnum):
    """How the entry's claims are known, weakest first."""

    AI_GENERATED = "ai_generated"
    CITED = "cited"
    CONFIRMED = "confirmed"
    REPRODUCED = "reproduced"


class Scope(StrEnum):
    """How far one cause reaches: whose posts can be the same incident."""

    JOB = "job"
    NODE = "node"
    CLUSTER = "cluster"


class Risk(StrEnum):
    """What a step can cost others: in rising order."""

    NONE = "none"
    RESTART = "restart"
    DATA_LOSS = "data-loss"


class StepKind(StrEnum):
    """A repair, or the gathering of evidence that decides between repairs."""

    FIX = "fix"
    EVIDENCE = "evidence"


class Frozen(BaseModel):
    """Base of every part of an entry: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Signature(Frozen):
    """A wording of the error. Exactly one of `text` and `regex` is given."""

    text: Phrase | None = None
    """Literal; case is ignored, white space and line wraps inside it do not matter."""
    regex: Prose | None = None
    """RE2 syntax without look-around; one logical line; a space stands for any white space."""
    when: dict[str, str] = {}
    """Conditions on numeric captures, such as {reserved_gib: "> 0.3 * total_gib"}."""
    near: tuple[Phrase, ...] = ()
    """Texts of which at least one must stand in the same post too."""

    @model_validator(mode="after")
    def _is_readable(self) -> Self:
        if (self.text is None) == (self.regex is None):
            raise ValueError("a signature has either text or regex")
        for name, condition in self.when.items():
            unknown = sorted(
                n for n in names_in(name, condition) if f"(?P<{n}>" not in (self.regex or "")
            )
            if unknown:
                raise ValueError(
                    f"when: no capture is called {', '.join(unknown)}; name a group (?P<{unknown[0]}>...)"
                )
        return self


def _rate_fixes_alone(schema: dict[str, Any]) -> None:
    """Ask for a rate where a step is no check."""
    schema["required"].remove("success_rate")
    check = {"properties": {"kind": {"const": "evidence"}}, "required": ["kind"]}
    schema |= {"if": check, "else": {"required": ["success_rate"]}}


class Workaround(Frozen):
    """A step to try. Votes hang on `id`, so it is never reused or renamed."""

    model_config = ConfigDict(json_schema_extra=_rate_fixes_alone)

    id: Slug
    do: Prose
    """The step in one imperative sentence; it is the step's title."""
    details: Prose | None = None
    """What to look at to know that it worked, and what to mind."""
    run: str | None = None
    """Commands or settings, shown in a code block."""
    kind: StepKind = StepKind.FIX
    success_rate: Rate
    """Stated share of incidents that the step ends: an estimate until votes move it.

    A check, which ends none, needs none."""
    minutes: Annotated[int, Field(gt=0, le=100_000)] = 15
    """A person's time to carry the step out."""
    risk: Risk = Risk.NONE
    versions: dict[str, str] = {}
    """Gate: a version that the post states outside these ranges drops the step."""
    tried: tuple[Prose, ...] = ()
    """How a poster says that this was tried."""
    sources: tuple[Url, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _rate_a_check(cls, fields: Any) -> Any:
        is_check = isinstance(fields, dict) and fields.get("kind") == StepKind.EVIDENCE
        return {"success_rate": UNRATED, **fields} if is_check else fields


class DeadEnd(Frozen):
    """What people try that does not help."""

    id: Slug
    do: Prose
    why: Prose
    fail_rate: Rate
    unless: Prose | None = None
    """The exception in which it does help."""
    tried: tuple[Prose, ...] = ()
    sources: tuple[Url, ...] = ()


class MatchSample(Frozen):
    """A post that this entry must win."""

    text: Prose
    captures: dict[str, str] = {}
    source: str | None = None
    """Where the wording is from: a link, or `log: NAME` for a log under tests."""


class NoMatchSample(Frozen):
    """A post that this entry must not win; `answers` names who must, none for silence."""

    text: Prose
    answers: EntryId | None = None
    source: str | None = None


class Samples(Frozen):
    """Both sides of the entry's border."""

    match: tuple[MatchSample, ...] = ()
    no_match: tuple[NoMatchSample, ...] = ()


class Entry(Frozen):
    """One failure: how it is recognised, what it means, what to do and what not."""

    id: EntryId
    title: Annotated[Prose, StringConstraints(max_length=120)]
    aliases: tuple[Prose, ...] = ()
    category: Slug | Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$")]
    error_code: str | None = None
    role: Role = Role.ROOT
    verification: Verification
    verified_on: dt.date
    fix_rate: Rate
    """Stated share of incidents that some step solves."""
    root_cause: Prose
    versions: dict[str, str] = {}
    """Where it was seen; shown, never a gate."""
    scope: Scope = Scope.JOB
    signatures: Annotated[tuple[Signature, ...], Field(min_length=1)]
    unless: tuple[Phrase, ...] = ()
    """Literals that show it is something else."""
    only_if_alone: bool = False
    """Answers only where nothing else was found."""
    yields_to: tuple[EntryId, ...] = ()
    """Likelier roots when both are present."""
    ask: tuple[Prose, ...] = ()
    """What to send when the text does not decide."""
    workarounds: Annotated[tuple[Workaround, ...], Field(min_length=1)]
    dead_ends: tuple[DeadEnd, ...] = ()
    samples: Samples = Samples()
    sources: tuple[Url, ...] = ()
    retired: bool = False
    """Kept for its votes; never answers."""
    extra: dict[str, object] = {}
    """Fields of an imported form that have no place here."""

    @property
    def domain(self) -> str:
        """The first part of the id."""
        return self.id.partition("/")[0]


SignatureKind = Literal["text", "regex", "fuzzy"]
