"""Feature extraction from the launches of GPU kernels, without compiling them: how much runs at once, and how evenly.

The columns of the cost model beyond the knobs for targets of kind cuda, as `features` has them for a CPU's nests. What
ptxas says (registers, spills, occupancy) is known only once it is built, and comes as facts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.launch import Launch
from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import default_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload

NAMES = (
    "blocks",
    "threads",
    "shared",
    "workspace",
    "blocks_by_shared",
    "waves",
    "last_wave",
    "work_per_thread",
    "tile",
    "full_tiles",
    "residue_share",
)


def launch_row(
    template: Template, workload: Workload, target: Target, point: Mapping[str, int], walked: int, config: Config
) -> tuple[float, ...]:
    """All of NAMES; `walked` is the size that the template's tiles walk."""
    tile = max(template.tile(config), 1)
    rests = None
    if template.symbol(workload) is not None:
        rests = next((lo, hi) for lo, hi in default_classes("cuda", tile) if lo <= walked % tile <= hi)
    try:
        source = build(workload, config, target, template, rests)
    except ScheduleError:  # the build will say the same, as the config's failure
        return (math.nan,) * len(NAMES)
    row = launch_features(source.launches[0], source.shared, point, gpu_facts(target), workload.flops(point))
    return (*row, float(tile), float(walked // tile), walked % tile / tile)


def launch_features(
    launch: Launch, shared: int, point: Mapping[str, int], gpu: GpuFacts, flops: int
) -> tuple[float, ...]:
    """All but the last three of NAMES. `shared` is what a block takes, of which the launch knows but a part."""
    blocks = math.prod(launch.blocks(point))
    by_shared = min(gpu.blocks, gpu.threads // launch.threads, gpu.shared // (shared + gpu.shared_reserved))
    at_once = max(by_shared, 1) * gpu.multiprocessors
    waves = blocks / at_once
    return (
        math.log2(blocks + 1),
        float(launch.threads),
        float(shared),
        math.log2(launch.workspace.evaluate(point) + 1),
        float(by_shared),
        waves,
        waves - math.floor(waves) if waves % 1 else 1.0,
        math.log2(flops / max(blocks * launch.threads, 1) + 1),
    )
