"""Compile all CUDA kernels that a search could propose: how many in a second, which spill. Needs no GPU.

Each template at each of its architectures for each dense layer of BERT-base in each dtype, and for the other operators
of models, every config of its space, or a random sample of `--sample` of them (`--quick`: 24), on as many processes as
`--threads` says: the kernel that a candidate needs at the representative size of 64 rows. A kernel that is refused, or
keeps arrays in memory, is a defect; one that is refused does not count as compiled.
All of them are a hundred thousand, hours on two cores: `--part 3/8` takes the third eighth, every eighth config of each
space, so that the parts can be compiled one after another or side by side. With `--keep F` every answer is a line of F
as soon as there is one, and what F has is not compiled again: a run that was stopped goes on, and parts add up.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import anytile
from anytile import codegen, schedules
from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.facts import kernel_facts
from anytile.codegen.cuda.nvrtc import compile_cubin, version
from anytile.core.errors import AnytileError
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import default_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.measure.kept import Kept
from benchmarks.measure.program import program

ARCHITECTURES = ("sm_80", "sm_90a")
SPILLED = 0.005  # share of a space that may spill registers
RATE = 12.0  # candidates per second on two cores
Answer = dict[str, float] | str  # a candidate's facts, or why it has none
QUICK = 24
SHOWN = 20  # failures that are said
ROWS = 64
LAYERS = ((768, 768), (3072, 768), (768, 3072))  # (n, k) of BERT-base
DTYPES = ("float32", "bfloat16", "float16")
OTHERS = (  # of BERT-base, and one of each other kind
    "dense(m=?m, n=768, k=768, products=tf32x3)",
    "quantised_dense(m=?m, n=768, k=768, x=float32, w=bfloat16, out=float32, products=rounded)",
    "grouped_dense(m=?m, n=768, k=768, scales=float16, accuracy=int8)",
    "gated_dense(m=?m, u=768, k=768, gates=3, cell=y0 = z0; y1 = z1; y2 = z2)",
    "batch_matmul(b=12, m=?m, n=?m, k=64, lhs=mbk, rhs=nbk)",
    "batch_matmul(b=12, m=?m, n=64, k=?m, rhs=kbn, y=mbn)",
    "batch_matmul(b=12, m=?m, n=768, k=64, rhs=bnk, dtype=bfloat16)",
    "batch_matmul(b=12, m=?m, n=64, k=768, rhs=bkn, dtype=bfloat16)",
    "batch_matmul(b=3, m=?m, n=768, k=768, lhs=mk, rhs=bnk)",
    "batch_matmul(b=3, m=?m, n=768, k=768, lhs=mk, rhs=bnk, dtype=bfloat16)",
    "attention(b=1, h=12, m=?m, n=?n, d=64, e=64, scale=0.125, mask=n)",
    "attention(b=1, h=12, m=?m, n=?n, d=64, e=64, scale=0.125, mask=n, dtype=bfloat16)",
    "attention(b=1, h=32, m=1, n=?n, d=128, e=128, scale=0.088, lengths=yes, causal=yes, shared=4, dtype=bfloat16)",
    "softmax(outer=?m, n=?n, inner=1)",
    "layer_norm(rows=?m, n=768, pre=x + r[rows, n])",
    "reduce(d0=?m, d1=?n, rank=2, axes=1, kind=argmax)",
    "elementwise(d0=?m, d1=3072, rank=2, f=gelu(x[d0, d1] + c[d1]))",
    "transpose(d0=?m, d1=12, d2=64, rank=3, perm=1x0x2)",
    "gather(outer=1, n=?n, m=?m, inner=768)",
    "scatter_rows(n=?n, m=?m, inner=768, mode=add)",
    "scatter_rows(n=?n, m=?m, inner=1)",
    "concat(outer=?m, n0=768, n1=?n, inner=1)",
    "pad(d0=?m, d1=?n, rank=2, before=1x2, after=2x1, mode=reflect)",
    "max_pool2d(n=?m, c=64, h=112, w=112, kernel=3x3, stride=2x2, pad=1, layout=nhwc)",
    "conv2d(n=?m, ci=64, h=56, w=56, co=64, kh=3, kw=3, pad=1, layout=nhwc)",
    "conv2d(n=?m, ci=64, h=56, w=56, co=64, kh=3, kw=3, pad=1, layout=nhwc, filters=ohwi, dtype=bfloat16)",
    "softmax(outer=?m, n=768, inner=1, stored=x:bfloat16+y:bfloat16)",
    "layer_norm(rows=?m, n=768, pre=x + r[rows, n], stored=r:bfloat16+x:bfloat16+y:bfloat16)",
    "elementwise(d0=?m, d1=3072, rank=2, f=gelu(x[d0, d1] + c[d1]), stored=x:bfloat16+y:bfloat16)",
    "batch_matmul(b=12, m=?m, n=?m, k=64, lhs=mbk, rhs=nbk, stored=lhs:bfloat16+rhs:bfloat16)",
)


EVERY_S = 20.0  # between two lines of progress


@dataclass(frozen=True, slots=True)
class Part:
    """Every `of`-th config of each space, from the `number`-th on."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Part:
        number, slash, of = text.partition("/")
        if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise argparse.ArgumentTypeError(f"expected I/N with I from 1 to N, as in 3/8, got {text!r}")


