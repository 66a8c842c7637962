"""The last word on correctness: random inputs, what the operator's reference makes of them, and how near is near.

The tolerance follows the length of the sums: rounding errors of a float32 sum of k random terms grow with its size
and with sqrt(k), while one missing or doubled term stays orders of magnitude above it.
"""

from __future__ import annotations

import math
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.schedules.operators import DTYPES
from anytile.schedules.reference import evaluate
from anytile.schedules.workload import Workload
from anytile.tuner.candidate import Point

Array = NDArray[Any]
_SLACK = 8.0
_CACHED_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs of one workload at one point, and the output that a correct kernel gives."""

    inputs: Mapping[str, Array]
    output: str
    expected: Array
    tolerance: float

    @property
    def nbytes(self) -> int:
        return self.expected.nbytes + sum(a.nbytes for a in self.inputs.values())

    def difference(self, got: Array) -> str | None:
        """What is wrong with `got`, naming the first bad element; None when it is right."""
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(got - self.expected) <= self.tolerance  # false for NaN
        if near.all():
            return None
        bad = np.argwhere(~near)
        first = tuple(int(i) for i in bad[0])
        where = ", ".join(map(str, first))
        value, wanted = float(got[first]), float(self.expected[first])
        unwritten = " (never written?)" if math.isnan(value) else ""
        return (
            f"{self.output}[{where}] is {value:.7g}{unwritten}, expected {wanted:.7g} within {self.tolerance:.2g}; "
            f"{len(bad)} of {got.size} elements are wrong"
        )


def make_case(workload: Workload, point: Point) -> Case:
    """The same workload and point give the same case, in every process."""
    bindings = dict(point)
    inputs = {t.name: _input(workload, t.name, workload.shape(t.name, bindings)) for t in workload.inputs}
    (output,) = workload.outputs
    expected = evaluate(workload, inputs)[output.name]
    terms = workload.flops(bindings) / (2 * expected.size) if expected.size else 1.0
    scale = float(np.sqrt(np.mean(np.square(expected, dtype=np.float64)))) if expected.size else 1.0
    tolerance = _SLACK * float(np.finfo(workload.dtype).eps) * math.sqrt(max(terms, 1.0)) * max(scale, 1e-3)
    return Case(inputs, output.name, expected, tolerance)


def _input(workload: Workload, tensor: str, shape: tuple[int, ...]) -> Array:
    """An operand of the same shape is the same at every point, so that a constant need be packed only once."""
    rng = np.random.default_rng(zlib.crc32(f"{workload} {tensor} {shape}".encode()))
    return rng.uniform(-1, 1, shape).astype(workload.dtype)


def bytes_needed(workload: Workload, point: Point) -> int:
    """A generous guess of what checking and timing one candidate takes: raw, wide, packed and guarded copies."""
    elements = sum(math.prod(workload.shape(t.name, dict(point))) for t in workload.tensors)
    return elements * (DTYPES[workload.dtype] * 4 + 8)


class CaseCache:
    """The cases of late, so that a hundred candidates at nine points compute nine references."""

    def __init__(self, limit: int = _CACHED_BYTES) -> None:
        self._limit = limit
        self._cases: OrderedDict[tuple[Workload, Point], Case] = OrderedDict()

    def get(self, workload: Workload, point: Point) -> Case:
        key = (workload, point)
        if key not in self._cases:
            self._cases[key] = make_case(workload, point)
        self._cases.move_to_end(key)
        while len(self._cases) > 1 and sum(c.nbytes for c in self._cases.values()) > self._limit:
            self._cases.popitem(last=False)
        return self._cases[key]
