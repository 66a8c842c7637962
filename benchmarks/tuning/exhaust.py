"""Measure a whole config space and store it as a table that `scripts/bench search` replays.

    scripts/bench exhaust --shape m=?,n=768,k=768 --at 64 -o benchmarks/data/dense-768x768.json.gz
    scripts/bench exhaust --shape m=?,n=3072,k=768 --no-constant --searched 128 -o NAME.json.gz

Configs are measured in shuffled order, so that a drift of the machine touches none of the knobs more than others. The
fastest are then measured again, in several passes of another order each, and stand with the median of their passes: the
best of thousands of noisy times would otherwise be the luckiest. What still cannot be told apart is noted as the
table's resolution. Ctrl-C stores what there is, `--resume` goes on from it. With `--searched N` the table holds only
what a search of N trials comes across: for the warm starts of `search.py`.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anytile.core.errors import AnytileError, SpecError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload, parse_shape
from anytile.tuner.protocol.candidate import Candidate, Outcome, Point, Runner, TimingPolicy, point_of
from anytile.tuner.runners.make_runner import make_runner
from anytile.tuner.search.evolve import propose
from anytile.tuner.search.features import features_of
from anytile.tuner.search.state import Observation, SearchState
from benchmarks.measure.machine import confine, describe
from benchmarks.subjects.spacetable import SpaceTable, narrowed

CHUNK = 64
BATCH = 16
SAVE_EVERY_S = 60.0
FIRST = TimingPolicy(repeats=3, min_repeat_ms=2.0, warmup_ms=0.5, slow_factor=3.0)
AGAIN = TimingPolicy(repeats=5, min_repeat_ms=3.0, warmup_ms=1.0, checked=False)
PASSES = 5

Measured = dict[Config, tuple[tuple[float, ...], Status, Mapping[str, float]]]


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    if options.cores:
        confine(options.cores)
    try:
        return _run(options)
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    target = Target.parse(options.target)
    workload = parse_shape(options.op, options.shape)
    workload = workload.with_const(workload.constant_operands if options.constant else ())
    template = next((t for t in templates_for(workload, target) if options.template in (None, t.name)), None)
    if template is None:
        raise SpecError(f"--template {options.template}: {workload} is not served by it")
    space = narrowed(template.space(workload, target), _keep(options.keep))
    points = tuple(point_of(dict.fromkeys(workload.symbols, size)) for size in options.at)
    measured: Measured = {}
    resolution: float | None = None
    if options.resume and options.output.exists():
        measured = _from_table(SpaceTable.load(options.output), space, points)
    order = [c for c in space if c not in measured]
    random.Random(0).shuffle(order)
    print(f"{workload} on {target}: {len(space)} configs, {len(measured)} known", file=sys.stderr)

    def save() -> None:
        _table(workload, target, template, space, points, measured, resolution).save(options.output)

    runner = make_runner("inline")
    finished = False
    try:
        if options.searched:
            _search(runner, workload, target, template, points, space, options.searched, measured)
            return 0
        for done in _measure(runner, workload, target, template, points, order, FIRST, measured):
            if done:
                save()
        best = sorted((c for c in measured if _ok(measured[c])), key=lambda c: measured[c][0][0])[: options.again]
        passes: list[Measured] = [{} for _ in range(PASSES)]
        for number, seen in enumerate(passes):
            mixed = random.Random(number).sample(best, len(best))
            for _ in _measure(runner, workload, target, template, points, mixed, AGAIN, seen):
                pass
        resolution = settle(passes, measured)
        if resolution is not None:
            print(f"equally fast configs lie {resolution:.1%} apart, by noise", file=sys.stderr)
        finished = True
    except KeyboardInterrupt:
        print("stopped; --resume goes on", file=sys.stderr)
    finally:
        runner.close()
        save()
    return 0 if finished else 130


def _search(
    runner: Runner,
    workload: Workload,
    target: Target,
    template: Template,
    points: tuple[Point, ...],
    space: ConfigSpace,
    trials: int,
    measured: Measured,
) -> None:
    """Measure what `evolve` proposes, from nothing but the template's default."""
    features = features_of(template, workload, target, dict(points[0]))
    seeds = (template.default(workload, target),)
    state = SearchState(space, (), 0, features, seeds=seeds, sizes=tuple(workload.sizes(dict(points[0])).values()))
    while len(measured) < trials and (batch := propose(state, min(BATCH, trials - len(measured)))):
        for _ in _measure(runner, workload, target, template, points, batch, FIRST, measured):
            pass
        seen = tuple(Observation(c, _time(measured[c]), measured[c][1], measured[c][2]) for c in batch)
        state = replace(state, history=(*state.history, *seen))


