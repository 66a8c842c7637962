"""Compile all CUDA kernels that a search could propose: how many in a second, which spill. Needs no GPU.

Each template of dense at each of its architectures, every config of its space, or a random sample of `--sample` of them
(`--quick`: 24), on as many processes as `--threads` says: the kernel that a candidate needs at the representative size
of 64 rows. A kernel that NVRTC refuses ends the run: it is a defect.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from dataclasses import dataclass

from harness import Claim, Report, Row
from program import program

import anytile
from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.facts import kernel_facts
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.dispatch.plan import default_classes
from anytile.schedules.gpu import gpu_facts
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.template import Template, template, templates_for
from anytile.schedules.workload import Workload

ARCHITECTURES = ("sm_80", "sm_90a")
SPILLED = 0.01  # share of a space that may spill registers
RATE = 10.0  # candidates per second on two cores
QUICK = 24
ROWS = 64


@dataclass(frozen=True, slots=True)
class Task:
    workload: str
    template: str
    arch: str
    config: str


def compiled(task: Task) -> dict[str, float]:
    """The facts of one candidate, and the processor's time that it took; runs in a worker."""
    began = time.process_time()
    target, t = Target.parse(f"cuda -arch={task.arch}"), template(task.template)
    config = Config.parse(task.config)
    tile = t.tile(config)
    rests = next((low, high) for low, high in default_classes(target.kind, tile) if low <= ROWS % tile <= high)
    source = build(Workload.parse(task.workload), config, target, t, rests)
    (launch,) = source.launches
    facts = compile_cubin(source.full, task.arch).facts
    known = kernel_facts(gpu_facts(target), facts, launch.shared, launch.threads)
    return {**known, "seconds": time.process_time() - began}


def tasks(workload: Workload, t: Template, arch: str, sample: int) -> list[Task]:
    space = t.space(workload, Target.parse(f"cuda -arch={arch}"))
    configs = space.sample(random.Random(0), sample) if sample else list(space)
    return [Task(str(workload), t.name, arch, str(c)) for c in configs]


def measure(report: Report, options: argparse.Namespace) -> None:
    sample = options.sample or (QUICK if options.quick else 0)
    lines, count, seconds, spilling = [], 0, 0.0, 0
    with multiprocessing.get_context("spawn").Pool(options.threads) as pool:
        pool.map(compiled, tasks(_dense("float32"), template("dense.cuda.narrow"), "sm_80", options.threads))  # warm
        for dtype in ("float32", "bfloat16"):
            for arch in options.arch.split(","):
                workload, target = _dense(dtype), Target.parse(f"cuda -arch={arch}")
                for t in templates_for(workload, target):
                    todo = tasks(workload, t, arch, sample)
                    began = time.perf_counter()
                    found = pool.map(compiled, todo, chunksize=4)
                    took = time.perf_counter() - began
                    spills = [f for f in found if f["spills"]]
                    count, seconds, spilling = count + len(todo), seconds + took, spilling + len(spills)
                    case = {"template": t.name, "dtype": dtype, "arch": arch, "candidates": len(todo)}
                    report.rows.append(Row(case, "nvrtc", took / max(len(todo), 1), 0.0, 0.0, 1))
                    worst = max((f["spills"] for f in found), default=0.0)
                    idle = sum(f["blocks_per_sm"] == 0 for f in found)
                    each = 1e3 * sum(f["seconds"] for f in found) / max(len(found), 1)
                    figures = (f"{len(todo) / took:.1f}", f"{each:.0f}", str(len(spills)), f"{worst:.0f}", str(idle))
                    lines.append([t.name, dtype, arch, str(len(todo)), *figures])
                    report.say(f"{t.name} for {arch}: {len(todo)} candidates")
    columns = (
        "template",
        "dtype",
        "arch",
        "candidates",
        "per second",
        "CPU ms each",
        "spill",
        "bytes at most",
        "cannot run",
    )
    report.table("CUDA candidates", columns, lines)
    report.claims.append(Claim("candidates compiled per second", count / seconds, RATE))
    report.claims.append(Claim("share of candidates that spill", spilling / max(count, 1), SPILLED, at_most=True))


def _dense(dtype: str) -> Workload:
    return anytile.dense(m=anytile.Any("m"), n=768, k=768, dtype=dtype)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arch", default=",".join(ARCHITECTURES), help="architectures, with commas between them")
    parser.add_argument("--sample", type=int, default=0, help="random configs of each space; 0 is all of them")


main = program(__doc__, measure, extra=_options)


if __name__ == "__main__":
    sys.exit(main())
