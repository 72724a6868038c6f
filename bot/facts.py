"""What a post itself stated, in short phrases worth showing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.model import Evidence, RankFailure

_NAMES = {
    "pytorch": "PyTorch",
    "nccl": "NCCL",
    "cuda": "CUDA",
    "driver": "driver",
    "python": "Python",
    "vllm": "vLLM",
    "deepspeed": "DeepSpeed",
    "transformers": "Transformers",
    "ray": "Ray",
    "jax": "JAX",
}
_MOST_NAMED = 6


def say_facts(evidence: Evidence) -> list[str]:
    """Phrases such as `first to fail: rank 3 on node-7`; the most telling first."""
    said = [say_failure(evidence.first_failure)] if evidence.first_failure else []
    said += [
        f"Xid {xid.number}" + (f" at {xid.pci}" if xid.pci else "") for xid in evidence.xids[:3]
    ]
    if evidence.operation:
        said.append(evidence.operation.lower())
    if evidence.sequence is not None:
        said.append(f"sequence {evidence.sequence}")
    if evidence.timeout_ms:
        said.append(f"timeout {evidence.timeout_ms / 1000:g} s")
    if evidence.ranks:
        said.append(f"rank{'s' if len(evidence.ranks) > 1 else ''} {_list(evidence.ranks)}")
    if evidence.world_size:
        said.append(f"world size {evidence.world_size}")
    if evidence.hosts:
        said.append(_list(evidence.hosts))
    said += [f"signal {name}" for name in evidence.signals[:2]]
    said += [f"exit code {code}" for code in evidence.exit_codes[:2]]
    said += [f"{_NAMES.get(name, name)} {v}" for name, v in sorted(evidence.versions.items())]
    if evidence.gpu:
        said.append(evidence.gpu)
    if evidence.job_id:
        said.append(f"job {evidence.job_id}")
    return said


def say_failure(failure: RankFailure) -> str:
    """`first to fail: rank 3 on node-7`, as far as it is known."""
    who = f"rank {failure.rank}" if failure.rank is not None else "a rank"
    return f"first to fail: {who}" + (f" on {failure.host}" if failure.host else "")


def _list(values: tuple[object, ...]) -> str:
    shown = ", ".join(str(value) for value in values[:_MOST_NAMED])
    more = len(values) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def say_confidence(confidence: float) -> str:
    """Confidence in words."""
    if confidence >= 0.9:
        return "sure"
    return "likely" if confidence >= 0.7 else "a guess"
