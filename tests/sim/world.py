"""A made-up workspace's failures: shipped entries with hidden true rates, and people who try steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations
from string import ascii_lowercase
from typing import TYPE_CHECKING

import yaml

from rules.diagnose import diagnose
from rules.entry import Entry, Risk, StepKind, Verification
from rules.load import KnowledgeBase, shipped
from rules.model import DiagnosisKind
from rules.rank import GIVE_UP, RISKS, worth
from tests.stats.world import expect_minutes, make_entry

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from rules.entry import Workaround
    from tests.sim.told import Told

VOTE_RATE = 0.15
"""Chance that somebody votes on a step they tried."""
COMMON = 0.8
"""Part of the incidents that a fifth of the entries makes up: few causes, most failures."""
HOURS_APART = 8.0
"""Three incidents a day, so that the caps a day and a person do not bind by themselves."""
PEOPLE = 150
START = 1_796_083_200.0
BIAS, JUNK, SCATTER = 0.15, 0.2, 4.0
"""As in docs/learning.md: stated rates too high, useless steps, spread of true ones in incidents."""


@dataclass(frozen=True)
class Try:
    """A step that somebody tried."""

    step: str
    worked: bool
    voted: bool


@dataclass(frozen=True)
class Failure:
    """An entry with the truth about its steps."""

    entry: Entry
    text: str
    """A post that the entry answers."""
    true: dict[str, float]

    @cached_property
    def fixes(self) -> tuple[Workaround, ...]:
        """The steps that repair; evidence comes first in any order and is left out."""
        return tuple(step for step in self.entry.workarounds if step.kind is StepKind.FIX)

    def expect(self, order: Sequence[str]) -> float:
        """Expected minutes to a fix or to the end of an unsolved case, in a given order."""
        place = {step.id: i for i, step in enumerate(self.fixes)}
        true = [self.true[step.id] for step in self.fixes]
        minutes = [float(step.minutes) for step in self.fixes]
        return expect_minutes([place[step] for step in order if step in place], true, minutes)

    @cached_property
    def stated_order(self) -> list[str]:
        """The order of somebody who never learns."""
        return self._sort({step.id: step.success_rate for step in self.fixes})

    @cached_property
    def best_order(self) -> list[str]:
        """The oracle's order: the index with the true rates, inside the classes of risk."""
        return self._sort(self.true)

    def note(self, order: Sequence[str], told: Told) -> None:
        """Note what an order costs, beside the oracle's and that of who never learns."""
        told.entries.append(self.entry.id)
        best = self.expect(self.best_order)
        told.best.append(best)
        told.learning.append(self.expect(order) - best)
        told.stated.append(self.expect(self.stated_order) - best)

    def try_out(
        self, order: Sequence[str], rng: random.Random, vote_rate: float, told: Told
    ) -> list[Try]:
        """Try repairs in an order until one works or the person gives up."""
        fixes = {step.id for step in self.fixes}
        tries: list[Try] = []
        for step in (step for step in order if step in fixes):
            worked = rng.random() < self.true[step]
            tries.append(Try(step, worked, voted=rng.random() < vote_rate))
            if worked or rng.random() < GIVE_UP:
                break
        told.tries += len(tries)
        told.votes += sum(each.voted for each in tries)
        return tries

    def _sort(self, rates: dict[str, float]) -> list[str]:
        def key(step: Workaround) -> tuple[int, float]:
            return RISKS.index(step.risk), -worth(rates[step.id], step.minutes)

        return [step.id for step in sorted(self.fixes, key=key)]


def weigh_failures(failures: Sequence[Failure]) -> list[float]:
    """Give each failure its share of the incidents: a fifth of them makes up four fifths."""
    common = max(1, len(failures) // 5)
    shares = (COMMON / common, (1.0 - COMMON) / (len(failures) - common))
    return [shares[place >= common] for place in range(len(failures))]


def make_failures(rng: random.Random, count: int) -> list[Failure]:
    """Draw made-up entries and the truth about each, the same whatever the knowledge base has."""
    failures = []
    for name in rng.sample([a + b for a, b in permutations(ascii_lowercase, 2)], count):
        steps = [
            {"id": f"s{place}", "do": f"Do {name} {place}", "success_rate": rng.uniform(0.4, 0.95),
             "minutes": rng.choice([5, 10, 15, 30, 60])}
            for place in range(rng.randint(3, 5))
        ]  # fmt: skip
        text = f"RuntimeError: the {name}x exchange never came back"
        entry = make_entry(
            name=f"made/{name}",
            signatures=[{"text": f"the {name}x exchange never came back"}],
            samples={"match": [{"text": text}]},
            workarounds=steps,
        )
        true = {step.id: _draw_truth(rng, step.success_rate) for step in entry.workarounds}
        failures.append(Failure(entry, text, true))
    return failures


def draw_failures(rng: random.Random, count: int) -> list[Failure]:
    """Draw shipped entries with at least three repairs in one class, and the truth about each.

    They are taken for entries that nobody checked, as true rates so far from stated ones deserve.
    """
    chosen: list[Failure] = []
    candidates = list(islice(_read_entries(rng), 4 * count))
    base = KnowledgeBase({entry.id: entry for entry in candidates}, "simulated")
    for entry in candidates:
        text = _find_text(entry, base) if len(chosen) < count else None
        if text is not None:
            true = {step.id: _draw_truth(rng, step.success_rate) for step in entry.workarounds}
            chosen.append(Failure(entry, text, true))
    assert len(chosen) == count
    return chosen


def _draw_truth(rng: random.Random, stated: float) -> float:
    mean = max(0.05, stated - BIAS)
    true = rng.betavariate(SCATTER * mean, SCATTER * (1.0 - mean))
    return 0.05 if rng.random() < JUNK else true


def _read_entries(rng: random.Random) -> Iterator[Entry]:
    paths = sorted(shipped().glob("*/*.yaml"))
    for path in rng.sample(paths, len(paths)):
        entry = Entry.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
        entry = entry.model_copy(update={"verification": Verification.AI_GENERATED})
        free = [s for s in entry.workarounds if s.kind is StepKind.FIX and s.risk is Risk.NONE]
        if len(free) >= 3 and entry.scope != "cluster" and not entry.retired:
            yield entry


def _find_text(entry: Entry, base: KnowledgeBase) -> str | None:
    """Find a sample of the entry that the bot answers with all its repairs, none tried already."""
    for sample in entry.samples.match:
        text = f"```{sample.text}```"
        found = diagnose(text, base, slack=True)
        if found.kind is DiagnosisKind.ANSWER and found.entry == entry and found.advice:
            steps = found.advice.steps
            if len(steps) == len(entry.workarounds) and not any(s.tried for s in steps):
                return text
    return None
