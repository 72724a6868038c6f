"""Settings and the job's id that a text shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.joined import Joined

_NAME = (
    r"(?:NCCL|TORCH|PYTORCH|CUDA|CUBLAS|GLOO|OMP|OMPI|UCX|FI|RAY|VLLM|NVIDIA|HSA|HIP|RCCL|TP|XLA|JAX|DS"
    r"|MASTER|WORLD|LOCAL|SLURM|TRITON|PYTHON|OFI|MKL|NVTE|MPI|TOKENIZERS|ACCELERATE|TF|SGLANG)"
    r"_[A-Z0-9_]{2,60}|RANK"
)
_SET = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<name>{_NAME})(?:['\"]\])?(?:\s?=\s?| set (?:by environment )?to )"
    r"[\"'`]?(?P<value>[^\s\"'`;)\]}<>]{1,160})"
)
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
_NODES = re.compile(r"--nnodes[ =](\d{1,5})\b")
_PROCESSES = re.compile(r"--nproc[_-]per[_-]node[ =](\d{1,4})\b")
_JOB = re.compile(
    r"SLURM_JOB_?ID[=: ]{1,3}(?P<a>\d{1,12})"
    r"|\*\*\* (?:JOB|STEP) (?P<b>\d{1,12})(?:\.\w{1,10})? ON "
    r"|StepId=(?P<c>\d{1,12})\.|JobI[dD]=(?P<d>\d{1,12})"
    r"|Submitted batch job (?P<e>\d{1,12})|slurm-(?P<f>\d{1,12})(?:_\d{1,6})?\.(?:out|err)"
    r"|(?P<g>raysubmit_\w{6,32})"
    r"|(?:job(?:\.batch|\.kubeflow\.org)?|jobset)/(?P<h>[a-z0-9][a-z0-9.-]{0,120})"
    r"|job[-_]name[=:]\s?(?P<i>[a-z0-9][a-z0-9.-]{0,120})"
)


def read_environment(post: Joined) -> dict[str, str]:
    """Read settings of communication, CUDA and launch as shown; the last one of a name wins."""
    found: dict[str, str] = {}
    for match in post.read("set", _SET):
        begin = max(0, match.start() - 200)
        before = post.text[begin : match.start()].rpartition("\n")[2]
        value = match["value"].rstrip(".,:")
        if value and not _ADVICE.search(before) and not _SECRET.search(match["name"]):
            found[match["name"]] = value
    return found


def read_world_size(post: Joined) -> int | None:
    """Read the number of ranks: the largest stated, else nodes times processes of a launch command."""
    sizes = [int(match[1] or match[2]) for match in post.read("world", _WORLD)]
    if any(sizes):
        return max(sizes)
    processes = post.read_first("world", _PROCESSES)
    if processes is None:
        return None
    nodes = _NODES.search(post.text)
    return int(processes[1]) * (int(nodes[1]) if nodes else 1)


def read_job_id(post: Joined) -> str | None:
    """Id of the Slurm job, Ray submission or Kubernetes job."""
    match = post.read_first("job", _JOB)
    return None if match is None else match[match.lastgroup or 0]
