"""SVG charts of a report, which scale with the page. Colours are CSS classes, so light and dark are the page's.

Every mark carries a `<title>`, which browsers show on hover and readers read out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.core.plurals import counted
from anytile.show.figures import digits
from anytile.show.report.markup import Markup, el, join
from anytile.show.report.scales import Scale, nice_ticks, power_ticks, spread

WIDTH, HEIGHT = 760, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 110, 26, 40


@dataclass(frozen=True, slots=True)
class Series:
    """One line: points by x, and the CSS class of its colour."""

    name: str
    points: tuple[tuple[float, float], ...]
    style: str


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the x axis with a name: which kernel runs there."""

    low: float
    high: float | None
    name: str
    style: str


def size_chart(series: Sequence[Series], bands: Sequence[Band], symbol: str) -> Markup:
    """GFLOP/s over the size, sizes on a logarithmic axis, with the plan's ranges as bands."""
    xs = [x for s in series for x, _ in s.points]
    ticks = nice_ticks(max((y for s in series for _, y in s.points), default=1.0))
    x = Scale(min(xs, default=1), max(xs, default=256), LEFT, WIDTH - RIGHT, log=True)
    y = Scale(0, ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [_band(band, x) for band in bands if band.low <= x.high and (band.high is None or band.high >= x.low)]
    parts += _y_axis(ticks, y, "GFLOP/s")
    for tick in power_ticks(x.low, x.high):
        parts.append(el("text", tick, x=x(tick), y=HEIGHT - BOTTOM + 16, class_="tick mid"))
    parts.append(el("text", symbol, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, class_="tick mid"))
    labels = spread([y(s.points[-1][1]) + 4 for s in series if s.points], 14, TOP, HEIGHT - BOTTOM)
    drawn = [s for s in series if s.points]
    for s, at in reversed(list(zip(drawn, labels, strict=True))):  # the first one on top
        path = " ".join(f"{'ML'[i > 0]}{x(px):.1f} {y(py):.1f}" for i, (px, py) in enumerate(s.points))
        parts.append(el("path", d=path, class_=f"line {s.style}"))
        for px, py in s.points:
            title = el("title", f"{s.name}, {symbol}={px:g}: {digits(py)} GFLOP/s")
            many = len(s.points) > 40
            dot = f"dot{' many' * many} {s.style}"
            parts.append(el("circle", title, cx=x(px), cy=y(py), r=1.7 if many else 3, class_=dot))
        parts.append(el("text", s.name, x=WIDTH - RIGHT + 8, y=at, class_=f"label {s.style}"))
    return _svg(HEIGHT, f"GFLOP/s over {symbol}", *parts)


@dataclass(frozen=True, slots=True)
class Mark:
    """One trial on the convergence chart; `gflops` is None for one that failed."""

    number: int
    gflops: float | None
    title: str


def convergence_chart(marks: Sequence[Mark]) -> Markup:
    """Every trial as a dot, the best so far as a line, failures as ticks along the floor."""
    good = [(m.number, m.gflops) for m in marks if m.gflops is not None]
    ticks = nice_ticks(max((g for _, g in good), default=1.0))
    last = max((m.number for m in marks), default=1)
    x = Scale(1, max(2, last), LEFT, WIDTH - RIGHT)
    y = Scale(0, ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = _y_axis(ticks, y, "GFLOP/s")
    for tick in nice_ticks(last, 6):
        if 1 <= tick <= x.high:
            parts.append(el("text", f"{tick:g}", x=x(tick), y=HEIGHT - BOTTOM + 16, class_="tick mid"))
    parts.append(el("text", "configs measured", x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, class_="tick mid"))
    for mark in marks:
        title = el("title", mark.title)
        if mark.gflops is None:
            at = x(mark.number)
            parts.append(el("path", title, d=f"M{at:.1f} {HEIGHT - BOTTOM - 7}v7", class_="failed"))
        else:
            parts.append(el("circle", title, cx=x(mark.number), cy=y(mark.gflops), r=2.2, class_="trial"))
    best, path = 0.0, ""
    for number, gflops in good:
        if gflops > best:
            path += f"M{x(number):.1f} {y(gflops):.1f}" if not path else f"H{x(number):.1f}V{y(gflops):.1f}"
            best = gflops
    if path:
        parts.append(el("path", d=f"{path}H{WIDTH - RIGHT}", class_="line ours"))
        parts.append(el("text", f"{digits(best)} best", x=WIDTH - RIGHT + 8, y=y(best) + 4, class_="label ours"))
    return _svg(HEIGHT, "Best GFLOP/s over the configs measured", *parts)


def heat_map(
    columns: Sequence[str],
    sizes: Sequence[int],
    share: Mapping[tuple[int, int], float],
    chosen: Mapping[int, str],
    titles: Mapping[tuple[int, int], str],
    symbol: str,
) -> Markup:
    """Configs across, sizes down; a cell is as strong as its share of the best there. `chosen` columns are marked."""
    row, top = 24, 34
    height = top + row * len(sizes) + 34
    x = Scale(0, max(1, len(columns)), LEFT, WIDTH - 8)
    wide = x(1) - x(0)
    gap = 1.0 if wide > 5 else 0.4
    parts = []
    for column, config in enumerate(columns):
        for line, size in enumerate(sizes):
            value = share.get((column, size))
            title = el("title", titles.get((column, size), f"{symbol}={size}: not measured; {config}"))
            box = {"x": x(column), "y": float(top + row * line), "width": wide - gap, "height": float(row - 2)}
            if value is None:
                parts.append(el("rect", title, class_="cell none", **box))
            else:
                parts.append(el("rect", title, class_="cell", fill_opacity=f"{strength(value):.2f}", **box))
    for line, size in enumerate(sizes):
        parts.append(el("text", size, x=LEFT - 8, y=top + row * line + row / 2 + 3, class_="tick end"))
    for column, name in chosen.items():
        mid = x(column) + (wide - gap) / 2
        parts.append(
            el(
                "path",
                el("title", f"{name}: {columns[column]}"),
                d=f"M{mid - 5:.1f} {top - 12}h10l-5 8z",
                class_="mark",
            )
        )
        parts.append(el("text", name, x=mid, y=top - 16, class_="tick mid strong"))
    parts.append(el("text", symbol, x=LEFT - 8, y=top - 8, class_="tick end"))
    parts.append(
        el("text", f"{counted(len(columns), 'config')}, best on average first", x=LEFT, y=height - 14, class_="tick")
    )
    for i in range(6):
        value = 0.5 + i / 10
        left = WIDTH - 8 - (6 - i) * 46
        parts.append(
            el("rect", x=left, y=height - 26, width=44, height=10, class_="cell", fill_opacity=f"{strength(value):.2f}")
        )
        parts.append(el("text", f"{value:.0%}", x=left + 22, y=height - 4, class_="tick mid"))
    return _svg(height, f"Configs by sizes of {symbol}: share of the best at each size", *parts)


def count_chart(edges: Sequence[float], counts: Sequence[int], band: tuple[float, float] | None) -> Markup:
    """How many values stood between edges, as columns on a logarithmic axis; `band` is marked on the other."""
    height, floor = 150, 150 - BOTTOM
    x = Scale(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
    y = Scale(0, max(math.log10(max(counts, default=1) + 1), 1), floor, TOP)
    parts = [el("text", "values", x=4, y=TOP - 12, class_="tick")]
    if band is not None:
        low, high = (x(min(max(end, x.low), x.high)) for end in band)
        said = el("title", f"in range: {band[0]:.4g} to {band[1]:.4g}")
        box = {"x": low, "y": TOP, "width": max(1.0, high - low), "height": floor - TOP}
        parts.append(el("rect", said, class_="band b0", **box))
    for power in range(math.ceil(y.high)):
        at = y(math.log10(10**power + 1))
        parts.append(el("text", f"{10**power:,}", x=LEFT - 8, y=at + 4, class_="tick end"))
    for left, right, count in zip(edges, edges[1:], counts, strict=False):
        if count:
            top = y(math.log10(count + 1))
            said = el("title", f"{left:.4g} to {right:.4g}: {counted(count, 'value')}")
            box = {"x": x(left), "y": top, "width": max(0.6, x(right) - x(left) - 0.6), "height": floor - top}
            parts.append(el("rect", said, class_="cell", **box))
    parts.append(el("path", d=f"M{LEFT} {floor}H{WIDTH - RIGHT}", class_="axis"))
    ends = (edges[0], edges[-1])
    has_room = all(abs(x(0.0) - x(end)) > 60 for end in ends)  # between what the ends are called
    for value in (*ends, *([0.0] if ends[0] < 0 < ends[1] and has_room else [])):
        parts.append(el("text", f"{value:.4g}", x=x(value), y=floor + 16, class_="tick mid"))
    return _svg(height, "How often values stood where", *parts)


def strength(share: float) -> float:
    """How strong a cell is drawn: nothing below half of the best, and most of the range for the last tenth."""
    scaled = min(1.0, max(0.0, (share - 0.5) / 0.5))
    return float(0.06 + 0.94 * scaled**1.6)


def _y_axis(ticks: Sequence[float], y: Scale, unit: str) -> list[Markup]:
    parts = [el("text", unit, x=4, y=TOP - 12, class_="tick")]
    for tick in ticks:
        parts.append(el("path", d=f"M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}", class_="grid" if tick else "axis"))
        parts.append(el("text", f"{tick:g}", x=LEFT - 8, y=y(tick) + 4, class_="tick end"))
    return parts


def _band(band: Band, x: Scale) -> Markup:
    left = x(max(band.low, x.low))
    right = x(min(band.high if band.high is not None else x.high, x.high))
    where = f"{band.low:g} and up" if band.high is None else f"{band.low:g} to {band.high:g}"
    box = el(
        "rect",
        el("title", f"{where}: {band.name}"),
        x=left,
        y=TOP,
        width=max(1.0, right - left),
        height=HEIGHT - BOTTOM - TOP,
        class_=f"band {band.style}",
    )
    if right - left < 7 * len(band.name) + 6:
        return box
    return join(box, el("text", band.name, x=left + 5, y=TOP + 13, class_="tick"))


def _svg(height: int, label: str, *parts: Markup) -> Markup:
    inner = el("svg", el("title", label), *parts, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label)
    return el("div", inner, class_="chart")
