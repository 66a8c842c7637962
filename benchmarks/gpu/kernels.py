"""Kernels of one workload on a GPU: checked against the oracle, then timed in turns with whoever else computes it.

A plan that is wrong at any kind of size is not timed. Everything is compiled before the first timing, on all cores.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.device_api import Failed
from benchmarks.gpu.plans import UNTUNED, plan_for
from benchmarks.gpu.run import Run
from benchmarks.measure.harness import Case, Report, Row
from benchmarks.rivals.gpu_rivals import CUBLAS, OWN, SYMBOLIC, Contest, of_own, race
from benchmarks.rivals.torch_gpu import BY_LT, CONTIGUOUS, TORCH

ROUNDS = 7
RIVALS = (CUBLAS, TORCH, BY_LT, CONTIGUOUS)
OURS, LIBRARY = "own", "cublas"  # what a plan runs at a size
EACH = 0.4  # seconds that one size takes, all contenders together
Cells = list[tuple[Case, dict[str, float]]]


def measure(
    run: Run,
    workload: Workload,
    part: str,
    sizes: Sequence[int],
    checked: Sequence[int] = (),
    static: Sequence[int] = (),
    others: Sequence[DispatchPlan] = (),
) -> None:
    """One workload: tuned if there is time, checked at some sizes, timed at all of them, at some beside a kernel for
    that size alone. `others` are timed as kernels of ours, too."""
    plan, how = plan_for(run, workload, EACH * len(sizes) + 1.0)
    if run.late(workload):
        return
    run.report.say(f"checking and timing {workload}, {how}")
    contest = Contest(run.device, plan, run.torch, run.cache, others)
    contest.compile_for([m for m in static if m in sizes])
    for m in checked:
        try:
            contest.check(m)
        except Failed as error:
            if error.corrupt:
                raise
            run.report.unmeasured.append(f"{workload}: {error}")
            return
    order = [*checked, *(m for m in sizes if m not in checked)]  # of all kinds, should time be short
    for i, m in enumerate(order):
        if run.late(f"{workload} at m={', '.join(map(str, sorted(order[i:])))}"):
            break
        case = {
            "part": part,
            "op": workload.op,
            "dtype": workload.dtype,
            "m": m,
            "workload": str(workload),
            "plan": how,
            "runs": OURS if contest.is_ours(m) else LIBRARY,
        }
        with run.noted(f"{workload} at m={m}"):
            time_at(run, contest, m, case)
        run.told()
    if seen := run.clocks.taken():
        run.report.machine = {**run.report.machine, f"clocks, {workload}": seen}


def time_at(run: Run, contest: Contest, m: int, case: Case) -> None:
    flops = contest.workload.flops(dict(contest.point(m)))
    contenders = contest.contenders(m)
    with run.timing():
        samples = race(contenders, ROUNDS, lambda name: run.noted(f"{contest.workload} at m={m}: {name}"))
        run.clocks.look()
    for name, times in of_own(samples, contest.is_ours(m)).items():
        seconds = statistics.median(times)
        spread = (max(times) - min(times)) / seconds
        run.report.rows.append(Row(case, name, seconds, flops / seconds / 1e9, spread, len(times)))


def cells(rows: Iterable[Row], part: str) -> Cells:
    """The points of a part that our kernel was timed at, each with the seconds of every system."""
    found: dict[tuple[tuple[str, object], ...], dict[str, float]] = {}
    for row in rows:
        if row.case.get("part") == part:
            found.setdefault(tuple(row.case.items()), {})[row.system] = row.seconds
    return [(dict(case), at) for case, at in found.items() if SYMBOLIC in at]


def best(at: dict[str, float], rivals: Sequence[str] = RIVALS) -> float | None:
    """The seconds of the fastest rival, if any was timed."""
    return min((at[name] for name in rivals if name in at), default=None)


def gains(those: Cells, system: str, rivals: Sequence[str] = RIVALS) -> list[float]:
    """How many times faster than the best rival a system is, wherever both were timed."""
    pairs = [(best(at, rivals), at[system]) for _, at in those if system in at]
    return [rival / ours for rival, ours in pairs if rival is not None]


def said(those: Cells) -> str:
    """What such points are of, for a claim's words: how many workloads and sizes, and how many nobody tuned."""
    workloads = {str(case["workload"]) for case, _ in those}
    sizes = [case["m"] for case, _ in those]
    lacking = len({str(case["workload"]) for case, _ in those if case["plan"] == UNTUNED})
    text = f"{len(workloads)} workload(s), {len(set(sizes))} sizes in {min(sizes)}..{max(sizes)}"
    return f"{text}, {lacking} untuned" if lacking else text


def show(report: Report, part: str) -> None:
    """A table of each workload: microseconds, and how many times faster than the best rival."""
    by_workload: dict[str, Cells] = {}
    for case, at in cells(report.rows, part):
        by_workload.setdefault(f"{case['workload']}, {case['plan']}", []).append((case, at))
    for title, those in by_workload.items():
        systems = list(dict.fromkeys(s for _, at in those for s in at))
        lines = []
        for case, at in sorted(those, key=lambda one: one[0]["m"]):
            rival = best(at)
            figures = [f"{at[s] * 1e6:.2f}" if s in at else "" for s in systems]
            ours = min(at[s] for s in (SYMBOLIC, OWN) if s in at)
            lines.append((str(case["m"]), *figures, "" if rival is None else f"{rival / ours:.2f}x"))
        report.table(f"{title}, us per call", ("m", *systems, "over best"), lines)
