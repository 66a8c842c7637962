"""Compile all CUDA kernels that a search could propose: how many in a second, which spill. Needs no GPU.

Each template of dense at each of its architectures for each layer of BERT-base, every config of its space, or a random
sample of `--sample` of them (`--quick`: 24), on as many processes as `--threads` says: the kernel that a candidate
needs at the representative size of 64 rows. A kernel that is refused is a defect, and does not count as compiled.
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
from anytile.schedules.errors import AnytileError
from anytile.schedules.gpu import gpu_facts
from anytile.schedules.space import Config
from anytile.schedules.target import Target
from anytile.schedules.template import Template, template, templates_for
from anytile.schedules.workload import Workload

ARCHITECTURES = ("sm_80", "sm_90a")
SPILLED = 0.01  # share of a space that may spill registers
RATE = 10.0  # candidates per second on two cores
QUICK = 24
SHOWN = 20  # failures that are said
ROWS = 64
LAYERS = ((768, 768), (3072, 768), (768, 3072))  # (n, k) of BERT-base
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Task:
    workload: str
    template: str
    arch: str
    config: str


def attempted(task: Task) -> dict[str, float] | str:
    """The facts of one candidate, or in one line why it has none; runs in a worker."""
    try:
        return compiled(task)
    except AnytileError as error:
        return f"{task.template} {task.config} of {task.workload} for {task.arch}: {error}"


def compiled(task: Task) -> dict[str, float]:
    """The facts of one candidate, and the processor's time that it took."""
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
    failures: list[str] = []
    spaces = [(_dense(dtype, n, k), arch) for dtype in DTYPES for n, k in LAYERS for arch in options.arch.split(",")]
    with multiprocessing.get_context("spawn").Pool(options.threads) as pool:
        warm = tasks(_dense("float32", *LAYERS[0]), template("dense.cuda.narrow"), "sm_80", options.threads)
        pool.map(attempted, warm)
        for workload, arch in spaces:
            for t in templates_for(workload, Target.parse(f"cuda -arch={arch}")):
                todo = tasks(workload, t, arch, sample)
                began = time.perf_counter()
                answers = pool.map(attempted, todo, chunksize=4)
                took = time.perf_counter() - began
                found = [a for a in answers if not isinstance(a, str)]
                failures += [a for a in answers if isinstance(a, str)]
                spills = [f for f in found if f["spills"]]
                count, seconds, spilling = count + len(found), seconds + took, spilling + len(spills)
                n, k = (workload.sizes({"m": ROWS})[name] for name in "nk")
                case = {"template": t.name, "dtype": workload.dtype, "n": n, "k": k, "arch": arch}
                case |= {"candidates": len(found), "failed": len(todo) - len(found)}
                report.rows.append(Row(case, "nvrtc", took / max(len(found), 1), 0.0, 0.0, 1))
                worst = max((f["spills"] for f in found), default=0.0)
                idle = sum(f["blocks_per_sm"] == 0 for f in found)
                each = 1e3 * sum(f["seconds"] for f in found) / max(len(found), 1)
                figures = (f"{len(found) / took:.1f}", f"{each:.0f}", str(len(spills)), f"{worst:.0f}", str(idle))
                failed = str(len(todo) - len(found))
                lines.append([t.name, workload.dtype, f"{n}x{k}", arch, str(len(found)), failed, *figures])
                report.say(f"{t.name} of {workload} for {arch}: {len(found)} candidates")
    columns = (
        "template",
        "dtype",
        "n x k",
        "arch",
        "candidates",
        "failed",
        "per second",
        "CPU ms each",
        "spill",
        "bytes at most",
        "cannot run",
    )
    report.table("CUDA candidates", columns, lines)
    for failure in failures[:SHOWN]:
        report.say(failure)
    report.claims.append(Claim("candidates compiled per second", count / max(seconds, 1e-9), RATE))
    report.claims.append(Claim("candidates that NVRTC or the code generator refuses", len(failures), 0.0, at_most=True))
    report.claims.append(Claim("share of candidates that spill", spilling / max(count, 1), SPILLED, at_most=True))


def _dense(dtype: str, n: int, k: int) -> Workload:
    return anytile.dense(m=anytile.Any("m"), n=n, k=k, dtype=dtype)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arch", default=",".join(ARCHITECTURES), help="architectures, with commas between them")
    parser.set_defaults(threads=2)  # on which the floor was set
    parser.add_argument("--sample", type=int, default=0, help="random configs of each space; 0 is all of them")


main = program(__doc__, measure, extra=_options)


if __name__ == "__main__":
    sys.exit(main())
