"""A printed kernel run as its launches say, on the CPU: the very text that NVRTC gets, grids and workspace as on a GPU.

The workspace outlives a run, as a device's does: its counters are zero before the first, and must be after each.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.codegen.cuda.launch import COUNTERS
from anytile.codegen.cuda.source import CudaSource
from anytile.schedules.nest.stored_floats import held_as
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cuda_cpu.simulator import Array, Fault, Program, TensorMap, program


class Simulated:
    def __init__(self, source: CudaSource) -> None:
        self.source = source
        self.program: Program = program(source.full)
        self._counters = np.zeros(COUNTERS, np.uint8)

    def run(
        self,
        arrays: Mapping[str, Array],
        symbols: Mapping[str, int],
        order: str = "forward",
        profile: bool = False,
        watched: bool = False,
    ) -> None:
        """Arrays by the names of the workload's tensors; outputs are written in place."""
        refused = self.source.objection(symbols)
        assert refused is None, refused
        for launch in self.source.launches:
            grid, size = launch.blocks(symbols), launch.workspace.evaluate(symbols)
            if 0 in grid:
                continue
            # What is no counter holds whatever was there: NaN, here.
            workspace = np.concatenate([self._counters, np.full(max(0, size - COUNTERS), 0xFF, np.uint8)])[:size]
            values: list[Array | int | TensorMap] = [arrays[b.name] for b in self.source.params]
            values += [workspace] if size else []
            values += [symbols[name] for name in self.source.symbols]
            names = [p.name for p in self.program.parameters(launch.kernel)]
            for m in launch.maps:
                values.append(TensorMap(names[m.tensor], tuple(e.evaluate(symbols) for e in m.sizes), m.box, m.steps))
            given = dict(zip(names, values, strict=True))
            name, shared = launch.kernel, launch.shared
            self.program.launch(
                name, grid, launch.block, given, shared=shared, order=order, profile=profile, watched=watched
            )
            if workspace[:COUNTERS].any():
                raise Fault(f"{launch.kernel} leaves a meeting point's counter as it was in mid-launch")


def operands(workload: Workload, symbols: Mapping[str, int], seed: int = 0) -> dict[str, Array]:
    """Inputs of small whole numbers, whose sums are exact in any order, and outputs full of NaN."""
    rng = np.random.default_rng(seed)
    made: dict[str, Array] = {}
    for t in workload.inputs:
        made[t.name] = rng.integers(-4, 5, workload.shape(t.name, symbols)).astype(workload.dtype_of(t))
    for t in workload.outputs:
        made[t.name] = np.full(workload.shape(t.name, symbols), np.nan).astype(workload.dtype_of(t))
    return made


def check(kernel: Simulated, workload: Workload, sizes: Mapping[str, int], order: str = "forward") -> None:
    """The kernel computes what the workload means: to the last bit, and with a tail as well as its functions are."""
    symbols = {dim.name: sizes[name] for name, dim in workload.dims if isinstance(dim, Any)}
    arrays = operands(workload, symbols)
    want = evaluate(workload, {t.name: arrays[t.name].astype(held_as(workload.dtype_of(t))) for t in workload.inputs})
    kernel.run(arrays, symbols, order)
    close = {"float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}
    for t in workload.outputs:
        slack = close[workload.dtype_of(t)] if workload.tail else 0.0
        got, wanted = arrays[t.name].astype(np.float32), want[t.name].astype(np.float32)
        said = f"{workload} at {sizes}, {order}"
        np.testing.assert_allclose(got, wanted, rtol=slack, atol=slack, err_msg=said)
