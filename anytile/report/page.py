"""The page: campaign findings in, one self-contained HTML document out. Pure: no files, no network, no clock.

Nothing is loaded from outside (a content security policy says so to the browser), and there is no script.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from anytile.db.records import Status
from anytile.figures import digits, duration_text, ratio_text, time_text
from anytile.findings import Curve, Findings, Found, adjusted, ratio
from anytile.report.charts import Band, Mark, Series, convergence_chart, heat_map, size_chart
from anytile.report.markup import Markup, el, join

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
MOST_COLUMNS = 100  # configs across the heat map
MOST_REASONS = 8
_STYLES = ("r1", "r2", "r3", "r4")


def page(findings: Findings, style: str, summaries: dict[str, Sequence[str]] | None = None) -> str:
    """The document. `summaries` holds sentences per workload text; without them the plan's own reasons stand."""
    short = findings.campaign.id[:8]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"anytile campaign {short}"),
        el("style", Markup(style)),
    )
    sections = [_workload(found, (summaries or {}).get(str(found.workload), ())) for found in findings.found]
    body = el("body", el("main", _header(findings), *sections, _failures(findings), _machine(findings), _again(findings)))
    return f'<!doctype html>\n<html lang="en">{join(head, body)}</html>\n'


def _header(findings: Findings) -> Markup:
    campaign = findings.campaign
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(campaign.created)) if campaign.created > 0 else "at an unknown time"
    count = len(findings.found)
    tiles = [(str(findings.trials), f"trials, {findings.statuses.get(Status.OK, 0)} of them ok")]
    for found in findings.found:
        best = found.best
        if best is not None:
            rate = found.workload.flops(best.point) / adjusted(best) / 1e9
            tiles.append((digits(rate), f"GFLOP/s at {_point(best.point)}, {_short(found)}"))
    return el(
        "header",
        el("p", f"tuning campaign {campaign.id[:8]}, {campaign.state}, {when}", class_="kicker"),
        el("h1", f"{count} workload{'s' * (count != 1)} on {campaign.target}"),
        el("div", *(el("div", el("b", b), el("span", s), class_="tile") for b, s in tiles), class_="tiles"),
    )


def _workload(found: Found, summary: Sequence[str]) -> Markup:
    parts: list[Markup | None] = [el("h2", str(found.workload))]
    if not found.trials:
        return el("section", *parts, el("p", "Nothing was measured for this workload.", class_="note"))
    curves = found.curves()
    if found.plan is None:
        parts.append(el("p", "No plan was chosen: the campaign ended before enough was measured.", class_="note"))
    else:
        parts += [*_speed(found, curves), *_plan(found, summary)]
    return el("section", *parts, *_cross(found), *_search(found))


def _speed(found: Found, curves: list[Curve]) -> list[Markup]:
    if not curves or found.plan is None or found.symbol is None:
        return []
    series = [
        Series(c.system, tuple((m, found.gflops(s, m)) for m, s in sorted(c.seconds.items()) if m > 0), style)
        for c, style in zip(curves, ("ours", *_STYLES), strict=False)
    ]
    names = {i: f"config {i + 1}" for i in range(len(found.plan.variants))}
    bands = [
        Band(max(r.low, 1), r.high, names[r.runs], f"b{r.runs % 4}") if isinstance(r.runs, int)
        else Band(max(r.low, 1), r.high, r.runs, "lib")
        for r in found.plan.ranges
    ]
    parts = [
        el("h3", f"Speed over {found.symbol}"),
        el("p", "The chosen plan beside the libraries found on the machine, measured in the same campaign. "
                "The bands say what the plan runs there.", class_="note"),
        size_chart(series, bands, found.symbol),
    ]
    return [*parts, _ratios(found, curves)] if len(curves) > 1 else parts