def settle(passes: Sequence[Measured], measured: Measured) -> float | None:
    """Take over the median of each config's passes, and any failure; how far equal ones then lie apart by noise."""
    spreads: list[float] = []
    for config in passes[0]:
        found = [seen[config] for seen in passes]
        failed = next((f for f in found if not _ok(f)), None)
        if failed is not None:
            measured[config] = failed
            continue
        columns = list(zip(*(f[0] for f in found), strict=True))
        middles = tuple(statistics.median(column) for column in columns)
        measured[config] = (middles, Status.OK, found[0][2])
        spreads += [statistics.stdev(column) / middle for column, middle in zip(columns, middles, strict=True)]
    if not spreads:
        return None
    # The median of n passes has 1.25 / sqrt(n) of their deviation, a difference of two such 1.41 times that.
    return math.sqrt(2) * 1.25 * statistics.median(spreads) / math.sqrt(len(passes))


def _time(result: tuple[tuple[float, ...], Status, Mapping[str, float]]) -> float:
    return result[0][0] if _ok(result) else math.inf


def _measure(
    runner: Runner,
    workload: Workload,
    target: Target,
    template: Template,
    points: tuple[Point, ...],
    configs: Sequence[Config],
    policy: TimingPolicy,
    measured: Measured,
) -> Iterator[bool]:
    """Measure into `measured`; yields after each chunk, True when it is time to save."""
    began = saved = time.monotonic()
    for start in range(0, len(configs), CHUNK):
        batch = [
            Candidate(workload, target, template.name, c, points, start + i)
            for i, c in enumerate(configs[start : start + CHUNK])
        ]
        for outcome in runner.run(batch, policy):
            measured[outcome.candidate.config] = _result(outcome)
        done, now = min(start + CHUNK, len(configs)), time.monotonic()
        left = (now - began) / done * (len(configs) - done)
        print(f"[{now - began:6.0f} s] {done} of {len(configs)}, {left:.0f} s left", file=sys.stderr, flush=True)
        due = now - saved > SAVE_EVERY_S
        saved = now if due else saved
        yield due


def _result(outcome: Outcome) -> tuple[tuple[float, ...], Status, Mapping[str, float]]:
    """One failed point fails the config, as in a search."""
    failed = [t.status for t in outcome.timings if t.status is not Status.OK]
    if failed:
        return tuple(math.nan for _ in outcome.timings), failed[0], outcome.facts
    return tuple(statistics.median(t.samples) / outcome.drift for t in outcome.timings), Status.OK, outcome.facts


def _ok(result: tuple[tuple[float, ...], Status, Mapping[str, float]]) -> bool:
    return result[1] is Status.OK


def _table(
    workload: Workload,
    target: Target,
    template: Template,
    space: ConfigSpace,
    points: tuple[Point, ...],
    measured: Measured,
    resolution: float | None,
) -> SpaceTable:
    configs = tuple(c for c in space if c in measured)
    return SpaceTable(
        workload=workload,
        target=target,
        template=template.name,
        version=template.version,
        machine=describe(target.threads),
        points=points,
        knobs=space.knobs,
        configs=configs,
        seconds=tuple(tuple(measured[c][0][p] for c in configs) for p in range(len(points))),
        failures={c: measured[c][1] for c in configs if not _ok(measured[c])},
        facts={c: measured[c][2] for c in configs},
        resolution=resolution,
    )


def _from_table(table: SpaceTable, space: ConfigSpace, points: tuple[Point, ...]) -> Measured:
    if table.points != points:
        raise SpecError("--resume: the table was measured at other sizes; give the same --at, or another -o")
    found: Measured = {}
    for i, config in enumerate(table.configs):
        if config in space:
            times = tuple(column[i] for column in table.seconds)
            found[config] = (times, table.failures.get(config, Status.OK), table.facts.get(config, {}))
    return found


def _keep(text: str) -> dict[str, list[str]]:
    pairs = (part.partition("=") for part in text.split(",") if part)
    return {name.strip(): values.split("+") for name, _, values in pairs}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--op", default="dense")
    parser.add_argument("--shape", default="m=?,n=768,k=768")
    parser.add_argument("--target", default="llvm -threads=1")
    parser.add_argument("--at", type=int, nargs="+", default=[64], metavar="SIZE", help="what symbols stand for (64)")
    parser.add_argument("--keep", default="", metavar="KNOB=V+V,...", help="measure only these values of some knobs")
    parser.add_argument("--again", type=int, default=200, metavar="N", help="the fastest N are measured again")
    parser.add_argument("--constant", action=argparse.BooleanOptionalAction, default=True, help="constant operands")
    parser.add_argument(
        "--searched", type=int, default=0, metavar="N", help="measure only what a search of N trials does"
    )
    parser.add_argument("--template", metavar="NAME", help="default: the first that serves the workload")
    parser.add_argument("--cores", type=int, default=0, metavar="N", help="hold everything to so many cores")
    parser.add_argument("--resume", action="store_true", help="go on from the table at -o")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="TABLE.json.gz")
    return parser


if __name__ == "__main__":
    sys.exit(main())
