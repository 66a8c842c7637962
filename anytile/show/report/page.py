"""HTML page of a campaign: findings in, one self-contained document out. No network, no clock.

Nothing is loaded from outside (a content security policy says so to the browser), and there is no script.
"""

from __future__ import annotations

import time

from anytile.core.command_hint import command_line
from anytile.core.plurals import counted
from anytile.db.records.records import Status
from anytile.show.figures import digits, duration_text, point_text
from anytile.show.findings import Findings, Found
from anytile.show.report.document import CONTENT, document
from anytile.show.report.markup import Markup, el, join
from anytile.show.report.workload import workload_section

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
MOST_REASONS = 8


def render(findings: Findings, above: Markup | None = None, styles: tuple[str, ...] = ()) -> str:
    """The whole document; `above` is what a server puts before it, which `styles` are for."""
    sections = [workload_section(found) for found in findings.found]
    main = el(
        "main",
        _header(findings),
        *sections,
        _failures(findings),
        _machine(findings),
        _again(findings),
        id=CONTENT,
        tabindex=-1,
    )
    title = f"anytile campaign {findings.campaign.id[:8]}"
    return document(title, join(above, main), POLICY, styles)


def _header(findings: Findings) -> Markup:
    campaign = findings.campaign
    when = (
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(campaign.created))
        if campaign.created > 0
        else "at an unknown time"
    )
    count = len(findings.found)
    tiles = [(str(findings.trials), f"trials, {findings.statuses.get(Status.OK, 0)} of them ok")]
    for found in findings.found:
        best = found.best
        if best is not None:
            tiles.append(
                (digits(found.rate(best)), f"GFLOP/s at {point_text(sorted(best.point.items()))}, {_short(found)}")
            )
    return el(
        "header",
        el("p", f"tuning campaign {campaign.id[:8]}, {campaign.state}, {when}", class_="kicker"),
        el("h1", f"{counted(count, 'workload')} on {campaign.target}"),
        el("div", *(el("div", el("b", b), el("span", s), class_="tile") for b, s in tiles), class_="tiles"),
    )


def _failures(findings: Findings) -> Markup:
    total = max(1, findings.trials)
    there = [(s, findings.statuses[s]) for s in Status if findings.statuses.get(s)]
    bar = el(
        "div",
        *(el("i", class_=str(s), style=f"width:{100 * n / total:.2f}%", title=f"{s}: {n}") for s, n in there),
        class_="share",
    )
    key = el("p", *(el("span", el("i", class_=f"swatch {s}"), f"{s} {n}   ") for s, n in there), class_="note")
    parts = [el("h2", "Trials by status"), bar, key]
    failures = findings.failures()
    if failures:
        rows = [el("tr", el("th", "status"), el("th", "reason"), el("th", "trials", class_="num"))]
        rows += [
            el(
                "tr",
                el("td", str(s), class_="key"),
                el("td", el("code", _cut(reason or "no reason was stored"))),
                el("td", n, class_="num"),
            )
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
    workers = findings.workers()
    if workers:
        rows.append(("measured by", ", ".join(f"{name} ({counted(n, 'trial')})" for name, n in workers.items())))
    for v in findings.versions()[:3]:
        rows.append(
            (
                "versions",
                f"anytile {v.anytile}, LLVM {v.llvm}, Python {v.python}, template {v.template}, codegen {v.codegen}",
            )
        )
    if campaign.finished and campaign.created > 0:
        rows.append(("took", duration_text(campaign.finished - campaign.created)))
    request = campaign.options.get("request")
    if isinstance(request, dict):
        asked = ", ".join(
            f"{k}={v}"
            for k, v in sorted(request.items())
            if v is not None and k in ("strategy", "seed", "trials", "seconds", "top_k", "portfolio")
        )
        rows.append(("asked for", asked))
    rows.append(("campaign", campaign.id))
    cells = (el("tr", el("th", key), el("td", value, class_="mono")) for key, value in rows)
    return el("section", el("h2", "Machine and versions"), el("div", el("table", *cells), class_="wide"))


def _again(findings: Findings) -> Markup:
    """What to type next, with this campaign's own values."""
    target = str(findings.campaign.target)
    lines = [command_line("db", "show", findings.campaign.id[:8])]
    lines += [command_line("why", str(found.workload), "--target", target) for found in findings.found[:3]]
    return el(
        "footer",
        el("p", "Every sample behind these figures is in the database:"),
        el("pre", el("code", "\n".join(lines))),
    )


def _short(found: Found) -> str:
    return ", ".join(f"{name}={dim}" for name, dim in found.workload.dims)


def _cut(text: str, most: int = 240) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
