"""The decoder of examples/llama.py as rivals want its weights: in 4 bits, heads that share keys side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama import Size, layer_weights, outer_weights
from numpy.typing import NDArray

from anytile.compiler.passes.narrow.grouped_weights import grouped_weight

Array = NDArray[Any]
EPS = 1e-5  # as rms_norm has it, unless told otherwise


@dataclass(frozen=True)
class Grouped:
    """A weight [n, k] in 4 bits."""

    packed: Array
    scales: Array
    k: int

    @classmethod
    def of(cls, weight: Array) -> Grouped:
        made = grouped_weight(weight)
        assert made is not None  # random numbers are not so large
        return cls(*made, weight.shape[1])

    def with_rows(self, order: Array) -> Grouped:
        """With rows in another order of heads."""

        def moved(a: Array) -> Array:
            return a.reshape(len(order), -1, a.shape[1])[order].reshape(a.shape)

        return Grouped(moved(self.packed), moved(self.scales), self.k)

    def with_columns(self, order: Array) -> Grouped:
        """With columns in another order of heads, whose sizes groups divide."""

        def moved(a: Array) -> Array:
            return a.reshape(len(a), len(order), -1)[:, order].reshape(a.shape)

        return Grouped(moved(self.packed), moved(self.scales), self.k)


@dataclass(frozen=True)
class Weights:
    """A model's matrices in 4 bits by name, and its vectors; heads that share keys are neighbours, as rivals want."""

    size: Size
    layers: Sequence[dict[str, Any]]
    outer: dict[str, Any]

    @classmethod
    def of(cls, size: Size) -> Weights:
        order = np.arange(size.heads).reshape(-1, size.shared).T.ravel()

        def layer(number: int) -> dict[str, Any]:
            made: dict[str, Any] = {}
            for name, array in layer_weights(size, number).items():
                made[name] = Grouped.of(array) if array.ndim > 1 else array
            return made | {"w_q": made["w_q"].with_rows(order), "w_out": made["w_out"].with_columns(order)}

        outer = outer_weights(size)
        return cls(size, [layer(number) for number in range(size.layers)], outer | {"head": Grouped.of(outer["head"])})
