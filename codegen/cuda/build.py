"""A workload, a template and a config as CUDA source: the one door through which kernels for a GPU are made."""

from __future__ import annotations

from functools import lru_cache

from anytile.codegen.cuda.source import CudaSource, cuda_source
from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.primitives.gpu.edge_blocks import part_blocks, part_fixed
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Any, Workload


def build(
    workload: Workload,
    config: Config,
    target: Target,
    template: Template | None = None,
    rests: tuple[int, int] | None = None,
) -> CudaSource:
    """The kernel for a config. `rests`: what is left of the walked symbol beyond full tiles lies between these."""
    template = template or templates_for(workload, target)[0]
    nest = scheduled_nest(workload, config, target, template, rests)
    return cuda_source(nest, kernel_name(template, rests), f"{workload}: {config}")


def scheduled_nest(
    workload: Workload, config: Config, target: Target, template: Template, rests: tuple[int, int] | None = None
) -> LoopNest:
    """The nest that `build` prints."""
    made = _whole(template, workload, target, config)  # type: ignore[arg-type]  # templates have hashes: frozen all
    if made.walk is None:
        return made.nest
    rows = workload.dim("m")
    if not isinstance(rows, Any):
        if rests is not None:
            raise ScheduleError(f"{workload}: rests {rests[0]}..{rests[1]} of a dimension that is a number")
        return part_fixed(made.nest, made.walk, rows)
    low, high = rests or (0, made.walk.tile - 1)
    return part_blocks(made.nest, made.walk, low, high)


@lru_cache(maxsize=2)  # of a plan's variant, one kernel for each class of residues after the other
def _whole(template: Template, workload: Workload, target: Target, config: Config) -> Scheduled:
    return scheduled(template, workload, target, config)


def kernel_name(template: Template, rests: tuple[int, int] | None) -> str:
    name = template.name.replace(".", "_")
    if rests is None:
        return name
    return f"{name}_r{rests[0]}" + (f"_{rests[1]}" if rests[0] != rests[1] else "")
