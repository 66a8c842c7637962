"""The host table: operators that run as numpy functions, because how much they make depends on what they read.

A function takes input arrays, output arrays that it fills in place, and keyword attributes. `unique`, `nonzero` and
`non_max_suppression` fill the begin of an output that is as large as it could be, and say in their last output, an
int64 tensor of one dimension, what shape the real result has; the caller shows that part by ReshapeTensor.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ArgumentError, ResourceError, SpecError

Array = NDArray[AnyType]
HostFunction = Callable[..., None]
ARANGE, REPEAT = "arange", "repeat"  # which compiled code does itself


@dataclass(frozen=True)
class Twofold:
    """A host function that native code has, too, by that name; `words` are its attributes as native code reads them."""

    function: HostFunction
    native: str
    words: Callable[[Mapping[str, AnyType]], tuple[int, ...]]

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array], **attributes: AnyType) -> None:
        self.function(inputs, outputs, **attributes)


def parse_call(text: str) -> tuple[str, dict[str, AnyType]]:
    """`unique`, or `cumsum {"axis": 1}`: a function's name and its attributes."""
    name, _, rest = text.partition(" ")
    try:
        attributes = json.loads(rest) if rest else {}
    except (ValueError, RecursionError) as error:
        raise SpecError(f"packed call {text[:80]!r}: its attributes are no JSON: {error}") from None
    if not name.isidentifier() or not isinstance(attributes, dict):
        raise SpecError(f"packed call {text[:80]!r}: expected a name and attributes, as in 'unique {{}}'")
    return name, attributes


def call_text(name: str, attributes: Mapping[str, AnyType] | None = None) -> str:
    """The text that `parse_call` reads."""
    return f"{name} {json.dumps(dict(attributes), sort_keys=True)}" if attributes else name


def _unique(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """The different elements, in order."""
    found = np.unique(inputs[0])
    outputs[0].reshape(-1)[: found.size] = found
    outputs[1][...] = found.shape


def _nonzero(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """The positions of elements that are not 0, one column for each, int64 (rank, found)."""
    found = np.stack(np.nonzero(inputs[0])) if inputs[0].ndim else np.zeros((0, int(bool(inputs[0]))), np.int64)
    outputs[0].reshape(-1)[: found.size] = found.reshape(-1)
    outputs[1][...] = found.shape


def _non_max_suppression(
    inputs: Sequence[Array], outputs: Sequence[Array], iou_threshold: float = 0.5, score_threshold: float = 0.0
) -> None:
    """boxes (n, 4) as y0, x0, y1, x1 and scores (n,): the positions of the boxes that stay, best first."""
    boxes, scores = inputs
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > score_threshold]
    area = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0), axis=1)
    kept: list[int] = []
    while order.size:
        best, rest = order[0], order[1:]
        kept.append(int(best))
        low, high = np.maximum(boxes[best, :2], boxes[rest, :2]), np.minimum(boxes[best, 2:], boxes[rest, 2:])
        common = np.prod(np.maximum(high - low, 0), axis=1)
        union = np.maximum(area[best] + area[rest] - common, np.finfo(np.float32).tiny)
        order = rest[common / union <= iou_threshold]
    outputs[0].reshape(-1)[: len(kept)] = kept
    outputs[1][...] = (len(kept),)


def arange(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """start, start + step, ... in int64, as many as the output holds."""
    (start, _, step), (made,) = inputs, outputs
    if any(x.dtype != np.int64 for x in (start, step, made)):
        raise TypeError(f"{start.dtype}, {step.dtype} to {made.dtype}; expected int64")
    made[...] = (start.reshape(()) + step.reshape(()) * np.arange(made.size)).reshape(made.shape)


def repeat(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """The first input, repeated along the dimensions that it lacks or has 1 of."""
    x, made = inputs[0], outputs[0]
    if x.dtype != made.dtype or np.may_share_memory(x, made):
        raise TypeError(f"{x.dtype} to {made.dtype}; expected the same dtype, and memory of its own")
    made[...] = x


HOST_FUNCTIONS: Mapping[str, HostFunction] = {
    "unique": _unique,
    "nonzero": _nonzero,
    "non_max_suppression": _non_max_suppression,
    ARANGE: arange,
    REPEAT: repeat,
}


def find(name: str, functions: Mapping[str, HostFunction]) -> HostFunction:
    """A function of the table; one that is not there is an error that lists those that are."""
    try:
        return functions[name]
    except KeyError:
        raise SpecError(f"packed function {name!r}: expected one of {', '.join(sorted(functions))}") from None


def run(
    function: HostFunction,
    name: str,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    attributes: Mapping[str, AnyType],
) -> None:
    """Call it; what numpy says of arrays that do not fit becomes an ArgumentError, want of memory a ResourceError."""
    try:
        function(inputs, outputs, **attributes)
    except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
        call = f"{name} of {', '.join(str(x.shape) for x in inputs)}"
        if isinstance(error, MemoryError):
            said = str(error) or "the system gave it no memory"
            raise ResourceError(f"{call}: {said}; pass smaller inputs or run fewer things at once") from None
        raise ArgumentError(f"{call}: {error}; pass arrays that it takes") from None
