"""What happens to an error on its way into a chat, as functions from a text to a text.

Each takes the random generator first, so that a run with one seed is the same run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

Mutation = Callable[[random.Random, str, int], str]
"""(generator, text, number of the deciding line from 1) -> text."""

_SPARED = re.compile(
    r"\S*\d\S*|OpType=\w+|\b_?ALL_?[A-Z_]+\b|\bBROADCAST\b|\bREDUCE\w*\b|\bSEND\b|\bRECV\b"
)


def wrap(rng: random.Random, text: str, _line: int) -> str:
    """Hard wrap at one random column, also inside words."""
    column = rng.randrange(40, 140)
    return "\n".join(
        line[start : start + column]
        for line in text.splitlines()
        for start in range(0, max(1, len(line)), column)
    )


def misspell(rng: random.Random, text: str, _line: int) -> str:
    """Change 3 % of the letters; words with digits and operation names are spared."""
    out = list(text)
    spared = {i for found in _SPARED.finditer(text) for i in range(*found.span())}
    for index, char in enumerate(text):
        if not char.isascii() or not char.isalpha() or index in spared or rng.random() >= 0.03:
            continue
        kind = rng.randrange(4)
        letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
        if kind == 0:
            out[index] = letter
        elif kind == 1:
            out[index] = ""
        elif kind == 2:
            out[index] = char + letter
        elif index + 1 < len(text) and text[index + 1].isalpha() and index + 1 not in spared:
            out[index], out[index + 1] = out[index + 1], out[index]
    return "".join(out)


def _prefixed(style: Callable[[random.Random, int], str]) -> Mutation:
    def prefix(rng: random.Random, text: str, _line: int) -> str:
        seed = rng.randrange(1 << 30)
        return "\n".join(
            style(random.Random(seed), number) + line
            for number, line in enumerate(text.splitlines())
        )

    return prefix


PREFIXES: Mapping[str, Callable[[random.Random, int], str]] = {
    "rank": lambda r, n: f"[rank{r.randrange(8)}]: ",
    "default": lambda r, n: f"[default{r.randrange(8)}]:",
    "iso": lambda r, n: f"2026-03-0{r.randrange(1, 9)}T12:{n % 60:02}:07.{r.randrange(999):03}Z ",
    "logging": lambda r, n: f"2026-03-01 12:{n % 60:02}:07,{r.randrange(999):03} - ERROR - trainer - ",
    "srun": lambda r, n: f"{r.randrange(16)}: ",
    "mpi": lambda r, n: f"[1,{r.randrange(8)}]<stderr>:",
    "ray": lambda r, n: f"(TrainWorker pid={r.randrange(1000, 99999)}, ip=10.0.0.{r.randrange(250)}) ",
    "kubectl": lambda r, n: f"trainer-worker-{r.randrange(4)} pytorch ",
    "compose": lambda r, n: f"trainer-{r.randrange(4)}  | ",
    "journal": lambda r, n: f"Mar 01 12:{n % 60:02}:07 node-a python[{r.randrange(1000, 9999)}]: ",
    "cloudwatch": lambda r, n: f"2026-03-01T12:{n % 60:02}:07.000Z algo-{r.randrange(4)} ",
    "vllm": lambda r, n: f"(EngineCore_0 pid={r.randrange(9999)}) ERROR 03-01 12:{n % 60:02}:07 [core.py:700] ",
}  # fmt: skip


def colour(rng: random.Random, text: str, _line: int) -> str:
    """ANSI colours round words, with the ESC byte or without."""
    escape = rng.choice(["\x1b", "\x1b", "^[", ""])
    codes = [f"{escape}[{n}m" for n in (31, 1, 36)]

    def paint(found: re.Match[str]) -> str:
        return f"{rng.choice(codes)}{found[0]}{escape}[0m" if rng.random() < 0.2 else found[0]

    return re.sub(r"[A-Za-z]{4,}", paint, text)


def encode(_rng: random.Random, text: str, _line: int) -> str:
    """As Slack sends it; file names become links."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"(?<![\w/.])(\w+\.(?:py|sh|md))\b", r"<http://\1|\1>", escaped)


def interleave(rng: random.Random, text: str, _line: int) -> str:
    """Two ranks print the same lines, each with its prefix, one after the other at random."""
    lines = text.splitlines()
    queues = {0: list(lines), 1: list(lines)}
    out = []
    while queues[0] or queues[1]:
        rank = rng.choice([r for r in (0, 1) if queues[r]])
        out.append(f"[rank{rank}]: {queues[rank].pop(0)}")
    return "\n".join(out)


def lower(_rng: random.Random, text: str, _line: int) -> str:
    """All in lower case."""
    return text.lower()


def cut(rng: random.Random, text: str, line: int) -> str:
    """Up to a quarter of the lines is cut off at either end, never the deciding line."""
    lines = text.splitlines()
    most = len(lines) // 4
    if not most:
        return text
    count = rng.randint(1, most)
    if rng.random() < 0.5:
        return "\n".join(lines[min(count, max(0, line - 1)) :])
    return "\n".join(lines[: max(line, len(lines) - count)])


MUTATIONS: Mapping[str, Mutation] = {
    "wrap": wrap,
    "typos": misspell,
    **{f"prefix {name}": _prefixed(style) for name, style in PREFIXES.items()},
    "ansi": colour,
    "slack": encode,
    "interleave": interleave,
    "lower": lower,
    "cut": cut,
}
