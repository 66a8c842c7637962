"""Complex numbers as a program has them: two tensors of one shape, real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anytile.importers.core.graph import Value

DTYPES = {"complex64": "float32", "complex128": "float64"}  # what the parts of each are


@dataclass(frozen=True, slots=True)
class Parts:
    """A tensor of complex numbers."""

    real: Value
    imaginary: Value

    def each(self, made: Callable[[Value], Value]) -> Parts:
        """The same of both parts."""
        return Parts(made(self.real), made(self.imaginary))


def has_parts(held: Any) -> bool:
    """Whether what a node is given has complex numbers in it."""
    return any(map(has_parts, held)) if isinstance(held, list | tuple) else isinstance(held, Parts)