def _ratios(found: Found, curves: list[Curve]) -> Markup:
    ours, *rivals = curves
    spans = [("1 to 16", 1, 16), ("17 to 64", 17, 64), ("65 to 256", 65, 256), ("above 256", 257, 1 << 31)]
    shown = [(name, [s for s in ours.seconds if low <= s <= high]) for name, low, high in spans]
    shown = [(name, sizes) for name, sizes in shown if sizes]
    head = el("tr", el("th", "as fast as"), *(el("th", f"{found.symbol} {name}", class_="num") for name, _ in shown))
    rows = [
        el("tr", el("td", rival.system), *(_ratio_cell(ratio(ours.seconds, rival.seconds, sizes)) for _, sizes in shown))
        for rival in rivals
    ]
    return el("div", el("table", head, *rows), class_="wide")


def _ratio_cell(value: float) -> Markup:
    if value <= 0:
        return el("td", "-", class_="num")
    tone = " win" if value >= 1.005 else " lose" if value < 0.995 else ""
    return el("td", ratio_text(value), class_=f"num{tone}")


def _plan(found: Found, summary: Sequence[str]) -> list[Markup]:
    plan = found.plan
    if plan is None:
        return []
    sentences = list(summary) or [_range_words(r.low, r.high, plan.symbol, r.because) for r in plan.ranges]
    rows = [el("tr", el("th", plan.symbol or "shape"), el("th", "runs"), el("th", "residues"), el("th", "time", class_="num"))]
    for r in plan.ranges:
        span = f"{r.low} and up" if r.high is None else f"{r.low} to {r.high}" if r.high != r.low else str(r.low)
        if isinstance(r.runs, int):
            variant = plan.variants[r.runs]
            runs = join(f"config {r.runs + 1}: ", el("code", str(variant.config)))
            mode = variant.mode
        else:
            runs, mode = join(f"library {r.runs}"), "-"
        took = f"{time_text(r.seconds)} at {r.at}" if r.seconds is not None and r.at is not None else "-"
        rows.append(el("tr", el("td", span, class_="key"), el("td", runs), el("td", mode, class_="key"), el("td", took, class_="num")))
    return [
        el("h3", "The chosen plan"),
        el("ul", *(el("li", s) for s in sentences), class_="why"),
        el("div", el("table", *rows), class_="wide"),
    ]


def _range_words(low: int, high: int | None, symbol: str | None, because: str) -> str:
    if symbol is None:
        return because
    span = f"from {low} up" if high is None else f"{low} to {high}"
    return f"{symbol} {span}: {because or 'no reason was stored'}."


def _cross(found: Found) -> list[Markup]:
    symbol = found.symbol
    cells: dict[str, dict[int, float]] = {}
    for trial in found.of("cross"):
        if trial.status is Status.OK and symbol in trial.point and symbol is not None:
            cells.setdefault(str(trial.config), {})[trial.point[symbol]] = adjusted(trial)
    sizes = sorted({size for row in cells.values() for size in row})
    if symbol is None or not sizes:
        return []
    best = {size: min(row[size] for row in cells.values() if size in row) for size in sizes}
    shares = {config: {size: best[size] / s for size, s in row.items()} for config, row in cells.items()}
    ordered = sorted(shares, key=lambda c: (-len(shares[c]), -sum(shares[c].values()) / len(shares[c]), c))
    columns = ordered[:MOST_COLUMNS]
    share = {(i, size): value for i, config in enumerate(columns) for size, value in shares[config].items()}
    titles = {
        (i, size): f"{symbol}={size}: {time_text(cells[columns[i]][size])}, {value:.0%} of the best; {columns[i]}"
        for (i, size), value in share.items()
    }
    chosen: dict[int, str] = {}
    if found.plan is not None:
        for number, variant in enumerate(found.plan.variants):
            if str(variant.config) in columns:
                chosen.setdefault(columns.index(str(variant.config)), str(number + 1))
    note = f"Every config at every size: the fuller a cell, the nearer that config comes to the best one there. {len(cells)} configs were cross-evaluated"
    note += "; numbers mark the plan's." if chosen else "."
    return [el("h3", "Cross-evaluation"), el("p", note, class_="note"), heat_map(columns, sizes, share, chosen, titles, symbol)]


