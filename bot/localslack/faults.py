"""Faults on demand: what a network and a busy server do to a call."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bot.localslack.model import Json

FaultKind = Literal["drop_answer", "reset", "http_500", "error", "delay", "ratelimited"]


@dataclass(slots=True)
class Fault:
    """What happens to the next `times` calls of a method that match.

    drop_answer: it takes effect and the connection ends without an answer; reset: no effect and
    no answer; http_500: no effect; error: `code` is answered; delay: it takes effect after
    `seconds` of the clock; ratelimited: 429 with Retry-After `seconds`.
    """

    method: str
    kind: FaultKind
    times: int = 1
    code: str = "internal_error"
    seconds: float = 1.0
    matches: Callable[[Json], bool] | None = None


@dataclass(slots=True)
class Faults:
    """The faults that wait to happen, first come first served."""

    waiting: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """Let it happen to coming calls."""
        self.waiting.append(fault)

    def take(self, method: str, args: Json) -> Fault | None:
        """Return the fault that hits this call."""
        for fault in self.waiting:
            if fault.method in {method, "*"} and (fault.matches is None or fault.matches(args)):
                fault.times -= 1
                if fault.times <= 0:
                    self.waiting.remove(fault)
                return fault
        return None
