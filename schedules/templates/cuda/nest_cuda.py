"""The plain schedule on a GPU of any operator that is defined by a nest: a thread makes one element of the result.

    block bo, bm, bn: thread tm, tn: for the other loops: acc += value

It serves products that no template of their own takes (a layout, a dtype, a form of cell), and is the reference on the
device that faster kernels are judged by at sizes where the host would take minutes.
"""

from __future__ import annotations

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopKind, LoopNest, Update
from anytile.schedules.nest.traverse import loops, walk
from anytile.schedules.operators.products.gated_dense import GATED_DENSE
from anytile.schedules.operators.products.grouped_dense import GROUPED_DENSE
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import FLOAT
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.gpu.bind import bind
from anytile.schedules.primitives.loops import reorder, split, unroll
from anytile.schedules.primitives.schedule import finish
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.space import Config, Knob
from anytile.schedules.workloads.workload import Workload

_GATES = "i_g"  # of a cell: all of them are one thread's
_FEW = 8  # elements along a dimension that are worth no blocks
PLAIN = Config.of(across=32, down=8)


def plainly(workload: Workload, config: Config = PLAIN) -> LoopNest:
    """The operator's nest with nothing but its outputs spread over blocks and threads."""
    s = start(workload)
    gates = _GATES if workload.op == GATED_DENSE.name else None
    every = [loop.var for loop in loops(s.nest.body)]
    (update,) = (x for x in walk(s.nest.body) if isinstance(x, Update))
    made = [name for e in update.index for name in every if name in e.names and name != gates]
    inner = [name for name in every if name not in made]
    if gates is not None:  # one after the other at each step of k, as x is read once for all
        inner = [*(name for name in inner if name != gates), gates]
    few = [name for name in made[:-1] if 0 < (s.loop(name).extent.value or 0) <= _FEW]
    many, across = [name for name in made[:-1] if name not in few], made[-1]
    outer, down = many[:-1], many[-1:]
    blocks, threads = [*outer[-1:]], list[str]()
    for name, size, block, thread in (
        *((name, config.int("down"), "bm", "tm") for name in down),
        (across, config.int("across"), "bn", "tn"),
    ):
        split(s, name, size, block, thread)
        blocks.append(block)
        threads.append(thread)
    serial = [*outer[:-1], *few]  # a grid has three dimensions
    reorder(s, *blocks, *serial, *threads, *inner)
    bind(s, LoopKind.BLOCK, *blocks)
    bind(s, LoopKind.THREAD, *threads)
    accumulate(s, inside=threads[-1], gates=gates)
    if gates is not None:
        unroll(s, gates)
    return finish(s)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    return plainly(workload, config)


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    return (
        Choice(Knob("across", (8, 16, 32, 64, 128), "threads along the result's last dimension"), PLAIN["across"]),
        Choice(Knob("down", (1, 2, 4, 8), "threads along the one before it"), PLAIN["down"]),
    )


class _BesideFloats(PlainTemplate):
    """Of a narrow weight beside floats; integers are for CPUs so far."""

    def suits(self, workload: Workload) -> int:
        return 1 if workload.attributes["x"] == FLOAT else 0


NESTS_CUDA = (
    *(
        PlainTemplate(f"{op}.cuda.nest", op, _write, _choices, "cuda")
        for op in ("batch_matmul", "conv2d", "gated_dense", GROUPED_DENSE.name)
    ),
    _BesideFloats(f"{QUANTISED_CONV2D.name}.cuda.nest", QUANTISED_CONV2D.name, _write, _choices, "cuda"),
)
