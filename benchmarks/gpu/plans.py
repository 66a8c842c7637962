"""Plans for what is measured on a GPU: tuned in this run or an earlier one, out of its journal, or else untuned.

There may be no database: a machine that lends its GPU has few packages. Trials and plans go to a journal, which
`anytile db import` reads, and the next process of the run, or the next run, finds its plans there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from anytile.compiler.lowering.kernel_table import Planned, Planner
from anytile.db.journal import Journal
from anytile.dispatch.backends import backend
from anytile.dispatch.service import compilable, runnable, with_tail
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.campaign import run_campaign
from anytile.tuner.requests.request import CampaignResult, TuneRequest
from anytile.tuner.runners.inline import InlineRunner
from benchmarks.gpu.run import Run

LEAST = 12.0  # seconds that tuning one workload takes at least
TUNED, UNTUNED = "tuned", "untuned"
EXACT, DEFAULT = "exact", "default"  # what an executable calls these


def tuned(run: Run, workload: Workload) -> DispatchPlan | None:
    """The newest plan that the journal has for it on this GPU, as it runs here."""
    with closing(Journal(run.journal)) as store:
        found = store.selection(workload.anchor, run.target)
    return None if found is None else fitted(DispatchPlan.from_json(found.plan), run.target)


def fitted(plan: DispatchPlan, target: Target) -> DispatchPlan:
    """The plan as it runs here, or can be compiled here for a GPU that is elsewhere."""
    return runnable(plan, strict=False) if target.is_host else compilable(plan, target)


def untuned(workload: Workload, target: Target) -> DispatchPlan:
    """What a build has where no record is."""
    plan = backend(target).untuned(workload, target)
    if plan is None:
        first, *_ = templates_for(workload, target)
        plan = single_plan(workload, target, first.name, first.default(workload, target))
    return plan


def tune(run: Run, workloads: Sequence[Workload], seconds: float | None) -> CampaignResult:
    """One campaign; without `seconds` it takes its default time. What a signal ended says so."""
    request = TuneRequest(tuple(workloads), run.target, strategy=run.strategy, seconds=seconds)
    with closing(Journal(run.journal)) as store, closing(InlineRunner()) as runner:
        result = run_campaign(store, runner, request)
    if result.state == "interrupted":  # by a signal, and a campaign returns then
        raise KeyboardInterrupt
    return result


def tune_lacking(run: Run, workloads: Sequence[Workload]) -> None:
    """One campaign of those that have no plan, which is started once for all; of the first ones, if time is short."""
    lacking = [workload for workload in workloads if tuned(run, workload) is None]
    some = lacking[: int(run.left() // LEAST)]
    if some:
        run.report.say(f"tuning {len(some)} of {len(lacking)} workloads without a plan for {run.left():.0f} s")
        tune(run, some, run.left())


def plan_for(run: Run, workload: Workload, measuring: float) -> tuple[DispatchPlan, str]:
    """The plan and whether it is tuned. It is tuned now where nobody did and time is left beyond that of `measuring`;
    where that fails, or there is no time, an untuned plan is measured, for that is better than nothing."""
    if (found := tuned(run, workload)) is not None:
        return found, TUNED
    seconds = run.left() - measuring
    if seconds >= LEAST:
        run.report.say(f"tuning {workload} for {seconds:.0f} s")
        with run.noted(f"tuning {workload}"):
            result = tune(run, (workload,), seconds)
            if workload in result.plans:
                return result.plans[workload], TUNED
    return untuned(workload, run.target), UNTUNED


def planner(run: Run, target: Target) -> Planner:
    """Plans for a model's kernels: those of the journal, and untuned ones for the CPU beside and what nobody tuned."""
    with closing(Journal(run.journal)) as store:
        chosen = {s.workload: s.plan for s in reversed(store.selections(target=target))}

    def planned(workload: Workload) -> Planned:
        anchor = workload.anchor
        rung, because = DEFAULT, "nobody tuned it in this run or one before it"
        if anchor in chosen:
            plan = DispatchPlan.from_json(chosen[anchor])
            rung, because = EXACT, "tuned in this run or one before it"
        else:
            plan = untuned(anchor, target)
        return Planned(fitted(with_tail(plan, workload), target).to_json(), rung, because)

    return planned
