"""The curve of minutes lost, as an SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sim.run import Told

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 40, 44
WINDOW = 80
_LOOK = 'font-family="system-ui, sans-serif" font-size="13" role="img"'
INK, LEARNS, NEVER = "#334155", "#0f766e", "#b45309"


def draw(told: Sequence[Told]) -> str:
    """Draw the mean minutes lost an incident, smoothed, of learning and of never learning."""
    curves = {
        "never learns": (NEVER, _smooth([each.stated for each in told])),
        "learns": (LEARNS, _smooth([each.learning for each in told])),
    }
    top = 5.0 * (1 + max(max(curve) for _, curve in curves.values()) // 5)
    count = len(told[0].learning)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {_LOOK}>',
        "<title>Minutes lost an incident against the best order, over the incidents seen</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 22, f"Minutes lost an incident against the best order (mean of {WINDOW})"),
    ]
    for step in range(5):
        value = top * step / 4
        y = _y(value, top)
        parts.append(
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#e2e8f0"/>'
        )
        parts.append(_text(LEFT - 8, y + 4, f"{value:g}", "end"))
    parts += [
        _text(_x(place, count), HEIGHT - 24, str(place), "middle")
        for place in range(0, count + 1, 100)
    ]
    parts.append(_text(_x(count / 2, count), HEIGHT - 6, "incidents", "middle"))
    for name, (colour, curve) in curves.items():
        points = " ".join(f"{_x(i, count):.1f},{_y(v, top):.1f}" for i, v in enumerate(curve))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        )
        end = _y(curve[-1], top) + 4
        parts.append(_text(WIDTH - RIGHT + 8, end, name, colour=colour))
    return "\n".join([*parts, "</svg>\n"])


def _smooth(runs: Sequence[Sequence[float]]) -> list[float]:
    mean = [sum(values) / len(values) for values in zip(*runs, strict=True)]
    smoothed = []
    for i in range(len(mean)):
        part = mean[max(0, i - WINDOW + 1) : i + 1]
        smoothed.append(sum(part) / len(part))
    # The first few are means of hardly anything.
    return [smoothed[min(len(smoothed) - 1, max(i, WINDOW // 4))] for i in range(len(smoothed))]


def _x(place: float, count: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * place / count


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _text(x: float, y: float, words: str, anchor: str = "start", colour: str = INK) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
