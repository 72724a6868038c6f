"""Plain tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | int | float


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], note: str = "") -> None:
    """Print one table; the first column is for names, the others are set to the right."""
    text = [list(head), *([_say(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in text) for i in range(len(head))]
    print(f"\n{title}")
    for row in text:
        first, *others = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join([first, *others]).rstrip())
    if note:
        print(f"  ({note})")


def _say(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    return str(cell)
