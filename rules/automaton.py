"""Many literals as one Hyperscan automaton that several threads may use at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import hyperscan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Automaton:
    """The compiled `literals`; a match is told by the literal's number and its end.

    Hyperscan needs a scratch space for each scan under way, so each thread has its own.
    """

    def __init__(self, literals: Sequence[bytes], flags: int = 0) -> None:
        self._database: Any = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._own = threading.local()
        self._is_empty = not literals
        if literals:
            self._database.compile(
                expressions=list(literals),
                ids=list(range(len(literals))),
                elements=len(literals),
                flags=[flags] * len(literals),
                literal=True,
            )

    def scan(
        self, data: bytes | memoryview, note: Callable[[int, int, int, int, object], bool | None]
    ) -> bool:
        """Call `note` for each match, in order of its end; true if it returned true to stop."""
        if self._is_empty or not data:
            return False
        scratch = getattr(self._own, "scratch", None)
        if scratch is None:
            scratch = self._own.scratch = hyperscan.Scratch(self._database)
        try:
            self._database.scan(data, match_event_handler=note, scratch=scratch)
        except hyperscan.ScanTerminated:
            return True
        return False
