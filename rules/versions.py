"""Versions and the GPU model that a text states, in prose, logs and file names."""

from __future__ import annotations

import re

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
    r"(?<![\w./-])(?:nvidia-)?("
    + "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
    + r")(?:-cu\d\d)?(?:[ _-]?(?:runtime |release |toolkit )?version)?"
    r"[ \t]{0,3}(?:[:=@(~-]|[=~>]=|is )?[ \t\"']{0,3}v?"
    r"(\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}(?:\.?(?:dev|rc|post|a|b)\d{1,8})?)(?![\d%])"
    r"(?:\+cu(?:da)?(\d{1,2}\.\d{1,2}|\d{3}))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d\.\d")
_BUILD = re.compile(r"(?<![\w.])cu(1[0-3]\d|9[012])(?!\d)")
_CUDA_BUILT = re.compile(r"cuda used to build pytorch: (\d{1,2}\.\d{1,2})", re.IGNORECASE)
_CUDA_DRIVER = re.compile(r"cudaDriverVersion (\d{1,2})0(\d)0")
_NCCL_CODE = re.compile(r"NCCL version (2)(\d\d)(\d\d)(?!\d)")
_DRIVER = re.compile(
    r"(?:driver(?: interface)?(?: version)?|kernel module(?: for \w{1,12})?)"
    r"[ \t]{0,3}[:=(]?[ \t]{0,3}v?(\d{3}(?:\.\d{2,3}){0,2})(?![\w.]*\d)",
    re.IGNORECASE,
)
_BARE_DRIVER = re.compile(r"(?<![\d.])([3-6]\d\d\.\d{2,3}\.\d\d)(?![\d.]*\d)")
_PYTHON_PATH = re.compile(r"python(3\.\d{1,2})(?=[/ ]|$)")
_GPU = re.compile(
    r"(?<![A-Za-z0-9_-])(?:(G?[BH](?:[123]00|800|20)|[AVP]100|A800|A10G?|A[34]0|T4|L40S?|L4|K80|MI[123]\d\dX?)"
    r"|(RTX|GTX)[ _-]?((?:PRO |A)?\d{4})(?:[ _-]?(Ti|Ada|Super)\b)?"
    r"|(A[456]000)|(?i:(titan) ?(V|Xp|X|RTX)))(?![A-Za-z0-9_])"
    r"|(?<![\w.:-])(?:\d{1,2} ?[x×*] ?)?([1-5]0[5-9]0)(?: ?(Ti)\b|(?=s\b|-| box| card| gpu))"
    r"|(?<![\w.:])\d{1,2} ?[x×*] ?([1-5]0[5-9]0|[HAVBLPT]\d{1,3}0?S?)\b"
)


def read_versions(text: str, lowered: str) -> dict[str, str]:
    """Product -> version, the first one stated; a local part such as `+cu121` becomes CUDA's."""
    found: dict[str, str] = {}
    built: list[str] = []
    if _NUMBER.search(text):
        for name, version, build in _NAMED.findall(text):
            found.setdefault(_NAMES[name.lower()], version)
            if build:
                built.append(build if "." in build else f"{build[:-1]}.{build[-1]}")
        if "cuda used to build" in lowered and (match := _CUDA_BUILT.search(text)):
            found["cuda"] = match[1]
    if "python3." in text and "python" not in found and (match := _PYTHON_PATH.search(text)):
        found["python"] = match[1]
    if "cu1" in text and (match := _BUILD.search(text)):
        built.append(f"{match[1][:-1]}.{match[1][-1]}")
    if "NCCL version 2" in text and "nccl" not in found and (match := _NCCL_CODE.search(text)):
        found["nccl"] = ".".join(str(int(part)) for part in match.groups())
    if "cudaDriverVersion" in text and (match := _CUDA_DRIVER.search(text)):
        built.append(f"{match[1]}.{match[2]}")
    if built:
        found.setdefault("cuda", built[0])
    driver = _read_driver(text, lowered)
    if driver:
        found["driver"] = driver
    return found


def _read_driver(text: str, lowered: str) -> str | None:
    if ("driver" in lowered or "kernel module" in lowered) and (match := _DRIVER.search(text)):
        return match[1]
    if ("xid" in lowered or "nvidia" in lowered) and (match := _BARE_DRIVER.search(text)):
        return match[1]
    return None


def read_gpu(text: str) -> str | None:
    """The first GPU model named, as NVIDIA and AMD write it: `H100`, `RTX 4090`, `RTX 2080 Ti`."""
    match = _GPU.search(text)
    if match is None:
        return None
    chip, brand, number, suffix, pro, titan, kind, bare, bare_suffix, counted = match.groups()
    if brand:
        return " ".join(filter(None, (brand, number, suffix and suffix.title())))
    if titan:
        return f"TITAN {kind.upper()}"
    model = chip or pro or bare or counted
    if model.isdigit():
        brand = "GTX" if model.startswith("1") else "RTX"
        return " ".join(filter(None, (brand, model, bare_suffix and "Ti")))
    return str(model)
