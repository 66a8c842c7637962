"""The plain schedule of any operator that is defined by a nest: vectors along its result's last dimension.

    parallel for outer dimensions: for no: acc[lane] += value

It serves operators that have no template of their own: right at every size, spread over the threads, and about as fast
as a compiler makes such loops. Tiles, packing and residues are for a template that somebody writes where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import product
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.traverse import loops
from anytile.schedules.operators.spec import Operator
from anytile.schedules.primitives.accumulate import accumulate
from anytile.schedules.primitives.loops import parallel, reorder, split, vectorize
from anytile.schedules.primitives.schedule import finish
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.parallel_grain import GRAINS
from anytile.schedules.templates.base.plain import PlainTemplate
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload


def nest_templates(operators: Mapping[str, Operator], served: frozenset[str]) -> tuple[PlainTemplate, ...]:
    """A template for each operator that is defined by a nest and not served by another."""
    left = [row.name for row in operators.values() if row.body is not None and row.name not in served]
    return tuple(PlainTemplate(f"{name}.nest", name, _write) for name in left)


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    s = start(workload)
    names = [loop.var for loop in loops(s.nest.body)]
    (output,) = workload.outputs
    *outer, last = (f"i_{d}" for d in output.dims)
    split(s, last, facts(target).lanes, "no", "nv")
    reorder(s, *outer, "no", *(name for name in names if name not in (*outer, last)), "nv")
    accumulate(s, inside="no")
    vectorize(s, "nv")
    if target.threads > 1:
        parallel(
            s, (*outer, "no")[0], product([workload.extents[name.removeprefix("i_")] for name in names]), GRAINS[0]
        )
    return finish(s)
