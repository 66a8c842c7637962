"""Tiles of a weight that are computed in shared memory, against numpy: any config, as text that runs on the CPU.

Sizes are those around a tile; blocks and threads run in several orders, and every access is watched.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from anytile.core.dtypes import FLOAT8
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.cuda.dense_simt import is_cluster
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.simulated_operators import run, simulated
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulator import Met

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

ORDERS = ("forward", "reverse", "random:1")
WORKLOADS = (
    "grouped_dense(m=?m, n=45, k=200, zeros=yes, accuracy={})",  # no whole number of rounds
    "grouped_dense(m=?m, n=?n, k=96, bits=8, group=64, scales=float16, accuracy={}, tail=relu(y + b[n]))",
    "grouped_dense(m=?m, n=40, k=40, scales=bfloat16, zeros=yes, accuracy={}, const=w+scale+zero)",
    "grouped_dense(m=35, n=24, k=136, bits=8, accuracy={}, tail=y * 0.5 + r[m, n])",
)
ACCURACIES = {"simt": "float32", "tf32": "float16", "mma": "int8"}


def _config(space: ConfigSpace, seed: int) -> Config:
    """Any, of those where blocks share sums as a cluster each fourth time."""
    drawn = [space[random.Random(seed + i).randrange(len(space))] for i in range(0, 99_000, 99)]
    return next((c for c in drawn if is_cluster(c) == (seed % 4 == 1)), drawn[0])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ACCURACIES)
def test_a_weight_that_is_widened_in_shared_memory(name: str, seed: int) -> None:
    made = template(f"grouped_dense.cuda.{name}")
    workload = Workload.parse(WORKLOADS[seed % len(WORKLOADS)].format(ACCURACIES[name]))
    old = name == "simt" and seed % 3 == 0  # without copies that run on by themselves
    target = Target.parse(f"cuda -arch={'sm_75' if old else 'sm_90a'}")
    config = _config(made.space(workload, target), seed)
    kernel = simulated(made, workload, config, target)
    tile = made.tile(config)
    for i, m in enumerate((1, tile - 1, tile + 3)):
        run(kernel, workload, {s: m if s == "m" else 19 for s in workload.symbols}, ORDERS[i], seed)


EIGHTHS = (
    "quantised_dense(m=?m, n=45, k=208, x=float32, w={}, out=float32{})",
    "quantised_dense(m=?m, n=?n, k=37, x=float32, w={}, out=float32{}, tail=relu(y * by[n] + b[n]))",
    "quantised_dense(m=35, n=24, k=136, x=float32, w={}, out=float32{}, const=w)",
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("name", ["simt", "narrow", "mma8"])
def test_a_weight_in_8_bit_floats(name: str, dtype: str, seed: int) -> None:
    made = template(f"quantised_dense.cuda.{name}")
    workload = Workload.parse(EIGHTHS[seed % len(EIGHTHS)].format(dtype, ", products=rounded" * (name == "mma8")))
    arch = "sm_90a" if seed % 2 else "sm_80" if name == "mma8" else "sm_75"
    target = Target.parse(f"cuda -arch={arch}")
    assert made.suits(workload)
    config = _config(made.space(workload, target), seed)
    kernel = simulated(made, workload, config, target)
    tile = made.tile(config)
    for i, m in enumerate((1, tile - 1, tile + 3)):
        run(kernel, workload, {s: m if s == "m" else 19 for s in workload.symbols}, ORDERS[i], seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mma", "grouped_dense(m=?m, n=45, k=520, zeros=yes, accuracy=int8)"),
        ("tf32", "grouped_dense(m=?m, n=40, k=520, bits=8, group=64, scales=float16, accuracy=float16)"),
        ("simt", "grouped_dense(m=?m, n=45, k=520, zeros=yes)"),
    ],
)
def test_scales_of_a_round_are_loaded_in_the_one_before_it(name: str, text: str) -> None:
    """By then a thread has asked for no bytes of the weight beyond those that round copies ahead."""
    made, workload = template(f"grouped_dense.cuda.{name}"), Workload.parse(text)
    target = Target.parse("cuda -arch=sm_90a")
    config = made.default(workload, target).with_(split_k=1, stages=3)
    kernel = simulated(made, workload, config, target)
    run(kernel, workload, {"m": 19}, "forward", watched=True)
    by_thread = defaultdict[tuple[int, int], list[Met]](list)
    for met in kernel.program.met:
        if met.name in ("w", "scale"):
            by_thread[met.block, met.thread].append(met)
    rounds = -(-520 // config.int("block_k"))
    seen = 0
    for order in by_thread.values():
        scales, weights = ([i for i, met in enumerate(order) if met.name == kind] for kind in ("scale", "w"))
        if len(scales) % rounds or len(weights) % rounds or not scales or not weights:
            continue  # of a row or of columns that are not there
        each, copied = len(scales) // rounds, len(weights) // rounds
        for r in range(1, rounds):
            before = sum(at < scales[r * each] for at in weights)
            assert before <= copied * min(r + 2, rounds), f"the scales of round {r}"
        seen += 1
    assert seen
