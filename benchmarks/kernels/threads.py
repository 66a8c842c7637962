"""The same plan with one thread and with several, in one run: every operator, and the layouts that are hard.

Tunes nothing. Both kernels are built from what the database has for their target, called from Python as a program
would, and timed in alternation, on the same operands: where an array lies may matter more than who writes it. Beside
them runs the kernel of one thread, built again: how much slower than itself that ever is, is what this run cannot tell
apart, and all that several threads may lose. A sample counts while every thread has a core of its own: two that a host
puts on one say nothing of a plan. Only what follows a pause, in which threads fall asleep, is taken as it comes. Where
they seem to lose more, the size is measured anew, with more rounds. `scripts/bench conv2d --threads N` does the same
for convolutions, beside the rivals.

    scripts/bench threads --threads 2 --check --json threads.json
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.core.errors import SpecError
from anytile.schedules.operators import TensorSpec
from anytile.schedules.operators.movement.scatter import keys_of
from anytile.schedules.workloads.constructors import (
    attention,
    avg_pool2d,
    batch_norm,
    concat,
    conv2d,
    cumsum,
    elementwise,
    gather,
    layer_norm,
    lstm_cell,
    max_pool2d,
    one_hot,
    pad,
    reduce,
    rms_norm,
    scatter_rows,
    slice_of,
    softmax,
    split,
    transpose,
)
from anytile.tuner.measure.cpu.drift import Reference
from anytile.tuner.presets.workloads import MOBILENET_V2_DEPTHWISE
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, geomean, interleave
from benchmarks.measure.program import program

Array = NDArray[AnyType]
SIZES = (1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 200, 256, 512, 1024)
QUICK = (1, 8, 17, 64, 128)
SHOWN = (*QUICK, 1024)  # one by one in the table
BATCHES = (1, 2, 8)  # of depthwise layers
LAYERS = ((768, 768), (3072, 768), (768, 3072))
ONE, AGAIN, SEVERAL = "one thread", "one thread, built again", "all threads"
PRODUCTS = ("dense", "q k^T", "p v")
PAUSED = "after a pause, dense 768x768"
PAUSE, BURST = 0.02, 20  # seconds, calls
LARGE = 64  # rows from which on a dense layer must gain
SUSPECT = 0.97  # measured again below
MOST_NOISE = 0.92  # a run that cannot tell this from 1 is too noisy to say that nothing is lost


@dataclass(frozen=True, slots=True)
class Task:
    """A workload of one symbol, which is also called `m` in the case."""

    name: str
    workload: anytile.Workload
    sizes: tuple[int, ...] = SIZES
    paused: bool = False  # a burst of calls after a pause, and then the next


def tasks() -> list[Task]:
    m, t = anytile.Any("m"), anytile.Any("t")
    found = [Task(f"dense {n}x{k}", anytile.dense(m=m, n=n, k=k, const=("w",))) for n, k in LAYERS]
    found.append(Task(PAUSED, anytile.dense(m=m, n=768, k=768, const=("w",)), (8, 32, 128), paused=True))
    found.append(Task("quantised_dense", anytile.quantised_dense(m=m, n=768, k=768, const=("w",))))
    found.append(Task("grouped_dense", anytile.grouped_dense(m=m, n=768, k=768, const=("w", "scale"))))
    found.append(Task("attention", attention(b=1, h=12, m=t, n=t, d=64, e=64)))
    heads = anytile.quantised_attention(b=1, h=12, m=t, n=t, d=64, e=64)
    found.append(Task("attention of integers", heads))
    found.append(Task("quantised products", anytile.quantised_batch_matmul(b=12, m=t, n=t, k=64, rhs="bnk")))
    found.append(Task("q k^T", anytile.batch_matmul(b=12, m=t, n=t, k=64, rhs="bnk")))
    found.append(Task("p v", anytile.batch_matmul(b=12, m=t, n=64, k=t)))
    found += [Task(name, workload) for name, workload in small(m).items()]
    found.append(Task("max_pool2d", max_pool2d(n=m, c=64, h=112, w=112, kernel=3, pad=1), BATCHES))
    found.append(Task("avg_pool2d", avg_pool2d(n=m, c=64, h=112, w=112, kernel=3, pad=1), BATCHES))
    for layout in ("nchw", "nhwc"):
        images = conv2d(m, 3, 12, 12, 8, 3, 3, pad=1, layout=layout, const=("w",))
        found.append(Task(f"conv2d of small images, {layout}", images))
    images = anytile.quantised_conv2d(m, 16, 12, 12, 16, 3, 3, pad=1, layout="nhwc", const=("w",))
    found.append(Task("quantised_conv2d of small images", images))
    for text, _ in MOBILENET_V2_DEPTHWISE:
        layer = anytile.Workload.parse(text)
        size, stride = layer.sizes({"n": 1}), layer.attributes["stride"]
        found.append(Task(f"depthwise {size['h']} {size['ci']}/{stride[0]}", layer, BATCHES))
    return found


def small(m: anytile.Any) -> dict[str, anytile.Workload]:
    """What models run between their products, on rows of 768: the cheapest first to lose by threads."""
    return {
        "softmax": softmax(768, outer=m),
        "layer_norm": layer_norm(m, 768),
        "rms_norm": rms_norm(m, 768),
        "quantised rows": anytile.quantise_rows(m, 768),
        "quantised within a range": anytile.quantise_within(m),
        "integers within a range": anytile.dequantise_within(m),
        "gelu": elementwise("gelu(x[d0, d1])", m, 768),
        "add + relu": elementwise("relu(a[d0, d1] + b[d0, d1])", m, 768),
        "row sums": reduce("sum", m, 768, axes=1),
        "column sums": reduce("sum", m, 768, axes=0),
        "transpose": transpose(m, 768, perm=(1, 0)),
        "concat": concat(384, 384, outer=m),
        "cumsum": cumsum(768, outer=m),
        **moving(m),
        "batch_norm": batch_norm(outer=m, c=64, inner=49),
        "lstm_cell": lstm_cell(m=m, u=64, k=64, const=("w", "bias")),
    }


def moving(m: anytile.Any) -> dict[str, anytile.Workload]:
    """Of these the hard layouts too: a loop that threads share, inside another one of many rounds."""
    return {
        "rows gathered": gather(100, m, inner=768),
        "gather along the last axis": gather(64, 64, outer=m, inner=1),
        "pairs gathered": gather(64, 64, outer=m, inner=2),
        "rows between rows": anytile.Workload.parse("interpolate(outer=?m, n=64, m=100, taps=2, inner=64)"),
        "one_hot": one_hot(m, depth=768),
        "rows scattered": scatter_rows(m, 64, inner=768),
        "slice": slice_of(m, 768, at=(slice(0, 1 << 30), slice(8, 760))),
        "pad": pad(m, 768, around=((0, 0), (1, 1))),
        "split": split(768, 2, outer=m),
        "transpose of rows": transpose(m, 64, 12, perm=(1, 0, 2)),
        "sums of the outer and the last axis": reduce("sum", m, 64, 12, axes=(0, 2)),
        "softmax across": softmax(64, outer=m, inner=12),
    }


def measure(report: Report, options: argparse.Namespace) -> None:
    if options.threads < 2:
        raise SpecError("--threads 1: expected two or more, to compare with one")
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing(rounds=11, slot_ms=3.0)
    steady = Reference(options.threads).steady()
    for task in tasks():
        report.say(task.name)
        rng = np.random.default_rng(0)
        workload, symbol = task.workload, task.workload.symbols[0]
        constants = {name: _input(rng, workload, workload.tensor(name), {symbol: 1}) for name in workload.const}
        targets = [anytile.Target.host(threads) for threads in (1, 1, options.threads)]
        kernels = [anytile.build(workload, target=t, db=options.db, constants=constants) for t in targets]
        for m in [m for m in task.sizes if m in QUICK] if options.quick else task.sizes:
            sizes = {symbol: m}
            inputs = [_input(rng, workload, s, sizes) for s in workload.inputs if s.name not in constants]
            results = [np.zeros(workload.shape(t.name, sizes), workload.dtype_of(t)) for t in workload.outputs]
            out = results[0] if len(results) == 1 else tuple(results)
            calls = [partial(kernel, *inputs, out=out) for kernel in kernels]
            calls[0]()
            alone = [y.copy() for y in results]
            calls[-1]()
            same = (np.allclose(y, one, rtol=1e-5, atol=1e-4) for y, one in zip(results, alone, strict=True))
            if not all(same):  # two plans may sum in two orders
                raise SystemExit(f"error: {task.name} at {m}: {options.threads} threads give another result than one")
            flops = float(workload.flops(sizes))
            named = zip((ONE, AGAIN, SEVERAL), calls, strict=True)
            systems = [bursts(who, call, flops) if task.paused else System.of(who, call, flops) for who, call in named]
            case, cores = {"op": task.name, "m": m}, None if task.paused else steady
            rows = interleave(case, systems, timing, cores)
            if min(*gains(rows).values(), *gains(rows, AGAIN).values()) < SUSPECT:
                rows = interleave(case, systems, longer(timing), cores)
            report.rows += rows
    show(report)


def bursts(name: str, call: Callable[[], object], flops: float) -> System:
    """A system whose one call is a burst of them, after a pause that is not timed."""

    def run(times: int) -> float:
        spent = 0.0
        for _ in range(times):
            time.sleep(PAUSE)
            begin = time.perf_counter()
            for _ in range(BURST):
                call()
            spent += time.perf_counter() - begin
        return spent

    return System(name, run, BURST * flops)


def _input(rng: np.random.Generator, workload: anytile.Workload, tensor: TensorSpec, sizes: dict[str, int]) -> Array:
    """Of a tensor of positions each is there; a variance is not negative."""
    shape = workload.shape(tensor.name, sizes)
    if tensor.indexes is not None:
        return rng.integers(0, workload.sizes(sizes)[tensor.indexes], shape, workload.dtype_of(tensor))
    if tensor.sorts is not None:
        return keys_of(rng.integers(0, workload.sizes(sizes)[tensor.sorts], shape))
    if workload.dtype_of(tensor) in ("int8", "uint8"):
        return rng.integers(0, 128, shape, workload.dtype_of(tensor))
    made = _random(rng, shape)
    return np.abs(made) if tensor.name == "variance" else made


def _random(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32)


def longer(timing: Timing) -> Timing:
    return replace(timing, rounds=3 * timing.rounds, most_rounds=3 * timing.most_rounds)


def gains(rows: Iterable[Row], who: str = SEVERAL) -> dict[tuple[str, int], float]:
    """(task, m) -> how many times faster than one thread several are, or another system is."""
    seconds: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        seconds.setdefault((row.case["op"], row.case["m"]), {})[row.system] = row.seconds
    return {key: at[ONE] / at[who] for key, at in seconds.items()}


def noise(same: Iterable[float]) -> float:
    """How much slower than itself one thread ever seems, whichever of its two kernels it is; at most `MOST_NOISE`."""
    return max(MOST_NOISE, min(min(gain, 1 / gain) for gain in same))


def claims(rows: Iterable[Row]) -> list[Claim]:
    rows = list(rows)
    found, same = gains(rows), gains(rows, AGAIN)
    large = [gain for (task, m), gain in found.items() if task.startswith("dense") and m >= LARGE]
    products = [key for key in found if key[0].startswith(PRODUCTS)]
    paused = [key for key in found if key[0] == PAUSED]
    others = [key for key in found if key not in (*products, *paused)]
    name = "several threads over one"
    made = [Claim(f"{name}, dense of m >= {LARGE}: geometric mean", geomean(large), 1.8)]
    groups = {
        "products of any size": products,
        "small operators and depthwise layers of any size": others,
        f"{BURST} calls after a pause": paused,
    }
    for what, keys in groups.items():
        if keys:
            worst, floor = min(found[key] for key in keys), noise(same[key] for key in keys)
            made.append(Claim(f"{name}, {what}: worst", worst, floor))
    return made


def show(report: Report) -> None:
    found = gains(report.rows)
    lines = []
    for task in dict.fromkeys(task for task, _ in found):
        of_task = {m: gain for (name, m), gain in found.items() if name == task}
        worst = min(of_task, key=of_task.__getitem__)
        some = (f"{of_task[m]:.2f}" if m in of_task else "-" for m in SHOWN)
        lines.append([task, f"{geomean(of_task.values()):.2f}", f"{of_task[worst]:.3f} at {worst}", *some])
    report.table("Several threads over one", ["", "all sizes", "worst, at m", *map(str, SHOWN)], lines)


main = program(__doc__, measure, claims)

if __name__ == "__main__":
    sys.exit(main())
