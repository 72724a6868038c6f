"""Settings and the job's id that a text shows."""

from __future__ import annotations

import re

_NAME = (
    r"(?:NCCL|TORCH|PYTORCH|CUDA|CUBLAS|GLOO|OMP|OMPI|UCX|FI|RAY|VLLM|NVIDIA|HSA|HIP|RCCL|TP|XLA|JAX|DS"
    r"|MASTER|WORLD|LOCAL|SLURM|TRITON|PYTHON|OFI|MKL|NVTE|MPI|TOKENIZERS|ACCELERATE|TF|SGLANG)"
    r"_[A-Z0-9_]{2,60}|RANK"
)
_SET = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<name>{_NAME})(?:\s?=\s?|['\"]\]\s?=\s?)"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`;)\]}<>]{1,160})"
)
_BY_NCCL = re.compile(rf"(?P<name>{_NAME}) set (?:by environment )?to (?P<value>[^\s\"'`]{{1,160}})")
# What PyTorch and CUDA advise in their messages is not what the poster set.
_ADVICE = re.compile(
    r"consider passing|try(?:ing)? setting|you can set|please set|rerun with|re-run with|run with|"
    r"Compile with|can enable|set(?:ting)? the environment variable|by setting|should i|"
    r"is it (?:ok|safe)|don't set|do not set",
    re.IGNORECASE,
)
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL|AUTH")
_WORLD = re.compile(
    r"world[_ ]size[\"']?\s?[=:(]?\s?[\"']?(\d{1,6})(?![\d.])|nranks (\d{1,6})\b", re.IGNORECASE
)
_LAUNCH = re.compile(r"--nn?odes?[ =](\d{1,5})\b|--nproc[_-]per[_-]node[ =](\d{1,4})\b")
_JOB = re.compile(
    r"SLURM_JOB_?ID[=: ]{1,3}(?P<a>\d{1,12})"
    r"|\*\*\* (?:JOB|STEP) (?P<b>\d{1,12})(?:\.\w{1,10})? ON "
    r"|StepId=(?P<c>\d{1,12})\.|\bJobI[dD]=(?P<d>\d{1,12})"
    r"|Submitted batch job (?P<e>\d{1,12})|\bslurm-(?P<f>\d{1,12})(?:_\d{1,6})?\.(?:out|err)"
    r"|(?P<g>raysubmit_\w{6,32})"
    r"|(?:job\.batch|pytorchjob(?:\.kubeflow\.org)?|mpijob|rayjob|jobset)/(?P<h>[a-z0-9][a-z0-9.-]{0,120})"
    r"|\bjob[-_]name[=:]\s?(?P<i>[a-z0-9][a-z0-9.-]{0,120})"
)


def read_environment(text: str) -> dict[str, str]:
    """Settings of communication, CUDA and launch as shown; the last one of a name wins."""
    found: dict[str, str] = {}
    if "=" not in text and " set " not in text:
        return found
    for rule in (_SET, _BY_NCCL):
        for match in rule.finditer(text):
            start = text.rfind("\n", max(0, match.start() - 200), match.start()) + 1
            before = text[max(start, match.start() - 200) : match.start()]
            if not _ADVICE.search(before) and not _SECRET.search(match["name"]):
                found[match["name"]] = match["value"].rstrip(".,:")
    return {name: value for name, value in found.items() if value}


def read_world_size(text: str, lowered: str) -> int | None:
    """Number of ranks: the largest stated, else nodes times processes of a launch command."""
    if "world" in lowered or "nranks" in lowered:
        sizes = [int(a or b) for a, b in _WORLD.findall(text)]
        if any(sizes):
            return max(sizes)
    if "--nproc" not in text:
        return None
    launched = _LAUNCH.findall(text)
    nodes = [int(nodes) for nodes, _ in launched if nodes]
    processes = [int(processes) for _, processes in launched if processes]
    return (nodes[0] if nodes else 1) * processes[0] if processes else None


def read_job_id(text: str, lowered: str) -> str | None:
    """Id of the Slurm job, Ray submission or Kubernetes job."""
    if "job" not in lowered and "slurm" not in lowered and "stepid" not in lowered:
        if "raysubmit_" not in text:
            return None
    match = _JOB.search(text)
    return None if match is None else match[match.lastgroup or 0]
