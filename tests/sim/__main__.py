"""The whole simulation over the wire: `python -m tests.sim`; one to two minutes a seed.

Prints the figures and draws docs/images/regret-light.svg and regret-dark.svg. Seeds can be run one
by one: `--keep FILE` adds each run to a file, and figures and pictures are of all runs in it.
`--alone N` runs N seeds through the rules alone, without the wire, and draws nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path

import structlog

from tests.sim.alone import live_alone
from tests.sim.draw import DARK, LIGHT, draw
from tests.sim.run import live
from tests.sim.told import Told, read, summarise
from tests.sim.world import VOTE_RATE

INCIDENTS, ENTRIES, SEEDS = 500, 20, 8
PICTURES = Path(__file__).parents[2] / "docs" / "images"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def run_seed(seed: int, vote_rate: float) -> Told:
    with tempfile.TemporaryDirectory() as folder:
        return await live(
            Path(folder), seed=seed, incidents=INCIDENTS, entries=ENTRIES, vote_rate=vote_rate
        )


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED", help=f"1 to {SEEDS}")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="JSON lines of runs")
    parser.add_argument("--alone", type=int, metavar="N", help="N seeds, without the wire")
    parser.add_argument("--vote-rate", type=float, default=VOTE_RATE, metavar="SHARE")
    chosen = parser.parse_args()
    if chosen.alone:
        run_alone(chosen.alone, chosen.vote_rate)
    else:
        run_wire(chosen.seeds or range(1, SEEDS + 1), chosen.vote_rate, chosen.keep)


def run_wire(seeds: list[int] | range, vote_rate: float, keep: Path | None) -> None:
    lines = keep.read_text(encoding="utf-8").splitlines() if keep and keep.exists() else []
    for seed in seeds:
        told = asyncio.run(run_seed(seed, vote_rate))
        lines.append(told.write())
        say(summarise(f"seed {seed}", [told]))
        if keep:
            keep.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    runs = read(lines)
    say(summarise(f"{len(runs)} seeds", runs))
    for name, look in (("light", LIGHT), ("dark", DARK)):
        (PICTURES / f"regret-{name}.svg").write_text(draw(runs, look), encoding="utf-8")


def run_alone(seeds: int, vote_rate: float) -> None:
    told = [
        live_alone(seed=seed, incidents=INCIDENTS, entries=ENTRIES, vote_rate=vote_rate)
        for seed in range(1, seeds + 1)
    ]
    ratios = sorted(each.ratio for each in told)
    say(summarise(f"{seeds} seeds alone", told))
    say(f"seed by seed: {ratios[0]:.2f} to {ratios[-1]:.2f}, median {ratios[seeds // 2]:.2f}")


if __name__ == "__main__":
    main()
