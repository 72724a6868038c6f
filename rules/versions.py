"""Versions and the GPU model that a text states, in prose, logs and file names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.joined import Joined

_NAMES = {
    "pytorch": "pytorch",
    "torch": "pytorch",
    "nccl": "nccl",
    "cuda": "cuda",
    "python": "python",
    "vllm": "vllm",
    "deepspeed": "deepspeed",
    "transformers": "transformers",
    "megatron-core": "megatron",
    "megatron-lm": "megatron",
    "megatron_core": "megatron",
    "megatron": "megatron",
    "ray": "ray",
    "jax": "jax",
    "jaxlib": "jax",
    "flash-attn": "flash-attn",
    "flash_attn": "flash-attn",
    "flash-attention": "flash-attn",
    "accelerate": "accelerate",
    "lightning": "lightning",
    "pytorch-lightning": "lightning",
    "pytorch_lightning": "lightning",
    "sglang": "sglang",
    "trl": "trl",
    "xformers": "xformers",
    "triton": "triton",
    "transformer-engine": "transformer-engine",
    "transformer_engine": "transformer-engine",
    "cudnn": "cudnn",
    "tensorflow": "tensorflow",
    "slurm": "slurm",
    "kubernetes": "kubernetes",
    "k8s": "kubernetes",
    "ofed": "ofed",
}
_NAMED = re.compile(
    r"(?<![\w./-])(?<!build )(?<!compile )(?:nvidia-)?("
    + "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
    + r")(?:-cu\d\d)?(?:[ _-]?(?:runtime |release |toolkit )?version)?"
    r"[\"']?(?: \()?[ \t]{0,3}(?:[:=@~-]|[=~>]=|is )?[ \t\"']{0,3}v?"
    r"(\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}(?:\.?(?:dev|rc|post|a|b)\d{1,8})?)(?![\d%])"
    r"(?:\+cu(?:da)?(\d{1,2}\.\d{1,2}|\d{3}))?",
    re.IGNORECASE,
)
_CUDA = re.compile(
    r"(?:(?<![\w.])cu(?P<a>\d{1,2})(?P<b>\d)(?!\d)|cudaDriverVersion (?P<c>\d{1,2})0(?P<d>\d)0"
    r"|(?i:cuda used to build pytorch: )(?P<e>\d{1,2})\.(?P<f>\d{1,2}))"
)
_NCCL_CODE = re.compile(r"NCCL version (2)(\d\d)(\d\d)(?!\d)")
_DRIVER = re.compile(
    r"(?:driver(?: interface)?(?: version)?|kernel module(?: for \w{1,12})?)"
    r"[ \t]{0,3}[:=(]?[ \t]{0,3}v?(\d{3}(?:\.\d{2,3}){0,2})(?![\w.]*\d)",
    re.IGNORECASE,
)
_BARE_DRIVER = re.compile(r"(?<![\d.])([3-6]\d\d\.\d{2,3}\.\d\d)(?![\d.]*\d)")
_PYTHON_PATH = re.compile(r"python(3\.\d{1,2})(?=[/ ]|$)")
_GPU = re.compile(
    r"(?:(?<=\d[x×*])|(?<=[x×*] )|(?<![A-Za-z0-9_.:-]))(?:"
    r"(?P<chip>G?[BH](?:[123]00|800|20)|[AVP]100|A800|A10G?|A[34]0|T4|L40S?|L4|K80|MI[123]\d\dX?"
    r"|A[456]000)"
    r"|(?P<brand>RTX|GTX)[ _-]?(?P<number>(?:PRO |A)?\d{4})(?:[ _-]?(?P<suffix>(?i:Ti|Ada|Super))\b)?"
    r"|(?i:titan) ?(?P<titan>V|Xp|X|RTX)"
    r"|(?P<bare>[1-5]0[5-9]0)(?: ?(?P<ti>[Tt]i)\b|(?<=[x×*]....)|(?<=[x×*] ....)|(?=-| box| card| gpu))"
    r")(?!(?!s\b)[A-Za-z0-9_]|\.\d)"
)


def read_versions(post: Joined) -> dict[str, str]:
    """Product -> version, the first one stated; a local part such as `+cu121` becomes CUDA's."""
    found: dict[str, str] = {}
    built: list[str] = []
    for match in post.read("version", _NAMED):
        name, version, build = match.groups()
        found.setdefault(_NAMES[name.lower()], version)
        if build:
            built.append(build if "." in build else f"{build[:-1]}.{build[-1]}")
    for match in post.read("python", _PYTHON_PATH):
        found.setdefault("python", match[1])
    built += [".".join(filter(None, match.groups())) for match in post.read("cuda", _CUDA)]
    for match in post.read("cuda", _NCCL_CODE):
        found.setdefault("nccl", ".".join(str(int(part)) for part in match.groups()))
    if built:
        found.setdefault("cuda", built[0])
    for match in (*post.read("driver", _DRIVER), *_bare_drivers(post)):
        found.setdefault("driver", match[1])
    return found


def _bare_drivers(post: Joined) -> Iterator[re.Match[str]]:
    """Find a driver's number without the word, where the text is about GPUs."""
    if post.topics & {"gpu", "xid", "nvidia"}:
        yield from post.read("bare_driver", _BARE_DRIVER)


def read_gpu(post: Joined) -> str | None:
    """Name the first GPU model, as NVIDIA and AMD write it: `H100`, `RTX 4090`, `RTX 2080 Ti`."""
    match = post.read_first("gpu", _GPU)
    return None if match is None else _name_gpu(match)


def _name_gpu(match: re.Match[str]) -> str:
    if match["brand"]:
        suffix = match["suffix"]
        return " ".join(filter(None, (match["brand"], match["number"], suffix and suffix.title())))
    if match["titan"]:
        return f"TITAN {match['titan'].upper()}"
    if match["bare"]:
        brand = "GTX" if match["bare"].startswith("1") else "RTX"
        return f"{brand} {match['bare']}{' Ti' if match['ti'] else ''}"
    return match["chip"]
