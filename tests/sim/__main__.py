"""The whole simulation over the wire: `python -m tests.sim [SEEDS]`; two minutes a seed.

Prints the figures and draws docs/images/regret.svg.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from pathlib import Path

import structlog

from tests.sim.draw import draw
from tests.sim.run import Told, live

INCIDENTS, ENTRIES, SEEDS = 500, 20, 4
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "regret.svg"


async def run_seed(seed: int) -> Told:
    with tempfile.TemporaryDirectory() as folder:
        return await live(Path(folder), seed=seed, incidents=INCIDENTS, entries=ENTRIES)


def say(name: str, told: list[Told]) -> None:
    learning = sum(sum(each.learning) for each in told)
    stated = sum(sum(each.stated) for each in told)
    cut = INCIDENTS * 3 // 4
    late = sum(sum(each.learning[cut:]) for each in told)
    late_stated = sum(sum(each.stated[cut:]) for each in told)
    count = sum(len(each.learning) for each in told)
    first, last = (
        sum(sum(each.agrees[part]) for each in told) / (len(told) * (INCIDENTS // 4))
        for part in (slice(None, INCIDENTS // 4), slice(cut, None))
    )
    sys.stdout.write(
        f"{name}: regret {learning / count:.2f} min of {stated / count:.2f}, "
        f"ratio {learning / stated:.2f}, last quarter {late / late_stated:.2f}; order within a "
        f"tenth of the oracle's: first quarter {first:.0%}, last {last:.0%}; "
        f"{sum(each.votes for each in told)} votes on {sum(each.tries for each in told)} tries\n"
    )
    sys.stdout.flush()


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    told = []
    for seed in range(1, seeds + 1):
        told.append(asyncio.run(run_seed(seed)))
        say(f"seed {seed}", told[-1:])
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(draw(told), encoding="utf-8")
    say("all", told)


if __name__ == "__main__":
    main()
