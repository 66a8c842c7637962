"""Final report of a campaign on the terminal, as text and as JSON: what is printed when `tune` ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from anytile.core.command_hint import command_line
from anytile.core.plurals import counted
from anytile.core.printable import say
from anytile.db.records.records import Status
from anytile.db.sql.names import beside, taken_in
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.workloads.workload import Any as AnyDim
from anytile.schedules.workloads.workload import Workload
from anytile.show.board import model_text, workers_text
from anytile.show.figures import duration_text, point_text, rate_text, ratio_text, time_text
from anytile.show.findings import OURS, Curve, Findings, Found, ratio
from anytile.show.jsonable import jsonable
from anytile.show.plan_words import over_untuned, range_lines, untuned_line, variant_lines
from anytile.show.tables import Table
from anytile.tuner.ledger.events import ModelTrained
from anytile.tuner.settle.disturbance import Disturbance

_CALLED_ALIKE = ("dense", "batch_matmul", "conv2d")  # functions whose arguments are called as in a workload's text
MOST_SIZES = 11
MOST_RANGES = 8


def print_findings(
    findings: Findings,
    stream: TextIO,
    elapsed: float | None,
    hint: str = "",
    models: Mapping[Workload, ModelTrained] | None = None,
    db: str | None = None,
    journal: str | None = None,
) -> None:
    """Everything a person wants to know at the end; `hint` is how to resume, where that is to be said, `models` is
    what was last told of the cost models, and `db` the database as the user named it, or `journal` what is to become
    one first."""
    campaign = findings.campaign
    db = beside(journal) if journal else db
    where = _not_usual(campaign.target, db)
    for found in findings.found:
        say(file=stream)
        _print_found(found, stream, where)
        told = (models or {}).get(found.workload)
        if told is not None and told.quality is not None:
            say(f"  {model_text(told.quality, told.trained_on)}", file=stream)
    failed = ", ".join(f"{s} {n}" for s, n in findings.statuses.items() if s is not Status.OK)
    say(file=stream)
    say(
        f"campaign {campaign.id[:8]} {campaign.state}: {counted(findings.trials, 'trial')}"
        + (f" in {duration_text(elapsed)}" if elapsed is not None else "")
        + (f"; failed: {failed}" if failed else ""),
        file=stream,
    )
    if any(found.trials for found in findings.found):
        disturbance = Disturbance.of(t for found in findings.found for t in found.trials)
        say(f"machine: {disturbance.in_words() or 'never disturbed while it was measured'}", file=stream)
    together = workers_text(findings.workers())
    if together:
        say(f"measured by: {together}", file=stream)
    if hint:
        say(f"to go on: {hint}", file=stream)
    if any(found.plan for found in findings.found):
        _print_next(findings, stream, where, [taken_in(journal)] if journal else [])


def _not_usual(target: Target, db: str | None) -> dict[str, str]:
    """What has to be said again, of where a campaign ran, for a command or a program to find its plans."""
    return dict(zip(["target"], _other_target(target), strict=False)) | ({"db": db} if db else {})


def _options(where: Mapping[str, str], *known: str) -> list[str]:
    return [word for name, value in where.items() if name in known for word in (f"--{name}", value)]


def _print_found(found: Found, stream: TextIO, where: Mapping[str, str]) -> None:
    say(found.workload, file=stream)
    best = found.best
    if best is None:
        say("  nothing measured yet", file=stream)
        return
    rate = rate_text(found.rate(best))
    at, took = point_text(best.point.items()), time_text(best.corrected)
    say(f"  best at {at}: {rate} GFLOP/s, {took}, {best.config}", file=stream)
    if found.plan is None:
        return
    ranges = range_lines(found.plan)
    for line in [*variant_lines(found.plan), *ranges[:MOST_RANGES]]:
        say(f"  {line}", file=stream)
    if len(ranges) > MOST_RANGES:
        more = command_line("why", str(found.workload), *_options(where, "target", "db"))
        say(f"  and {counted(len(ranges) - MOST_RANGES, 'more range')}: {more}", file=stream)
    curves = found.curves()
    if curves and curves[0].system == OURS:
        rate_table(found, curves).show(stream)
    elif line := untuned_line(found.plan):
        say(f"  {line}", file=stream)


def rate_table(found: Found, curves: Sequence[Curve]) -> Table:
    """GFLOP/s of the plan at some sizes, and each rival's time as a multiple of the plan's."""
    ours, *rivals = curves
    sizes = shown_sizes(ours.seconds)
    table = Table([f"  {found.symbol or ''}", *(f">{size}" for size in sizes), *([">geomean"] if rivals else [])])
    table.add("  GFLOP/s", *(rate_text(found.gflops(ours.seconds[s], s)) for s in sizes), *([""] if rivals else []))
    for rival in rivals:
        each = [ratio_text(rival.seconds[s] / ours.seconds[s]) if s in rival.seconds else "-" for s in sizes]
        mean = ratio(ours.seconds, rival.seconds)
        table.add(f"  over {rival.system}", *each, ratio_text(mean) if mean else "-")
    return table


def shown_sizes(sizes: Iterable[int]) -> list[int]:
    """As many as a line holds: the powers of two, or what lies spread over the sizes where there are hardly any."""
    ordered = sorted(s for s in sizes if s > 0)
    powers = [s for s in ordered if s & (s - 1) == 0]
    picked = powers if len(powers) >= MOST_SIZES // 2 else ordered
    last = len(picked) - 1
    places = {round(i * last / (MOST_SIZES - 1)) for i in range(MOST_SIZES)}
    return [picked[i] for i in sorted(places)] if picked else []


def _print_next(findings: Findings, stream: TextIO, where: Mapping[str, str], first: Sequence[str]) -> None:
    found = next(f for f in findings.found if f.plan)
    at = ["--m", "17"] if found.plan is not None and found.plan.symbol is not None else []
    report = command_line("report", findings.campaign.id[:8], "-o", "report.html", *_options(where, "db"))
    why = command_line("why", str(found.workload), *at, *_options(where, "target", "db"))
    say("\nnext:  " + "\n       ".join([*first, report, why]), file=stream)
    say("\n" + "\n".join(f"       {line}" for line in snippet(found, where.get("db"))), file=stream)


def snippet(found: Found, db: str | None = None) -> list[str]:
    """The few lines of Python that run what was found; `db` is the database as the user named it."""
    w = found.workload
    names = ["build"]
    if w.op in _CALLED_ALIKE and not w.streamed:
        names += [w.op, *(["Any"] if w.symbols else [])]
        words = [f'{n}=Any("{d.name}")' if isinstance(d, AnyDim) else f"{n}={d}" for n, d in w.dims]
        words += [f"{name}={_quoted(value)}" for name, value in w.attrs]
        words += [f'dtype="{w.dtype}"'] if w.dtype != "float32" else []
        words = [f"{w.op}({', '.join(words)})"]
    else:
        words = [f'"{w}"']
    words += [] if found.plan is None else [f'target="{text}"' for text in _other_target(found.plan.target)]
    words += [f"db={json.dumps(db)}"] if db else []
    constants = ", ".join(f'"{name}": {name}' for name in w.const)
    words += [f"constants={{{constants}}}"] if constants else []
    inputs = ", ".join(t.name for t in w.inputs if t.name not in w.const)
    return [
        f"from anytile import {', '.join(sorted(names))}",
        f"kernel = build({', '.join(words)})",
        f"y = kernel({inputs})",
    ]


def _other_target(target: Target) -> list[str]:
    """What `build` and commands must be told to take the plan that was tuned, where they would take another one."""
    if target.kind == "cuda":
        return ["cuda" if target.is_host else str(target)]
    return [f"llvm -threads={target.threads}"] if target.is_host and target != Target.host() else []


def _quoted(value: AttributeValue) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def findings_json(findings: Findings, elapsed: float | None = None) -> dict[str, Any]:
    campaign = findings.campaign
    return {
        "campaign": campaign.id,
        "state": campaign.state,
        "target": str(campaign.target),
        "trials": findings.trials,
        "by_status": {str(s): n for s, n in findings.statuses.items()},
        "elapsed": elapsed,
        "workers": findings.workers(),
        "machine": Disturbance.of(t for found in findings.found for t in found.trials).note(),
        "workloads": [_found_json(found) for found in findings.found],
    }


def models_json(models: Mapping[Workload, ModelTrained]) -> list[dict[str, Any]]:
    """What was last told of the cost models; `quality` is null where too few trials were held out to say."""
    return [{"workload": str(w), "trained_on": m.trained_on, "quality": m.quality} for w, m in models.items()]


def _found_json(found: Found) -> dict[str, Any]:
    best = found.best
    return {
        "workload": str(found.workload),
        "best": None
        if best is None
        else {
            "config": str(best.config),
            "point": dict(best.point),
            "seconds": best.corrected,
            "gflops": found.rate(best),
        },
        "plan": jsonable(found.plan),
        "over_untuned": {} if found.plan is None else over_untuned(found.plan),
        "curves": [
            {"system": c.system, "seconds": c.seconds, "gflops": {m: found.gflops(s, m) for m, s in c.seconds.items()}}
            for c in found.curves()
        ],
    }
