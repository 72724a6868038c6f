"""A first column that log viewers put before every line: pod and container, host, service."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# stern and kubectl --prefix; pdsh, clush and DeepSpeed's pdsh runner; docker compose.
_POD = re.compile(
    r"(?P<host>[a-z0-9]{1,40}+(?:-[a-z0-9]{1,40}+){1,8}) (?P<rest>[a-z][a-z0-9-]{1,40}) "
)
_HOST = re.compile(r"(?P<host>[A-Za-z][\w.-]{0,80}+)(?P<rest>:) ")
_SERVICE = re.compile(r"(?P<host>[A-Za-z0-9][\w.-]{0,80}+) {1,40}(?P<rest>\|) ")
_FEWEST_LINES = 3
_SHARE = 0.8
_EXCEPTION = ("Error", "Exception", "Warning", "Interrupt")


def find_column(lines: Sequence[str]) -> re.Pattern[str] | None:
    """Find the expression that takes such a column off, where four lines in five have one.

    The names must repeat: a list of sentences that begin with different words has no column.
    """
    written = [line for line in lines if line.strip()]
    if len(written) < _FEWEST_LINES:
        return None
    for column in (_POD, _HOST, _SERVICE):
        if column.match(written[0]) and column.match(written[-1]) and _fits(column, written):
            return column
    return None


def _fits(column: re.Pattern[str], written: list[str]) -> bool:
    hits = [hit for line in written if (hit := column.match(line))]
    if len(hits) < max(_FEWEST_LINES, _SHARE * len(written)):
        return False
    names = Counter(hit["host"] for hit in hits)
    ends = Counter(hit["rest"] for hit in hits)
    return len(ends) == 1 and 2 * len(names) <= len(hits) and all(_is_name(name) for name in names)


def _is_name(name: str) -> bool:
    return ("-" in name or any(char.isdigit() for char in name)) and not name.endswith(_EXCEPTION)
