"""The curves of minutes lost and of orders as good as the oracle's, as an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sim.told import Told

WIDTH, HEIGHT = 990, 340
PANEL = 330
LEFTS = (52, 560)
TOP, BOTTOM = 52, 48
WINDOW = 80
TICKS = 4
LINE = 16


@dataclass(frozen=True)
class Look:
    """Colours on one kind of page."""

    paper: str
    ink: str
    grid: str
    learns: str
    never: str


LIGHT = Look("#ffffff", "#334155", "#e2e8f0", "#0f766e", "#b45309")
DARK = Look("#0d1117", "#cbd5e1", "#30363d", "#2dd4bf", "#fbbf24")


@dataclass(frozen=True)
class Panel:
    """One pair of curves: of learning, and of never learning."""

    left: int
    title: str
    learns: list[float]
    never: list[float]
    top: float
    count: int
    """Incidents; a curve begins once there is a whole window of them."""
    unit: str = ""

    def x(self, place: float) -> float:
        return self.left + PANEL * place / self.count

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.top


def draw(told: Sequence[Told], look: Look = LIGHT) -> str:
    """Draw the means over all runs, smoothed over the last incidents."""
    lost, never = (_smooth([getattr(t, k) for t in told]) for k in ("learning", "stated"))
    near = [[100.0 * flag for flag in t.is_near(t.learning)] for t in told]
    still = [[100.0 * flag for flag in t.is_near(t.stated)] for t in told]
    count = len(told[0].learning)
    top = 4.0 * (1 + max(*lost, *never) // 4)
    panels = (
        Panel(LEFTS[0], f"Minutes lost an incident against the best order (last {WINDOW})", lost, never, top, count),
        Panel(LEFTS[1], "Incidents answered in an order as good as the best",
              _smooth(near), _smooth(still), 100.0, count, " %"),
    )  # fmt: skip
    look_of_text = 'font-family="system-ui, sans-serif" font-size="13" role="img"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {look_of_text}>',
        "<title>What learning saves, over the incidents seen</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{look.paper}"/>',
    ]
    for panel in panels:
        parts += _draw_panel(panel, look)
    return "\n".join([*parts, "</svg>\n"])


def _draw_panel(panel: Panel, look: Look) -> list[str]:
    parts = [_text(panel.left, 24, panel.title, look.ink)]
    for step in range(TICKS + 1):
        value = panel.top * step / TICKS
        y, right = panel.y(value), panel.left + PANEL
        parts.append(
            f'<line x1="{panel.left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{look.grid}"/>'
        )
        parts.append(_text(panel.left - 8, y + 4, f"{value:g}{panel.unit}", look.ink, "end"))
    parts += [
        _text(panel.x(place), HEIGHT - 28, str(place), look.ink, "middle")
        for place in range(0, panel.count + 1, max(1, panel.count // 5))
    ]
    parts.append(_text(panel.left + PANEL / 2, HEIGHT - 8, "incidents", look.ink, "middle"))
    curves = [("never learns", look.never, panel.never), ("learns", look.learns, panel.learns)]
    last = -HEIGHT
    for name, colour, curve in sorted(curves, key=lambda each: -each[2][-1]):
        first = panel.count - len(curve)
        points = " ".join(
            f"{panel.x(first + i):.1f},{panel.y(v):.1f}" for i, v in enumerate(curve, 1)
        )
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        )
        last = max(panel.y(curve[-1]), last + LINE)
        parts.append(_text(panel.left + PANEL + 6, last + 4, name, colour))
    return parts


def _smooth(runs: Sequence[Sequence[float]]) -> list[float]:
    """Give the mean over runs and over a window of incidents."""
    mean = [sum(values) / len(values) for values in zip(*runs, strict=True)]
    window = min(WINDOW, len(mean))
    sums = [0.0]
    for value in mean:
        sums.append(sums[-1] + value)
    return [(b - a) / window for a, b in zip(sums, sums[window:], strict=False)]


def _text(x: float, y: float, words: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
