"""Nests that the interpreter runs, beside what their workloads mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.stored_floats import held_as, rounded
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload

Floats = NDArray[np.float32]


def interpreted(nest: LoopNest, workload: Workload, inputs: Mapping[str, Floats], symbols: Mapping[str, int]) -> Floats:
    """The result, of a nest that leaves its inputs alone."""
    arrays = {name: a.copy() for name, a in inputs.items()}
    y = arrays["y"] = np.full(workload.shape("y", symbols), np.nan, held_as(workload.dtype))
    interpret(nest, arrays, symbols)
    for name, a in inputs.items():
        np.testing.assert_array_equal(arrays[name], a)
    return y


def check(workload: Workload, nest: LoopNest, symbols: Mapping[str, int]) -> None:
    """A nest computes what its workload means, of small whole numbers to the last bit."""
    rng = np.random.default_rng(0)
    inputs = {
        t.name: rounded(rng.integers(-3, 4, workload.shape(t.name, symbols)), workload.dtype) for t in workload.inputs
    }
    got = interpreted(nest, workload, inputs, symbols)
    np.testing.assert_array_equal(got, evaluate(workload, inputs)["y"], err_msg=f"{workload} at {symbols}\n{nest}")
