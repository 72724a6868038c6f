"""Logs of any size for the speed figures, the same bytes for the same size.

`train` is a long healthy run on 8 ranks with one failure in the middle; `dense` is nothing but
failures, as the entries' own samples show them, between few healthy lines: the worst case.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from rules.entry import Entry

_RANKS = 8
FAILURE = """\
[rank3]:[E1130 21:23:57.318442 14694 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective \
operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, \
Timeout(ms)=600000) ran for 600026 milliseconds before timing out.
[rank3]:[E1130 21:23:57.318601 14694 ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank 3] \
failure detected by watchdog at work sequence id: 48211 PG status: last enqueued work: 48213, last \
completed work: 48210
[rank3]:[E1130 21:23:57.319002 14694 ProcessGroupNCCL.cpp:684] [Rank 3] Some NCCL operations have \
failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might \
run on corrupted/incomplete data.
"""
ANSWER = "pytorch/nccl-timeout-during-allreduce"
"""The entry that the training log deserves."""


def _clock(n: int) -> str:
    return f"2026-11-{1 + n // 86400 % 28:02} {n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}"


def _step(r: random.Random, n: int) -> str:
    loss, norm = 2 + 4 / (1 + n / 5000) + r.random() / 9, r.random() * 2
    return (
        f"[{_clock(n)}] iteration {n:8d}/ 1000000 | consumed samples: {n * 1024:12d} | elapsed time "
        f"per iteration (ms): {4000 + r.random() * 90:.1f} | throughput per GPU (TFLOP/s/GPU): "
        f"{400 + r.random() * 30:.1f} | learning rate: {3e-4:.6E} | global batch size:  1024 | lm loss: "
        f"{loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |"
    )


def _rank_step(r: random.Random, n: int) -> str:
    rank = r.randrange(_RANKS)
    return (
        f"[rank{rank}]: {_clock(n)},{r.randrange(1000):03} - INFO - trainer.loop - step {n} "
        f"loss {2 + r.random():.5f} lr 3.00e-04 tokens/s {90_000 + r.randrange(9000)} "
        f"mem {60 + r.random() * 9:.2f}GiB/80.00GiB data 0.{r.randrange(99):02}s"
    )


def _bar(r: random.Random, n: int) -> str:
    done = n % 100
    full = "█" * (done // 10)
    return f"\rEpoch {n // 100}: {done:3d}%|{full:10}| {done}/100 [00:{done % 60:02}<01:12,  1.21it/s, v_num=7]"


def _nccl(r: random.Random, n: int) -> str:
    rank, pid = r.randrange(_RANKS), 14000 + r.randrange(400)
    peer = (rank + 1) % _RANKS
    return (
        f"node-{rank // 4}:{pid}:{pid + 512} [{rank % 4}] NCCL INFO Channel {n % 16:02}/0 : {rank}[{rank}]"
        f" -> {peer}[{peer}] via P2P/CUMEM/read"
    )


def _loader(_r: random.Random, n: int) -> str:
    return (
        f"{_clock(n)},113 [INFO] dataset shard /data/tokens/part-{n % 4096:05}.bin opened, "
        f"{2048 * 4096} tokens, num_workers=8 pin_memory=True"
    )


def _checkpoint(_r: random.Random, n: int) -> str:
    return (
        f"{_clock(n)},007 [INFO] saved checkpoint /ckpt/run-7/iter_{n:07d} to 16 shards in 21.4 s"
    )


def _agent(_r: random.Random, n: int) -> str:
    return (
        f"W1130 21:23:57.318000 {14000 + n % 64} torch/distributed/run.py:874] Setting OMP_NUM_THREADS "
        "environment variable for each process to be 1 in default, to avoid your system being overloaded"
    )


_KINDS: tuple[tuple[int, Callable[[random.Random, int], str]], ...] = (
    (30, _step),
    (45, _rank_step),
    (10, _bar),
    (8, _nccl),
    (4, _loader),
    (2, _checkpoint),
    (1, _agent),
)


def healthy(lines: int, seed: int = 11) -> list[str]:
    """Lines of a run in which nothing goes wrong."""
    rng = random.Random(seed)
    makers = rng.choices([maker for _, maker in _KINDS], [weight for weight, _ in _KINDS], k=lines)
    return [maker(rng, number) for number, maker in enumerate(makers)]


def write_train(path: Path, size: int, failure: str = FAILURE) -> None:
    """A training log of about `size` bytes with `failure` in its middle."""
    block = ("\n".join(healthy(20_000)) + "\n").encode()
    half = max(1, size // 2)
    with path.open("wb") as file:
        for part in range(2):
            for start in range(0, half, len(block)):
                piece = block[: half - start]
                file.write(piece[: piece.rfind(b"\n") + 1])
            if part == 0:
                file.write(failure.encode())


def write_dense(path: Path, size: int, entries: Iterable[Entry]) -> None:
    """A log of about `size` bytes that is one failure after another."""
    block = "\n".join(_failures(entries)).encode() + b"\n"
    with path.open("wb") as file:
        for start in range(0, size, len(block)):
            file.write(block[: size - start])


def _failures(entries: Iterable[Entry]) -> Iterator[str]:
    calm = iter(healthy(20_000, seed=13))
    for entry in entries:
        for sample in entry.samples.match:
            yield next(calm)
            yield sample.text


def write_line(path: Path, size: int) -> None:
    """One line of about `size` bytes without a line feed, with the failure in its middle."""
    block = " ".join(healthy(20_000)).encode().replace(b"\r", b" ")
    half = max(1, size // 2)
    with path.open("wb") as file:
        for part in range(2):
            for start in range(0, half, len(block)):
                file.write(block[: half - start])
            if part == 0:
                file.write(b" " + FAILURE.replace("\n", " ").encode())
