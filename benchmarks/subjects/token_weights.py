"""The weights of examples/llama.py's decoder as rivals want them: in 4 bits, heads that share keys side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama import Size
from numpy.typing import NDArray

from anytile.compiler.module import Module
from anytile.compiler.text.printer import stored

Array = NDArray[Any]
EPS = 1e-5  # as rms_norm has it, unless told otherwise
_MATRICES, _VECTORS = ("w_q", "w_k", "w_v", "w_out", "w_gate", "w_up", "w_down"), ("before", "behind")


@dataclass(frozen=True)
class Grouped:
    """A weight [n, k] in 4 bits."""

    packed: Array
    scales: Array

    @property
    def k(self) -> int:
        return 2 * int(self.packed.shape[1])

    def with_rows(self, order: Array) -> Grouped:
        """With rows in another order of heads."""

        def moved(a: Array) -> Array:
            return a.reshape(len(order), -1, a.shape[1])[order].reshape(a.shape)

        return Grouped(moved(self.packed), moved(self.scales))

    def with_columns(self, order: Array) -> Grouped:
        """With columns in another order of heads, whose sizes groups divide."""

        def moved(a: Array) -> Array:
            return a.reshape(len(a), len(order), -1)[:, order].reshape(a.shape)

        return Grouped(moved(self.packed), moved(self.scales))


@dataclass(frozen=True)
class Weights:
    """A model's matrices in 4 bits by name, and its vectors; heads that share keys are neighbours, as rivals want."""

    size: Size
    layers: Sequence[dict[str, Any]]
    outer: dict[str, Any]

    @classmethod
    def of(cls, size: Size, module: Module) -> Weights:
        """Those in the decoder's module, whose arrays they are where no order is another."""
        order, arrays = np.arange(size.heads).reshape(-1, size.shared).T.ravel(), stored(module)

        def grouped(name: str) -> Grouped:
            return Grouped(arrays[f"{name}_int4"], arrays[f"{name}_scale"])

        def layer(number: int) -> dict[str, Any]:
            made = {name: grouped(f"l{number}_{name}") for name in _MATRICES}
            made |= {"w_q": made["w_q"].with_rows(order), "w_out": made["w_out"].with_columns(order)}
            return made | {name: arrays[f"l{number}_{name}"] for name in _VECTORS}

        outer = {"words": arrays["words"], "norm": arrays["norm"], "head": grouped("head")}
        return cls(size, [layer(number) for number in range(size.layers)], outer)
