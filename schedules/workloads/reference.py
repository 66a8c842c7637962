"""What a workload means, in numpy: slow, obvious, and the last word on correctness.

Floats are computed in float64 and rounded once, so the answer is better than anything that is compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.stored_floats import rounded
from anytile.schedules.operators.products.quantised_dense import INTEGER_LIMITS
from anytile.schedules.operators.spec import Array, wide
from anytile.schedules.workloads.workload import Workload


def evaluate(workload: Workload, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Every output by name, in its dtype."""
    stored = dict(workload.stored)
    inputs = {name: a.astype(np.float32) if name in stored else a for name, a in inputs.items()}
    found = workload.spec.reference(inputs, workload.attributes)
    if workload.tail:
        found = (_tail(workload, found[0], inputs),)
    with np.errstate(all="ignore"):
        return {
            t.name: _stored(workload, y, workload.dtype_of(t)) for t, y in zip(workload.outputs, found, strict=True)
        }


def _stored(workload: Workload, values: Array, dtype: str) -> Array:
    """What an output holds of values; of requantised ones the nearest integer that there is."""
    if workload.spec.sums is not None and values.dtype.name != dtype and dtype in INTEGER_LIMITS:
        values = np.clip(np.rint(values), *INTEGER_LIMITS[dtype])
    return rounded(values, dtype)


def _tail(workload: Workload, result: Array, inputs: Mapping[str, Array]) -> Array:
    """The tail over the whole result, its operands broadcast to it."""
    (output,) = workload.outputs
    value = floats(workload.tail)
    # A tail computes with floats, of sums that are integers too: tanh(3) is none.
    read: dict[str, Array] = {output.name: result if result.dtype.kind == "f" else result.astype(np.float64)}
    for name, dims in elementwise_text.operands(value, workload.tail).items():
        if name != output.name:
            order = sorted(dims, key=output.dims.index)
            spread = wide(inputs[name]).transpose([dims.index(d) for d in order])
            read[name] = spread.reshape([result.shape[i] if d in dims else 1 for i, d in enumerate(output.dims)])
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(elementwise_text.evaluate(value, read)), result.shape)
