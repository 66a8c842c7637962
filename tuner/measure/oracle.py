"""The oracle of correctness: random inputs, what the operator's reference makes of them, and how near is near.

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

from anytile.core.dtypes import BYTES, STORED_FLOATS
from anytile.schedules.nest.stored_floats import STEPS, rounded
from anytile.schedules.operators import TensorSpec
from anytile.schedules.operators.movement.scatter import keys_of
from anytile.schedules.operators.spec import ONE, PAIRED
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Point

Array = NDArray[Any]
_SLACK = 8.0
_CUT_OFF = 2.0**-26  # half an ulp for each eight products, of sums that are four times as large as most
_CACHED_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Expected:
    """One output that a correct kernel gives, and how near counts as right; whole numbers must be equal.

    Those that floats were rounded to may be the neighbours.
    """

    name: str
    values: Array
    tolerance: float

    def difference(self, got: Array) -> str | None:
        """What is wrong with `got`, naming the first bad element; None when it is right."""
        wanted = self.values
        if wanted.dtype.kind != "f":
            near = got.view(np.uint8) == wanted.view(np.uint8) if wanted.dtype.kind == "b" else got == wanted
            if self.tolerance:
                near |= np.abs(got.astype(np.int64) - wanted) <= self.tolerance
        else:
            with np.errstate(invalid="ignore", over="ignore"):
                near = np.abs(got - wanted) <= self.tolerance  # false for NaN
                near |= (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        if near.all():
            return None
        bad = np.argwhere(~near)
        first = tuple(int(i) for i in bad[0])
        values = float(got[first]), float(wanted[first])
        return found_wrong(self.name, first, values, self.tolerance, (len(bad), got.size))


def found_wrong(
    name: str, place: tuple[int, ...], values: tuple[float, float], tolerance: float, count: tuple[int, int]
) -> str:
    """In words: at the first bad place is one value and should be another; so many are wrong, of so many."""
    value, wanted = values
    unwritten = " (never written?)" if math.isnan(value) else ""
    return (
        f"{name}[{', '.join(map(str, place))}] is {value:.7g}{unwritten}, expected {wanted:.7g} "
        f"within {tolerance:.2g}; {count[0]} of {count[1]} elements are wrong"
    )


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs of one workload at one point, and the outputs that a correct kernel gives."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Expected]

    @property
    def nbytes(self) -> int:
        expected = (e.values for e in self.outputs.values())
        return sum(a.nbytes for a in (*self.inputs.values(), *expected))


def make_case(workload: Workload, point: Point) -> Case:
    """The same workload and point give the same case, in every process."""
    sizes = workload.sizes(dict(point))
    inputs = {t.name: _input(workload, t, sizes) for t in workload.inputs}
    found = evaluate(workload, inputs)
    elements = sum(values.size for values in found.values())
    terms = workload.flops(dict(point)) / (2 * elements) if elements else 1.0
    dtypes = {t.name: workload.dtype_of(t) for t in workload.outputs}
    rounded_off = float(workload.spec.sums is not None and bool(workload.tail))
    rough = cut_off(workload, terms)
    if workload.spec.near is not None:
        rough += workload.spec.near(workload.attributes)
    near = {n: tolerance(values, terms, dtypes[n], rough) or rounded_off for n, values in found.items()}
    return Case(inputs, {n: Expected(n, values, near[n]) for n, values in found.items()})


def cut_off(workload: Workload, terms: float) -> float:
    """How far off sums of so many products of 16-bit floats may be, beside their size, as matrix units of GPUs make
    them: what a float32 has no room for they cut off, always towards zero, so that it adds up."""
    return _CUT_OFF * terms if any(workload.dtype_of(t) in STORED_FLOATS for t in workload.inputs) else 0.0


def tolerance(expected: Array, terms: float, dtype: str, rough: float = 0.0) -> float:
    """How near a result is right whose elements are sums of so many terms; `rough` is so much more, beside its size."""
    if expected.dtype.kind != "f":
        return 0.0
    if dtype in STEPS:  # sums are float32's; what is written is rounded, as the reference was, perhaps to a neighbour
        largest = float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)))
        return STEPS[dtype] * largest + tolerance(expected.astype(np.float32), terms, "float32", rough)
    finite = expected[np.isfinite(expected)].astype(np.float64)
    scale = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 1.0
    roundings = _SLACK * float(np.finfo(expected.dtype).eps) * math.sqrt(max(terms, 1.0))
    return (roundings + rough) * max(scale, 1e-3)


def _input(workload: Workload, tensor: TensorSpec, sizes: Mapping[str, int]) -> Array:
    """An operand of the same shape is the same at every point, so that a constant need be packed only once."""
    shape = tuple({**sizes, ONE: 1}[d] for d in tensor.dims)
    rng = np.random.default_rng(zlib.crc32(f"{workload} {tensor.name} {shape}".encode()))
    dtype = workload.dtype_of(tensor)
    if dtype == "float32" or dtype in STORED_FLOATS:
        return rounded(rng.uniform(-1, 1, shape), dtype)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype in ("int8", "uint8"):
        limits = np.iinfo(dtype)
        low, high = (limits.min, limits.max) if tensor.pairs is None else (-PAIRED // 2, PAIRED // 2)
        return rng.integers(low, high, shape, dtype, endpoint=True)
    if tensor.sorts is not None:
        return keys_of(rng.integers(0, max(sizes[tensor.sorts], 1), shape))
    positions = 9 if tensor.indexes is None else sizes[tensor.indexes]
    return rng.integers(0, max(positions, 1), shape).astype(dtype)


def bytes_needed(workload: Workload, point: Point) -> int:
    """A generous guess of what checking and timing one candidate takes: raw, wide, packed and guarded copies."""
    elements = sum(math.prod(workload.shape(t.name, dict(point))) for t in workload.tensors)
    return elements * (max(BYTES[workload.dtype_of(t)] for t in workload.tensors) * 4 + 8)


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
