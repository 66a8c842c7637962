"""Operators whose text for a GPU runs on the CPU, against numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.codegen.cuda.build import build
from anytile.core.dtypes import STORED_FLOATS
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, held_as
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import Array, check, inputs_of
from tests.support.cuda_cpu.simulated import Simulated


def simulated(template: Template, workload: Workload, config: Config, target: Target) -> Simulated:
    """A kernel that runs on the CPU, of a nest that the verifier has seen."""
    verify(template.schedule(workload, target, config).nest)
    return Simulated(build(workload, config, target, template))


def run(
    kernel: Simulated, workload: Workload, symbols: Mapping[str, int], order: str, seed: int = 0, watched: bool = False
) -> None:
    """Run a kernel at these sizes, blocks and threads in an order, and compare what it makes of drawn operands. What it
    reads may be `watched`, for its program to tell."""
    inputs = inputs_of(workload, symbols, seed)
    held: dict[str, Array] = {name: np.ascontiguousarray(a) for name, a in inputs.items()}
    for t in workload.outputs:
        dtype = workload.dtype_of(t)
        poison = np.nan if dtype == "float32" or dtype in STORED_FLOATS else dtype == "bool" or 77
        held[t.name] = bits_of(np.full(workload.shape(t.name, symbols), poison, held_as(dtype)), dtype)
    if over := workload.spec.over:  # the output lies there, and the input is not read
        (y,) = workload.outputs
        held[y.name], held[over] = held[over].copy(), held[y.name]
    kernel.run(held, symbols, order, watched=watched)
    check(workload, held, inputs, f"{symbols}, {order}", 1e-5)
