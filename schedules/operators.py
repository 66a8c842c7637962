"""The operator table: what each operator computes, on which tensors, and what it costs.

`reference` is the numpy meaning and the last word on correctness; loop-nest definitions and templates are tested
against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.schedules.errors import SpecError

DTYPES: dict[str, int] = {"float32": 4}
Array = NDArray[AnyType]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor of an operator: its name, its shape in dimension names, and what it is for."""

    name: str
    dims: tuple[str, ...]
    output: bool = False
    may_be_constant: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table. Tensors stand in the order of the kernel ABI's `data`: inputs, then outputs."""

    name: str
    dims: tuple[str, ...]
    tensors: tuple[TensorSpec, ...]
    dtypes: tuple[str, ...]
    flops: Callable[[Mapping[str, int]], int]
    reference: Callable[..., Array]
    summary: str

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if not t.output)

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.output)

    @property
    def constant_operands(self) -> tuple[str, ...]:
        return tuple(t.name for t in self.tensors if t.may_be_constant)

    def tensor(self, name: str) -> TensorSpec:
        for spec in self.tensors:
            if spec.name == name:
                return spec
        known = ", ".join(t.name for t in self.tensors)
        raise SpecError(f"{self.name} has no tensor {name!r}; expected one of {known}")


def _dense_reference(x: Array, w: Array) -> Array:
    """In float64, rounded once: the reference must be better than anything compared with it."""
    product = x.astype(np.float64) @ w.astype(np.float64).T
    return product.astype(x.dtype)


OPERATORS: dict[str, Operator] = {
    "dense": Operator(
        name="dense",
        dims=("m", "n", "k"),
        tensors=(
            TensorSpec("x", ("m", "k")),
            TensorSpec("w", ("n", "k"), may_be_constant=True),
            TensorSpec("y", ("m", "n"), output=True),
        ),
        dtypes=("float32",),
        flops=lambda s: 2 * s["m"] * s["n"] * s["k"],
        reference=_dense_reference,
        summary="y[m, n] = sum_k x[m, k] * w[n, k]",
    ),
}


def operator(name: str) -> Operator:
    """Look an operator up by name; an unknown one is an error that lists the known ones."""
    try:
        return OPERATORS[name]
    except KeyError:
        raise SpecError(f"unknown operator {name!r}; expected one of {', '.join(sorted(OPERATORS))}") from None
