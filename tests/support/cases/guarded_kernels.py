"""A workload with one output, compared to the last bit: interpreted, and as machine code between guard pages.

Operands are small whole numbers, so every order of additions gives the same float32: results are equal or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.load.loader import Loaded
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.guarded_memory import Place, Region
from tests.support.cases.dense_nests import run_nest

Floats = NDArray[np.float32]


def inputs_of(workload: Workload, symbols: Mapping[str, int], seed: int = 0) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    return {t.name: rng.integers(-4, 5, workload.shape(t.name, symbols)).astype(np.float32) for t in workload.inputs}


def expected(workload: Workload, inputs: Mapping[str, Floats]) -> Floats:
    (y,) = evaluate(workload, inputs).values()
    return y.astype(np.float32)


def check_interpreted(workload: Workload, nest: LoopNest, symbols: Mapping[str, int]) -> None:
    inputs = inputs_of(workload, symbols)
    (got,) = run_nest(nest, inputs, symbols).values()
    np.testing.assert_array_equal(got, expected(workload, inputs), err_msg=f"{workload} at {symbols}\n{nest}")


def check_native(workload: Workload, loaded: Loaded, symbols: Mapping[str, int], what: object = "") -> None:
    """Every buffer against a wall: an access past an end ends the process."""
    inputs = inputs_of(workload, symbols)
    dims = [symbols[name] for name in workload.symbols]
    regions = []
    for tensor in workload.tensors:
        shape = workload.shape(tensor.name, symbols)
        region = Region(4 * int(np.prod(shape)), Place.END, 4)
        if not tensor.output:
            region.array("float32", shape)[...] = inputs[tensor.name]
            region.protect(writable=False)
        regions.append(region)
    workspace = Region(loaded.workspace_bytes(dims), Place.END, 64)
    assert loaded.call(loaded.artifact.entry, [r.address for r in regions], dims, workspace.address) == 0
    y = regions[-1].array("float32", workload.shape(workload.outputs[0].name, symbols)).copy()
    for region in (*regions, workspace):
        assert region.damage() is None, f"{what} wrote out of bounds at {symbols}"
        region.close()
    np.testing.assert_array_equal(y, expected(workload, inputs), err_msg=f"{workload} at {symbols}: {what}")
