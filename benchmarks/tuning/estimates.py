"""Configs that the cost model chooses for workloads it never saw, against the best that a campaign found for them.

Every workload of the given database is left out once, a share of each operator's at a time, and a model of the others
chooses one config for it, as a lookup's rung `model` does; of an operator that it then knows nothing of, a lookup takes
the default. That config and the fastest one that was measured at a size are built and timed in alternation there. A
share is the best one's time over the chosen one's, of a workload the geometric mean over its sizes. `anytile db train`
tells less: how good the first of the model's choices is that happens to have been measured.

    scripts/bench estimates --db tuned.db --check
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import anytile
from anytile.core.errors import MeasureError, SpecError
from anytile.db.records.records import Trial
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.estimate.learned import Choice
from anytile.tuner.estimate.training import Group, answers, grouped, left_out, measured
from anytile.tuner.protocol.candidate import Candidate, Point, Runner, TimingPolicy, point_of
from anytile.tuner.runners.make_runner import make_runner
from benchmarks.measure.harness import Claim, Report, Row, geomean
from benchmarks.measure.program import program

SIZES = 3  # of a workload, those with the most trials
ROUNDS = 15
MEAN, WORST, ANSWER_MS = 0.9, 0.75, 5.0
CHOSEN, BEST, ANSWER = "model", "tuned best", "answer"


def best_of(groups: Sequence[Group]) -> dict[Point, Trial]:
    """The fastest trial at each of the sizes with the most trials, whichever campaign made it."""
    tried: dict[Point, list[Trial]] = {}
    for group in groups:
        tried.setdefault(point_of(group.point), []).extend(group.trials)
    most = sorted(tried, key=lambda point: (-len(tried[point]), point))[:SIZES]
    return {point: min(tried[point], key=lambda t: t.corrected) for point in sorted(most)}


def duels(runner: Runner, workload: Workload, choice: Choice, groups: Sequence[Group]) -> Iterator[Row]:
    """The chosen config and the best one, in turn at each size; where they are the same both have one time."""
    for point, best in best_of(groups).items():
        rivals = {CHOSEN: (choice.template, choice.config), BEST: (best.template, best.config)}
        made = [
            Candidate(workload, groups[0].target, *of, (point,), i)
            for i, of in enumerate(dict.fromkeys(rivals.values()))
        ]
        (found,) = runner.duel(made, ROUNDS, TimingPolicy())
        if not all(found.samples):
            raise MeasureError(f"{workload} at {dict(point)}: {choice.config} or {best.config} does not run here")
        seconds = [min(samples) for samples in found.samples]  # what a neighbour takes is neither's
        for (who, (_, config)), took in zip(rivals.items(), (seconds[0], seconds[-1]), strict=True):
            case = {"op": workload.op, "workload": str(workload), "at": dict(point), "config": str(config)}
            yield Row(case, who, took, workload.flops(dict(point)) / took / 1e9, 0.0, ROUNDS)


def measure(report: Report, options: argparse.Namespace) -> None:
    target = anytile.Target.host(options.threads)
    with anytile.open_store(options.db, readonly=True) as store:
        groups = [group for group in grouped(measured(store, target.kind)) if group.target == target]
    seen: Counter[str] = Counter()
    with closing(make_runner("inline", log=report.say)) as runner:
        for model, workload, its in left_out(groups, target.kind):
            begin = time.perf_counter()
            choice = answers(model, workload, target)[0]
            seconds = time.perf_counter() - begin
            report.rows.append(Row({"op": workload.op, "workload": str(workload)}, ANSWER, seconds, 0.0, 0.0, 1))
            seen[workload.op] += 1
            if options.quick and seen[workload.op] > 1:
                continue
            rows = list(duels(runner, workload, choice, its))
            report.rows += rows
            report.say(f"{shares(rows)[str(workload)]:.3f} {workload}: {choice.config}")
    if not report.rows:
        raise SpecError(f"--db: expected a database of campaigns on {target}; `anytile tune` makes one")


def shares(rows: Iterable[Row]) -> dict[str, float]:
    """By workload, the best config's time over the chosen one's: the geometric mean over its sizes."""
    took: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        took.setdefault((str(row.case["workload"]), row.system), []).append(row.seconds)
    return {
        workload: geomean(best / chosen for chosen, best in zip(of, took[workload, BEST], strict=True))
        for (workload, who), of in took.items()
        if who == CHOSEN
    }


def claims(rows: Iterable[Row]) -> list[Claim]:
    rows = list(rows)
    found, answers = shares(rows), [row.seconds for row in rows if row.system == ANSWER]
    if not found:
        return []
    name = f"the model's config over the tuned best, {len(found)} workloads left out"
    return [
        Claim(f"{name}: geometric mean", geomean(found.values()), MEAN),
        Claim(f"{name}: worst", min(found.values()), WORST),
        Claim("an answer of the model: ms", statistics.median(answers) * 1e3, ANSWER_MS, at_most=True),
    ]


main = program(__doc__, measure, claims)


if __name__ == "__main__":
    sys.exit(main())
