"""What the runs of the simulation came to, and the words and lines they are kept in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAR = 0.1
"""An order that takes at most a tenth longer than the oracle's is as good."""


OFTEN = 50
"""Incidents of one entry in a run that leave it votes enough to learn from."""


@dataclass
class Told:
    """What one run came to, incident by incident."""

    seed: int = 0
    learning: list[float] = field(default_factory=list)
    """Minutes lost against the oracle's order."""
    stated: list[float] = field(default_factory=list)
    """Minutes lost by who never learns, on the same incidents."""
    best: list[float] = field(default_factory=list)
    """Minutes that the oracle's order takes."""
    entries: list[str] = field(default_factory=list)
    """What failed."""
    votes: int = 0
    tries: int = 0

    @property
    def ratio(self) -> float:
        """Regret of learning by that of never learning."""
        return sum(self.learning) / sum(self.stated)

    def ratio_late(self, part: float = 0.25) -> float:
        """Do the same for the last part."""
        cut = int(len(self.learning) * (1.0 - part))
        return sum(self.learning[cut:]) / sum(self.stated[cut:])

    def is_near(self, lost: Sequence[float]) -> list[bool]:
        """Whether each incident's order was as good as the oracle's."""
        return [minutes <= NEAR * best for minutes, best in zip(lost, self.best, strict=True)]

    def list_near_often(self) -> list[bool]:
        """Do the same for the entries that failed often, in order of time."""
        times = Counter(self.entries)
        near = zip(self.entries, self.is_near(self.learning), strict=True)
        return [is_near for entry, is_near in near if times[entry] >= OFTEN]

    def write(self) -> str:
        """Write one JSON line."""
        return json.dumps(asdict(self))


def read(lines: Sequence[str]) -> list[Told]:
    """Read the runs kept in JSON lines; of two of one seed the later one."""
    found = {told.seed: told for told in (Told(**json.loads(line)) for line in lines if line)}
    return [found[seed] for seed in sorted(found)]


def summarise(name: str, told: Sequence[Told]) -> str:
    """Write the figures of some runs in a few lines."""
    learning, stated = ([v for t in told for v in getattr(t, k)] for k in ("learning", "stated"))
    cut = len(told[0].learning) // 4
    late = sum(sum(t.learning[-cut:]) for t in told) / sum(sum(t.stated[-cut:]) for t in told)
    parts = {"first": slice(None, cut), "last": slice(-cut, None)}
    near = {
        quarter: _share([is_near for t in told for is_near in t.is_near(t.learning)[part]])
        for quarter, part in parts.items()
    }
    often = [near for t in told for near in t.list_near_often()[-cut:]]
    never = _share([is_near for t in told for is_near in t.is_near(t.stated)])
    return (
        f"{name}: {sum(learning) / len(learning):.2f} minutes lost an incident, of "
        f"{sum(stated) / len(stated):.2f}: {sum(learning) / sum(stated):.2f}, in the last quarter "
        f"{late:.2f}; order as good as the oracle's in {near['first']:.0%} of the first quarter, "
        f"{near['last']:.0%} of the last ({_share(often):.0%} where an entry failed {OFTEN} times), "
        f"{never:.0%} without learning; "
        f"{sum(t.votes for t in told)} votes on {sum(t.tries for t in told)} tries"
    )


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