WHOLE = Part(1, 1)


@dataclass(frozen=True, slots=True)
class Task:
    workload: str
    template: str
    arch: str
    config: str


def _code() -> str:
    """What tells the code that makes kernels from any other."""
    found = hashlib.sha256()
    for room in (schedules, codegen):
        for path in sorted(Path(room.__path__[0]).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


class Answers:
    """Answers of runs before this one. Those of another NVRTC or of other templates are none."""

    def __init__(self, path: Path | None) -> None:
        self._kept = Kept(path, f"nvrtc {version()}, code {_code()}")
        self._found: dict[Task, Answer] = {Task(*task): answer for task, answer in self._kept}

    def find(self, task: Task) -> Answer | None:
        return self._found.get(task)

    def add(self, answers: Iterable[tuple[Task, Answer]]) -> Iterator[Task]:
        """The tasks, as each one's answer comes, from when on it is found."""
        for task, answer in answers:
            self._kept.add(astuple(task), answer)
            self._found[task] = answer
            yield task


@dataclass(slots=True)
class Progress:
    """How far the whole run is, said now and then, and how long it waited for answers."""

    report: Report
    total: int
    done: int = 0
    seconds: float = 0.0
    said: float = 0.0

    def watched(self, answered: Iterable[Task]) -> Iterator[Task]:
        began = time.perf_counter()
        for task in answered:
            self.done += 1
            now = time.perf_counter()
            self.seconds, began = self.seconds + now - began, now
            if self.seconds - self.said >= EVERY_S:
                self.said = self.seconds
                rate = self.done / self.seconds
                left = (self.total - self.done) / rate / 60
                self.report.say(f"{self.done} of {self.total} candidates, {rate:.1f} a second, {left:.0f} minutes left")
            yield task


def attempted(task: Task) -> Answer:
    """The facts of one candidate, or in one line why it has none; runs in a worker."""
    try:
        return compiled(task)
    except AnytileError as error:
        return f"{task.template} {task.config} of {task.workload} for {task.arch}: {error}"


def _with_task(task: Task) -> tuple[Task, Answer]:
    return task, attempted(task)


def compiled(task: Task) -> dict[str, float]:
    """The facts of one candidate, and the processor's time that it took."""
    began = time.process_time()
    target, t = Target.parse(f"cuda -arch={task.arch}"), template(task.template)
    config = Config.parse(task.config)
    tile, workload = t.tile(config), Workload.parse(task.workload)
    rests = next((low, high) for low, high in default_classes(target.kind, tile) if low <= ROWS % tile <= high)
    source = build(workload, config, target, t, rests if t.symbol(workload) is not None else None)
    (launch,) = source.launches
    facts = compile_cubin(source.full, task.arch).facts
    known = kernel_facts(gpu_facts(target), facts, launch.shared, launch.threads)
    return {**known, "seconds": time.process_time() - began}


def tasks(workload: Workload, t: Template, arch: str, sample: int = 0, part: Part = WHOLE) -> list[Task]:
    space = t.space(workload, Target.parse(f"cuda -arch={arch}"))
    configs = space.sample(random.Random(0), sample) if sample else list(space)
    return [Task(str(workload), t.name, arch, str(c)) for c in configs[part.number - 1 :: part.of]]


def measure(report: Report, options: argparse.Namespace) -> None:
    sample = options.sample or (QUICK if options.quick else 0)
    workloads = [_dense(dtype, n, k) for dtype in DTYPES for n, k in LAYERS] + list(map(Workload.parse, OTHERS))
    spaces = [(workload, arch) for workload in workloads for arch in options.arch.split(",")]
    cases = [
        (workload, t, arch, tasks(workload, t, arch, sample, options.part))
        for workload, arch in spaces
        for t in templates_for(workload, Target.parse(f"cuda -arch={arch}"))
    ]
    kept = Answers(options.keep)
    lacking = [task for *_, todo in cases for task in todo if kept.find(task) is None]
    progress = Progress(report, len(lacking))
    with multiprocessing.get_context("spawn").Pool(options.threads) as pool:
        warm = tasks(_dense("float32", *LAYERS[0]), template("dense.cuda.narrow"), "sm_80", options.threads)
        pool.map(attempted, warm)
        # One at a time, and the cases in one row: no process waits for another at the end of each.
        new = set(progress.watched(kept.add(pool.imap_unordered(_with_task, lacking))))
    lines, count, fresh, spilling, in_memory = [], 0, 0, 0, 0
    failures: list[str] = []
    for workload, t, arch, todo in cases:
        answers = {task: answer for task in todo if (answer := kept.find(task)) is not None}
        found = [a for a in answers.values() if not isinstance(a, str)]
        refused = sorted(a for a in answers.values() if isinstance(a, str))
        failures += refused
        spills = [f for f in found if f["spills"]]
        count, spilling = count + len(found), spilling + len(spills)
        fresh += sum(task in new and not isinstance(a, str) for task, a in answers.items())
        in_memory += sum(f["in_memory"] > 0 for f in found)
        case: dict[str, str | int] = {"template": t.name, "workload": str(workload), "arch": arch}
        case |= {"candidates": len(found), "failed": len(refused), "spilling": len(spills)}
        each = sum(f["seconds"] for f in found) / max(len(found), 1)
        report.rows.append(Row(case, "nvrtc", each, 0.0, 0.0, 1))
        worst = max((f["spills"] for f in found), default=0.0)
        idle = sum(f["blocks_per_sm"] == 0 for f in found)
        figures = (f"{1e3 * each:.0f}", str(len(spills)), f"{worst:.0f}", str(idle))
        sizes = "x".join(str(size) for _, size in workload.dims)
        lines.append([t.name, workload.dtype, sizes, arch, str(len(found)), str(len(refused)), *figures])
        report.say(f"{t.name} of {workload} for {arch}: {len(found)} candidates")
    columns = (
        "template",
        "dtype",
        "sizes",
        "arch",
        "candidates",
        "failed",
        "CPU ms each",
        "spill",
        "bytes at most",
        "cannot run",
    )
    report.table("CUDA candidates", columns, lines)
    for failure in failures[:SHOWN]:
        report.say(failure)
    if progress.total:
        report.claims.append(Claim("candidates compiled per second", fresh / max(progress.seconds, 1e-9), RATE))
    else:
        report.unmeasured.append(f"candidates compiled per second, for {options.keep} has all of them")
    report.claims.append(Claim("candidates that NVRTC or the code generator refuses", len(failures), 0.0, at_most=True))
    report.claims.append(Claim("candidates with arrays in memory", in_memory, 0.0, at_most=True))
    report.claims.append(Claim("share of candidates that spill", spilling / max(count, 1), SPILLED, at_most=True))


def _dense(dtype: str, n: int, k: int) -> Workload:
    return anytile.dense(m=anytile.Any("m"), n=n, k=k, dtype=dtype)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--arch", default=",".join(ARCHITECTURES), help="architectures, with commas between them")
    parser.set_defaults(threads=2)  # on which the floor was set
    parser.add_argument("--sample", type=int, default=0, help="random configs of each space; 0 is all of them")
    parser.add_argument("--part", type=Part.parse, default=WHOLE, metavar="I/N", help="the I-th of N equal parts of it")
    parser.add_argument("--keep", type=Path, metavar="F", help="add answers to F, and compile none that it has")


main = program(__doc__, measure, extra=_options)


if __name__ == "__main__":
    sys.exit(main())
