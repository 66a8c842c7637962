"""Calls of models' operators for tests: the examples of a row as types, and arrays of those types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import Any, TensorType
from anytile.compiler.operators import OPERATORS
from anytile.compiler.text.parser import parse_type
from anytile.core.dtypes import MODEL_FLOATS
from anytile.schedules.operators.movement.scatter import keys_of
from anytile.schedules.operators.spec import Example

# An operator and an example of it, by a name that tests are called by.
EXAMPLES: dict[str, tuple[str, Example]] = {
    f"{row.name}-{i}-{'-'.join(found.types)}": (row.name, found)
    for row in OPERATORS.values()
    for i, found in enumerate(row.examples)
}
SIZES = ((1, 1), (2, 3), (3, 17), (1, 0), (0, 5))  # of the dimensions b and t
UNKNOWN_OF_NOTHING = ("max", "argmax", "min", "full")  # what they make of nothing is not what this compares


def typed(texts: Sequence[str]) -> list[tuple[str, TensorType]]:
    """What the elements are, and the type, of each argument."""
    made = []
    for text in texts:
        word, _, rest = text.partition("(")
        shape, _, dtype = rest.partition(")")
        t = parse_type(f"Tensor[({shape}), {dtype.strip() or 'float32'}]")
        assert isinstance(t, TensorType)
        made.append((word.strip(), t))
    return made


def array(word: str, t: TensorType, sizes: Mapping[str, int], rng: np.random.Generator) -> Array:
    """Elements of a type; `word` says what they are, as `Example` does."""
    shape = [sizes[d.name] if isinstance(d, Any) else d for d in t.shape]
    if word == "keys":
        return keys_of(rng.integers(0, 6, shape))
    if t.dtype == "bool":
        return rng.random(shape) < 0.5
    kind = np.dtype(t.dtype).kind
    if t.dtype not in MODEL_FLOATS:
        usual = (0 if kind == "u" else -3, 4)
        low, high = {"index": (0, 6), "one": (1, 2), "size": (6, 7), "minus": (-1, 0), "zero": (0, 1)}.get(word, usual)
        return rng.integers(low, high, shape).astype(t.dtype)
    made = rng.standard_normal(shape).astype(t.dtype)
    return np.abs(made) + made.dtype.type(0.1) if word == "positive" else made
