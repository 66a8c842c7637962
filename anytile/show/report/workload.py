"""HTML section on one workload: its speed over sizes, the plan in words, and how the search got there. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.core.plurals import counted
from anytile.db.records.records import Status
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.show.figures import digits, point_text, ratio_text, time_text
from anytile.show.findings import Curve, Found, ratio
from anytile.show.plan_words import range_lines, runs, untuned_line
from anytile.show.report.charts import Band, Mark, Series, convergence_chart, heat_map, size_chart
from anytile.show.report.markup import Markup, el, join

MOST_COLUMNS = 100  # configs across the heat map
_STYLES = ("ours", "r1", "r2", "r3", "r4")
_SPANS = (("1 to 16", 1, 16), ("17 to 64", 17, 64), ("65 to 256", 65, 256), ("above 256", 257, 1 << 31))


def workload_section(found: Found) -> Markup:
    head = el("h2", str(found.workload))
    if not found.trials:
        return el("section", head, _note("Nothing was measured for this workload."))
    if found.plan is None:
        chosen = [_note("No plan was chosen: the campaign ended before enough was measured.")]
    else:
        chosen = [*_speed(found, found.plan), *_plan(found.plan)]
    return el("section", head, *chosen, *_cross(found), *_search(found))


def _speed(found: Found, plan: DispatchPlan) -> list[Markup]:
    curves, symbol = found.curves(), plan.symbol
    if not curves or symbol is None:
        return []
    series = [
        Series(c.system, tuple((m, found.gflops(s, m)) for m, s in sorted(c.seconds.items())), style)
        for c, style in zip(curves, _STYLES, strict=False)
    ]
    note = "The chosen plan beside the machine's libraries, profiled in the same campaign; the bands say what runs."
    parts = [el("h3", f"Speed over {symbol}"), _note(note), size_chart(series, [_band(r) for r in plan.ranges], symbol)]
    if len(curves) > 1:
        parts.append(_ratios(symbol, curves))
    return parts


def _band(r: Range) -> Band:
    high = None if r.high is None else r.high + 1  # up to where the next one begins, so that no gap is seen
    return Band(max(r.low, 1), high, runs(r), f"b{r.runs % 4}" if isinstance(r.runs, int) else "lib")


def _ratios(symbol: str, curves: list[Curve]) -> Markup:
    """How many times as fast as each library the plan is."""
    ours, *rivals = curves
    shown = [(name, [s for s in ours.seconds if low <= s <= high]) for name, low, high in _SPANS]
    shown = [(name, sizes) for name, sizes in shown if sizes]
    rows = [_heads("times as fast as", *(f">{symbol} {name}" for name, _ in shown))]
    for rival in rivals:
        cells = (_ratio_cell(ratio(ours.seconds, rival.seconds, sizes)) for _, sizes in shown)
        rows.append(el("tr", el("td", rival.system), *cells))
    return _table(rows)


def _ratio_cell(value: float) -> Markup:
    if value <= 0:
        return el("td", "-", class_="num")
    tone = " win" if value >= 1.005 else " lose" if value < 0.995 else ""
    return el("td", ratio_text(value), class_=f"num{tone}")


def _plan(plan: DispatchPlan) -> list[Markup]:
    sentences = [f"{line}." for line in range_lines(plan)] + _regret(plan)
    if line := untuned_line(plan):
        sentences.append(f"{line[0].upper()}{line[1:]}.")
    variants = [_heads("variant", "config", "residues")]
    for number, v in enumerate(plan.variants):
        config = el("code", *_breakable(str(v.config)))
        variants.append(el("tr", el("td", number, class_="key"), el("td", config), el("td", v.mode, class_="key")))
    parts = [
        el("h3", "The chosen plan"),
        el("ul", *(el("li", s) for s in sentences), class_="why"),
        _table(variants),
    ]
    decisions = plan.notes.get("decisions")
    if isinstance(decisions, Sequence) and not isinstance(decisions, str) and decisions:
        said = el("ul", *(el("li", str(d)) for d in decisions), class_="why")
        parts.append(el("details", el("summary", "How it was chosen"), said, open=True))
    return parts


def _regret(plan: DispatchPlan) -> list[str]:
    regret = plan.notes.get("regret")
    if not isinstance(regret, Mapping):
        return []
    mean, worst, at = (regret.get(name) for name in ("geomean", "worst", "worst_at"))
    if not isinstance(mean, int | float) or not isinstance(worst, int | float):
        return []
    return [
        f"Held against the best config at each single size, the plan loses {max(0.0, mean - 1):.1%} on average "
        f"and {max(0.0, worst - 1):.1%} at worst, at {plan.symbol}={at}."
    ]


def _cross(found: Found) -> list[Markup]:
    symbol = found.symbol
    if symbol is None:
        return []
    cells: dict[str, dict[int, float]] = {}
    for trial in found.of("cross"):
        if trial.status is Status.OK and symbol in trial.point:
            cells.setdefault(str(trial.config), {})[trial.point[symbol]] = trial.corrected
    if not cells:
        return []
    sizes = sorted({size for row in cells.values() for size in row})
    best = {size: min(row[size] for row in cells.values() if size in row) for size in sizes}
    shares = {config: {size: best[size] / s for size, s in row.items()} for config, row in cells.items()}
    # whole rows first: a config that was measured at its good sizes only must not lead
    columns = sorted(shares, key=lambda c: (-len(shares[c]), -sum(shares[c].values()), c))[:MOST_COLUMNS]
    share = {(i, size): value for i, config in enumerate(columns) for size, value in shares[config].items()}
    titles = {
        (i, size): f"{symbol}={size}: {time_text(cells[columns[i]][size])}, {value:.0%} of the best; {columns[i]}"
        for (i, size), value in share.items()
    }
    chosen = _chosen(found.plan, columns)
    note = (
        "Every config at every size: the fuller a cell, the nearer that config comes to the best one there. "
        f"{counted(len(cells), 'config')} cross-evaluated{'; numbers mark the variants of the plan' if chosen else ''}."
    )
    return [el("h3", "Cross-evaluation"), _note(note), heat_map(columns, sizes, share, chosen, titles, symbol)]


def _chosen(plan: DispatchPlan | None, columns: list[str]) -> dict[int, str]:
    """Which columns are variants of the plan, and which."""
    if plan is None:
        return {}
    places = [(columns.index(c), str(i)) for i, c in enumerate(str(v.config) for v in plan.variants) if c in columns]
    return {place: ",".join(n for p, n in places if p == place) for place, _ in places}


def _search(found: Found) -> list[Markup]:
    trials = found.of("search")
    if not trials:
        return []
    marks = []
    for number, trial in enumerate(trials, start=1):
        if trial.status is Status.OK:
            rate, took = found.rate(trial), time_text(trial.corrected)
            marks.append(Mark(number, rate, f"trial {number}: {digits(rate)} GFLOP/s, {took}; {trial.config}"))
        else:
            said = f"{trial.status}: {trial.reason}" if trial.reason else str(trial.status)
            marks.append(Mark(number, None, f"trial {number}: {said}; {trial.config}"))
    note = f"Each dot is one config at {point_text(sorted(trials[0].point.items()))}, the line is the best so far"
    note += "; red ticks on the floor are failures." if any(m.gflops is None for m in marks) else "."
    return [el("h3", "Convergence"), _note(note), convergence_chart(marks)]


def _note(text: str) -> Markup:
    return el("p", text, class_="note")


def _heads(*names: str) -> Markup:
    """Column heads; one that starts with `>` is of figures."""
    return el("tr", *(el("th", n.lstrip(">"), class_="num" if n.startswith(">") else None) for n in names))


def _table(rows: list[Markup]) -> Markup:
    return el("div", el("table", *rows), class_="wide")


def _breakable(text: str) -> list[Markup]:
    """A config may break a line after its commas."""
    words = text.split(",")
    return [join(word, "," if i < len(words) - 1 else "", el("wbr")) for i, word in enumerate(words)]