def _search(found: Found) -> list[Markup]:
    trials = found.of("search")
    if not trials:
        return []
    marks = []
    for number, trial in enumerate(trials, start=1):
        if trial.status is Status.OK:
            rate = found.workload.flops(trial.point) / adjusted(trial) / 1e9
            marks.append(Mark(number, rate, f"trial {number}: {digits(rate)} GFLOP/s, {time_text(adjusted(trial))}; {trial.config}"))
        else:
            marks.append(Mark(number, None, f"trial {number}: {trial.status}: {trial.reason}; {trial.config}"))
    at = _point(trials[0].point)
    note = f"Each dot is one config at {at}; the line is the best so far; red ticks on the floor are failures."
    return [el("h3", "Convergence"), el("p", note, class_="note"), convergence_chart(marks)]


def _failures(findings: Findings) -> Markup:
    total = max(1, findings.trials)
    there = [(s, findings.statuses[s]) for s in Status if findings.statuses.get(s)]
    bar = el("div", *(el("i", class_=str(s), style=f"width:{100 * n / total:.2f}%", title=f"{s}: {n}") for s, n in there), class_="share")
    key = el("p", *(el("span", el("i", class_=f"swatch {s}"), f"{s} {n}   ") for s, n in there), class_="note")
    parts = [el("h2", "Trials by status"), bar, key]
    failures = findings.failures()
    if failures:
        rows = [el("tr", el("th", "status"), el("th", "reason"), el("th", "trials", class_="num"))]
        rows += [
            el("tr", el("td", str(s), class_="key"), el("td", el("code", _cut(reason or "no reason was stored"))), el("td", n, class_="num"))
            for s, reason, n in failures[:MOST_REASONS]
        ]
        parts.append(el("div", el("table", *rows), class_="wide"))
        if len(failures) > MOST_REASONS:
            parts.append(el("p", f"and {len(failures) - MOST_REASONS} more reasons", class_="note"))
    else:
        parts.append(el("p", "Nothing failed.", class_="note"))
    return el("section", *parts)


def _machine(findings: Findings) -> Markup:
    campaign = findings.campaign
    rows = [("target", str(campaign.target)), ("device", ", ".join(findings.devices()) or "not stored")]
    for v in findings.versions()[:3]:
        rows.append(("versions", f"anytile {v.anytile}, LLVM {v.llvm}, Python {v.python}, template {v.template}, code generator {v.codegen}"))
    if campaign.finished and campaign.created > 0:
        rows.append(("took", duration_text(campaign.finished - campaign.created)))
    request = campaign.options.get("request")
    if isinstance(request, dict):
        asked = ", ".join(f"{k}={v}" for k, v in sorted(request.items()) if v is not None and k in ("strategy", "seed", "trials", "seconds", "top_k", "portfolio"))
        rows.append(("asked for", asked))
    rows.append(("campaign", campaign.id))
    cells = (el("tr", el("th", key), el("td", value, class_="mono")) for key, value in rows)
    return el("section", el("h2", "Machine and versions"), el("div", el("table", *cells), class_="wide"))


def _again(findings: Findings) -> Markup:
    """What to type next, with this campaign's own values."""
    lines = [f"anytile db show {findings.campaign.id[:8]}"]
    lines += [f'anytile why "{found.workload}" --target "{findings.campaign.target}"' for found in findings.found[:3]]
    return el(
        "footer",
        el("p", "Every sample behind these figures is in the database:"),
        el("pre", el("code", "\n".join(lines))),
    )


def _short(found: Found) -> str:
    return ", ".join(f"{name}={dim}" for name, dim in found.workload.dims)


def _point(point: object) -> str:
    return ", ".join(f"{k}={v}" for k, v in sorted(dict(point).items())) or "its shape"  # type: ignore[call-overload]


def _cut(text: str, most: int = 240) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
