"""From which size on the defaults of the templates give a loop a second thread: never before it is worth one."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Loop, LoopKind
from anytile.schedules.nest.traverse import walk
from anytile.schedules.templates.base.parallel_grain import GRAINS, UNIT, computed, grain_rule, moved
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import (
    batch_matmul,
    concat,
    conv2d,
    cumsum,
    dense,
    elementwise,
    gather,
    layer_norm,
    lstm_cell,
    max_pool2d,
    reduce,
    softmax,
    transpose,
)
from anytile.schedules.workloads.workload import Any, Workload

TWO = Target.parse("llvm -mcpu=znver4 -threads=2")
STARTING = 1.2e-6  # seconds that a region costs with a thread that waits for it, measured
WAKING = 20e-6  # and with one that sleeps
MOVING = ("transpose", "concat", "gather")
m = Any("m")
# A workload of m, and what one of m takes in units of 10 ps: of products the operations, of all others as measured with
# 32 rows on one core with vectors of 512 bits.
CASES: dict[str, tuple[Workload, int]] = {
    "dense": (dense(m=m, n=64, k=64, const=("w",)), 2 * 64 * 64),
    "dense, packed at run time": (dense(m=m, n=64, k=64), 2 * 64 * 64),
    "batch_matmul": (batch_matmul(b=4, m=m, n=32, k=16), 2 * 4 * 32 * 16),
    "conv2d": (conv2d(m, 8, 7, 7, 128, 3, 3, pad=1, const=("w",)), 2 * 128 * 49 * 8 * 9),
    "conv2d, depthwise": (conv2d(m, 16, 7, 7, 16, 3, 3, pad=1, groups=16, layout="nhwc"), 2 * 16 * 49 * 9),
    "lstm_cell": (lstm_cell(m=m, u=64, k=16, const=("w", "bias")), 2 * 4 * 64 * 16),
    "sums": (elementwise("a[d0, d1] + b[d0, d1]", m, 768), 768 * 11),
    "biases": (elementwise("a[d0, d1] + b[d1]", m, 768), 768 * 8),
    "of bytes": (elementwise("where(c[d0, d1], x[d0, d1], 0)", m, 768, types={"c": "bool"}), 768 * 10),
    "gelu": (elementwise("gelu(x[d0, d1])", m, 768), 768 * 40),
    "softmax": (softmax(768, outer=m), 768 * 24),
    "layer_norm": (layer_norm(m, 768), 768 * 16),
    "row sums": (reduce("sum", m, 768, axes=1), 768 * 4),
    "column sums": (reduce("sum", m, 768, axes=0), 768 * 5),
    "cumsum": (cumsum(768, outer=m), 768 * 44),
    "transpose": (transpose(m, 768, perm=(1, 0)), 768 * 11),
    "concat": (concat(384, 384, outer=m), 768 * 8),
    "gather": (gather(100, m, inner=768), 768 * 8),
    "max_pool2d": (max_pool2d(n=m, c=8, h=16, w=16, kernel=3, pad=1), 8 * 8 * 8 * 9 * 24),
}


@pytest.mark.parametrize("name", CASES)
def test_a_second_thread_starts_where_it_gains_and_not_before(name: str) -> None:
    """After about 10 us, eight times what starting costs; where data only move, after 20."""
    least = 2 * GRAINS[0] if name in MOVING else GRAINS[0]
    workload, each = CASES[name]
    template = templates_for(workload, TWO)[0]
    nest = template.schedule(workload, TWO, template.default(workload, TWO)).nest
    grains = {s.grain for s in walk(nest.body) if isinstance(s, Loop) and s.kind is LoopKind.PARALLEL}
    assert grains
    for grain in grains - {None}:
        assert grain is not None
        assert grain.least == least
        if "m" not in grain.work.names:
            continue  # of weights packed at run time
        first = next(n for n in range(1, 1 << 16) if grain.work.evaluate({"m": n}) >= 2 * grain.least)
        assert 0.6 * 2 * least <= first * each <= 3.5 * 2 * least, f"from {first} on"


def test_a_grain_is_several_times_what_starting_costs() -> None:
    default, *others = (grain * UNIT for grain in GRAINS)
    assert default >= 4 * STARTING
    assert min(others) >= 2 * STARTING
    assert max(others) >= WAKING


def test_work_is_the_slower_of_computing_and_moving() -> None:
    assert moved(10, ("float32", "bool")).value == 50
    assert computed(10, 1, ("float32", "float32")).value == 80
    assert computed(10, 7, ("float32", "float32")).value == 140


def test_only_what_threads_share_has_a_grain() -> None:
    rule = grain_rule()
    of = ConfigSpace("t", (), (rule,))
    assert of.constraints == (rule,)
    for values, holds in (({"parallel": "none", "grain": GRAINS[1]}, False), ({"parallel": "n", "grain": 1}, True)):
        assert rule.holds(dict(Config.of(**values).values)) is holds
