"""Small charts as SVG, without a library."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_COLOURS = ("#1f5fa8", "#c8502d", "#3a8a5c", "#8a5aa8", "#7a7a2c")


@dataclass(frozen=True)
class Series:
    """A line, or dots."""

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    dots: bool = False


@dataclass(frozen=True)
class Panel:
    """A chart. Series of one name have one colour."""

    title: str
    x: str
    y: str
    series: list[Series]


def _ticks(low: float, high: float) -> list[float]:
    span = high - low
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= 5)
    first = math.ceil(low / step - 1e-9) * step
    return [first + at * step for at in range(int((high - first) / step + 1e-9) + 1)]


def _range(values: list[NDArray[np.float64]]) -> tuple[float, float]:
    every = np.concatenate(values) if values else np.zeros(1)
    every = every[np.isfinite(every)]
    low, high = (float(min(every.min(), 0.0)), float(max(every.max(), 0.0))) if len(every) else (0.0, 1.0)
    return (low, high) if high > low else (low, low + 1.0)


def _panel(panel: Panel, left: float, wide: float, high: float) -> str:
    x0, x1 = _range([s.x for s in panel.series])
    y0, y1 = _range([s.y for s in panel.series])

    def at_x(v: float) -> float:
        return left + 58 + (v - x0) / (x1 - x0) * (wide - 74)

    def at_y(v: float) -> float:
        return high - 40 - (v - y0) / (y1 - y0) * (high - 72)

    parts = [f'<text x="{left + 58:.1f}" y="18" font-weight="600">{html.escape(panel.title)}</text>']
    for tick in _ticks(x0, x1):
        x = at_x(tick)
        parts.append(f'<path d="M{x:.1f} {at_y(y0):.1f}V{at_y(y1):.1f}" stroke="#8884" fill="none"/>')
        parts.append(f'<text x="{x:.1f}" y="{high - 24:.1f}" text-anchor="middle">{tick:.4g}</text>')
    for tick in _ticks(y0, y1):
        y = at_y(tick)
        parts.append(f'<path d="M{at_x(x0):.1f} {y:.1f}H{at_x(x1):.1f}" stroke="#8884" fill="none"/>')
        parts.append(f'<text x="{left + 52:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    parts.append(f'<text x="{at_x(x1):.1f}" y="{high - 8:.1f}" text-anchor="end">{html.escape(panel.x)}</text>')
    parts.append(f'<text x="{left + wide - 16:.1f}" y="18" text-anchor="end">{html.escape(panel.y)}</text>')
    names = list(dict.fromkeys(s.name for s in panel.series))
    for s in panel.series:
        colour = _COLOURS[names.index(s.name) % len(_COLOURS)]
        points = [(at_x(x), at_y(y)) for x, y in zip(s.x, s.y, strict=True) if math.isfinite(x) and math.isfinite(y)]
        if s.dots:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in points]
        elif points:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            parts.append(f'<path d="M{path}" stroke="{colour}" stroke-width="1.6" fill="none"/>')
    if len(names) > 1:
        for at, name in enumerate(names):
            colour = _COLOURS[at % len(_COLOURS)]
            parts.append(f'<text x="{left + 66:.1f}" y="{38 + 15 * at}" fill="{colour}">{html.escape(name)}</text>')
    return "".join(parts)


def page(panels: list[Panel], *, wide: float = 300.0, high: float = 240.0) -> str:
    """Charts side by side."""
    body = "".join(_panel(panel, at * wide, wide, high) for at, panel in enumerate(panels))
    size = f'width="{wide * max(len(panels), 1):.0f}" height="{high:.0f}"'
    style = 'font-family="sans-serif" font-size="11" fill="currentColor"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{body}</svg>'
