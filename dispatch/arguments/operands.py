"""Argument checks and shape binding: which shapes fit a workload, what its symbols are, and what must be copied.

Nothing here is on the fast path: a shape is checked once and remembered by the kernel, and an array comes here only if
the fast path could not take it as it is. Every refusal is one line: the operand, what was expected, what came.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.core.available_memory import available_memory
from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, ResourceError
from anytile.core.plurals import counted
from anytile.schedules.operators import TensorSpec
from anytile.schedules.operators.spec import PAIRED
from anytile.schedules.workloads.workload import MAX_BYTES, MAX_DIM, Any, Workload

Array = NDArray[AnyType]
ALWAYS_GRANTED = 256 << 20  # bytes below which the machine is not asked whether it has them
PASSABLE = 0x101  # numpy's flags C_CONTIGUOUS | ALIGNED


def pairs_beyond(array: Array) -> Array:
    """The sums of neighbours along the last dimension, 0 and 1, 2 and 3 and so on, that break a promise of pairs."""
    whole = array.shape[-1] // 2 * 2
    sums = np.add(array[..., :whole:2], array[..., 1:whole:2], dtype=np.int16)
    found: Array = sums[np.abs(sums) > PAIRED]
    return found


@dataclass(frozen=True)
class Operands:
    """The tensors of one workload, split into those passed at every call and those bound once."""

    workload: Workload

    @cached_property
    def passed(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.workload.inputs if t.name not in self.workload.const)

    @cached_property
    def constants(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.workload.inputs if t.name in self.workload.const)

    @cached_property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return self.workload.outputs

    def dtype(self, tensor: TensorSpec) -> np.dtype[AnyType]:
        """Of the arrays that are passed: bits where numpy has no such dtype."""
        return np.dtype(BY_NAME[self.workload.dtype_of(tensor)].numpy)

    def pattern(self, tensor: TensorSpec) -> str:
        """`(m, 768)`: the shape in words."""
        extents = self.workload.extents
        dims = [str(extents[d]) for d in tensor.dims]
        return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"

    def where(self, tensor: TensorSpec) -> str:
        return f"{self.workload.op}: {tensor.name}"

    def check_count(self, given: int) -> None:
        """A call passes every operand that is not constant."""
        if given != len(self.passed):
            names = ", ".join(t.name for t in self.passed)
            wanted = counted(len(self.passed), "array")
            raise ArgumentError(f"{self.workload.op}: expected {wanted}: {names}; got {given}")

    def check_constants(self, given: Collection[str]) -> None:
        """The constants of a workload are bound all at once."""
        if sorted(given) != sorted(self.workload.const):
            raise ArgumentError(
                f"{self.workload}: expected the constants {', '.join(self.workload.const) or '(none)'}, "
                f"got {', '.join(sorted(given)) or 'none'}; pass constants={{name: array}}"
            )

    def check_type(self, tensor: TensorSpec, array: Array) -> None:
        """dtype and rank; another byte order is the same dtype, and costs a copy."""
        dtype = self.dtype(tensor)
        if array.dtype.newbyteorder("=") != dtype:
            kind, way = str(dtype), f"{tensor.name}.astype('{dtype}')"
            if (name := self.workload.dtype_of(tensor)) != dtype.name:
                kind, way = f"the bits of {name} as {dtype}", f"anytile.bits_of({tensor.name}, '{name}')"
            got = "uint16 (or bfloat16)" if array.dtype == np.uint16 else array.dtype
            raise ArgumentError(
                f"{self.where(tensor)}: expected {kind} of shape {self.pattern(tensor)}, got {got}; pass {way}"
            )
        if array.ndim != len(tensor.dims):
            raise ArgumentError(
                f"{self.where(tensor)}: expected {len(tensor.dims)} dimensions {self.pattern(tensor)}, "
                f"got {array.ndim}: {array.shape}; reshape it first"
            )

    def check_pairs(self, tensor: TensorSpec, array: Array) -> None:
        """A constant keeps what its workload promises of neighbours."""
        if tensor.pairs is None:
            return
        beyond = pairs_beyond(np.moveaxis(array, tensor.dims.index(tensor.pairs), -1))
        if beyond.size:
            raise ArgumentError(
                f"{self.where(tensor)}: expected pairs along {tensor.pairs} that add up to {-PAIRED} to {PAIRED}, "
                f"got {beyond[0]}; leave pairs=int16 out"
            )

    def bind(
        self, tensors: Sequence[TensorSpec], shapes: Sequence[tuple[int, ...]], known: Mapping[str, int] | None = None
    ) -> dict[str, int]:
        """The symbols' values that the shapes imply; shapes that contradict the workload or each other are refused."""
        values = dict(known or {})
        said_by = dict.fromkeys(values, "the constants")
        following: list[tuple[TensorSpec, str, int, tuple[int, ...]]] = []
        given = dict(self.workload.dims)
        for tensor, shape in zip(tensors, shapes, strict=True):
            for name, got in zip(tensor.dims, shape, strict=True):
                if got > MAX_DIM:
                    raise ResourceError(f"{self.where(tensor)}: {name}={got} is over the limit of {MAX_DIM}; split it")
                dim = given.get(name)
                if dim is None:
                    following.append((tensor, name, got, shape))
                    continue
                symbol = dim.name if isinstance(dim, Any) else None
                expected = dim if isinstance(dim, int) else values.setdefault(dim.name, got)
                if got != expected:
                    source = f" ({symbol} is {expected} in {said_by.get(symbol, 'the constants')})" if symbol else ""
                    raise self._misfit(tensor, name, got, expected, shape, source)
                if symbol is not None:
                    said_by.setdefault(symbol, tensor.name)
        extents = self.workload.extents
        for tensor, name, got, shape in following:
            if extents[name].names <= set(values) and got != (expected := max(extents[name].evaluate(values), 0)):
                raise self._misfit(tensor, name, got, expected, shape, f" ({name} is {extents[name]})")
        return values

    def _misfit(
        self, tensor: TensorSpec, name: str, got: int, expected: int, shape: tuple[int, ...], source: str
    ) -> ArgumentError:
        return ArgumentError(
            f"{self.where(tensor)}: expected shape {self.pattern(tensor)}{source}, got {shape}; "
            f"{name} is {got} instead of {expected}"
        )

    def limits(self, values: Mapping[str, int]) -> tuple[int, ...]:
        """How many positions each passed operand of positions may choose from."""
        sizes = self.workload.sizes(values)
        return tuple(sizes[t.indexes] for t in self.passed if t.indexes is not None)

    def check_positions(self, tensor: TensorSpec, array: Array, values: Mapping[str, int]) -> None:
        """Every element of an operand of positions lies in its dimension, counted from either end."""
        if tensor.indexes is None or not array.size:
            return
        size = self.workload.sizes(values)[tensor.indexes]
        for worst in (int(array.min()), int(array.max())):
            if not -size <= worst < size:
                raise ArgumentError(
                    f"{self.where(tensor)}: expected positions from {-size} to {size - 1}, "
                    f"for {tensor.indexes} is {size}; got {worst}"
                )

    def shape(self, tensor: TensorSpec, values: Mapping[str, int]) -> tuple[int, ...]:
        return self.workload.shape(tensor.name, values)

    def nbytes(self, tensor: TensorSpec, values: Mapping[str, int]) -> int:
        shape = self.shape(tensor, values)
        total = self.dtype(tensor).itemsize * math.prod(shape)
        if total > MAX_BYTES:
            raise ResourceError(f"{self.where(tensor)}: {shape} takes more bytes than 64 bits count; split the work")
        return total


def passable(array: Array, dtype: np.dtype[AnyType]) -> bool:
    """Whether a kernel can read the array as it lies."""
    return array.dtype == dtype and array.flags.num & PASSABLE == PASSABLE


def obstacle(array: Array, dtype: np.dtype[AnyType]) -> str:
    """Why an array had to be copied, in two words."""
    if array.dtype != dtype:
        return "byte-swapped"
    return "not contiguous" if not array.flags.c_contiguous else "misaligned"


def require_memory(wanted: int, what: str) -> None:
    """Refuse in one line what the machine cannot hold, before the kernel's out-of-memory killer does it in none."""
    if wanted <= ALWAYS_GRANTED:
        return
    free = available_memory()
    if free is not None and wanted > free:
        raise ResourceError(
            f"{what} takes {wanted / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB are free; split the work"
        )
