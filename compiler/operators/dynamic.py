"""Operators whose results are as large as their data say, or at most as large as their shapes say; and shape_of.

The first kind computes its results' sizes from the arguments' values ("data"), compiled where that is arithmetic on a
few whole numbers; the second is given memory for an upper bound, which follows from shapes, and the virtual machine
slices its results to what they turned out to be ("upper_bound"). None has a schedule: the virtual machine calls them
through packed functions that do what `numpy` says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.operators.spec import (
    FLOATS,
    NUMBERS,
    REQUIRED,
    Arithmetic,
    Attribute,
    Attributes,
    Elements,
    Facts,
    Mismatch,
    Operator,
    Shaped,
    Within,
    axis_of,
    integer,
    number,
    of_dtype,
    of_rank,
    same_dtype,
)
from anytile.schedules.index.expr import Expr, const, maximum, minimum
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.operators.spec import MAX_NUMBER, example

Shapes = tuple[tuple[int, ...], ...]
LARGEST = Attribute("largest", "bool", True, "whether the largest are wanted, else the smallest")
_SUPPRESSION = (
    Attribute("iou", "float", 0.5, "the overlap (intersection over union) that is still kept"),
    Attribute("score", "float", float("-inf"), "only scores above it count"),
    Attribute("most", "int", MAX_NUMBER, "how many are kept at most", least=0),
)
_FARTHEST = 2**61  # from 0, so that differences are within 64 bits


def _shape_of(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    return (Shaped((const(args[0].rank),), "int64"),)


def _arange(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    dtype = same_dtype(args, NUMBERS)
    for name, arg in zip(("start", "stop", "step"), args, strict=True):
        of_rank(arg, 0, name)
    return (Shaped((facts.unknown("range"),), dtype),)


def _arange_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    start, stop, step = (a.item() for a in arrays)
    if step == 0 or not all(math.isfinite(n) for n in (start, stop, step)):
        raise Mismatch(f"from {start} to {stop} in steps of {step}: expected finite numbers and a step that is not 0")
    size = -((start - stop) // step) if isinstance(step, int) else math.ceil((stop - start) / step)
    size = max(int(size), 0)
    if size > MAX_NUMBER:
        raise Mismatch(f"from {start} to {stop} in steps of {step}: {size} numbers; expected at most {MAX_NUMBER}")
    return ((size,),)


def _arange_arithmetic(elements: Elements, attrs: Attributes) -> Arithmetic | None:
    """Whole numbers and a step that is known: a subtraction and a division."""
    if None in elements:
        return None
    (start,), (stop,), (step,) = (e for e in elements if e is not None)
    if step.value is None or not 0 < abs(step.value) <= MAX_NUMBER:
        return None
    span = maximum(stop - start if step.value > 0 else start - stop, 0)
    size = (span + (abs(step.value) - 1)) // abs(step.value)
    ends = (Within(f"the {what}", e, -_FARTHEST, _FARTHEST) for what, e in (("start", start), ("stop", stop)))
    return Arithmetic(((size,),), (*ends, Within("the size", size, None, MAX_NUMBER)))


def _arange_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    ((size,),) = _arange_sizes(arrays, attrs)
    start, _, step = (a.item() for a in arrays)
    return (start + np.arange(size) * step,)


def _full(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    shape, value = args
    of_rank(shape, 1, "shape")
    of_dtype(shape, ("int64",), "shape")
    of_rank(value, 0, "value")
    rank = facts.number(shape.dims[0])
    if rank is None:
        raise Mismatch(f"a shape of {shape} numbers; expected to know how many dimensions the result has")
    return (Shaped(tuple(facts.unknown(f"d{i}") for i in range(rank)), value.dtype),)


def _full_sizes(arrays: tuple[Array, ...], attrs: Attributes) -> Shapes:
    shape = tuple(int(n) for n in arrays[0])
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_NUMBER:
        raise Mismatch(f"shape {shape}: expected sizes from 0, {MAX_NUMBER} elements at most")
    return (shape,)


def _full_arithmetic(elements: Elements, attrs: Attributes) -> Arithmetic | None:
    shape = elements[0]
    if not shape:
        return None
    return Arithmetic((shape,), tuple(Within(f"dimension {i}", n, 0, MAX_NUMBER) for i, n in enumerate(shape)))


def _nonzero(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    if not x.rank:
        raise Mismatch("x is a scalar; expected at least one dimension")
    return (Shaped((const(x.rank), facts.unknown("found")), "int64"),)


def _nonzero_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    return (np.stack(np.nonzero(arrays[0])),)


def _unique(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    of_rank(x, 1, "x")
    found = facts.unknown("found")
    return (Shaped((found,), x.dtype), Shaped(x.dims, "int64"), Shaped((found,), "int64"))


def _unique_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    values, inverse, counts = np.unique(arrays[0], return_inverse=True, return_counts=True)
    return (values, inverse.reshape(arrays[0].shape), counts)


def _shapes_of(arrays: tuple[Array, ...]) -> Shapes:
    return tuple(a.shape for a in arrays)


def _suppress(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    boxes, scores = args
    of_rank(boxes, 2, "boxes")
    of_rank(scores, 1, "scores")
    of_dtype(boxes, FLOATS, "boxes")
    of_dtype(scores, FLOATS, "scores")
    facts.equal(boxes.dims[1], const(4))
    facts.equal(boxes.dims[0], scores.dims[0])
    return (Shaped((facts.unknown("kept"),), "int64"),)


def _suppress_bound(args: Sequence[Shaped], attrs: Attributes) -> tuple[tuple[Expr, ...], ...]:
    return ((minimum(args[0].dims[0], integer(attrs, "most")),),)


def _suppress_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    """The best box is kept and those that overlap it too much are dropped, again and again; ties go to the first."""
    boxes, scores = arrays[0].astype(np.float64), arrays[1]
    most, limit, least = integer(attrs, "most"), number(attrs, "iou"), number(attrs, "score")
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, axis=1)
    left = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > least]
    kept: list[int] = []
    while left and len(kept) < most:
        best, *left = left
        kept.append(best)
        if left:
            rest = np.asarray(left)
            sides = np.minimum(high[best], high[rest]) - np.maximum(low[best], low[rest])
            shared = np.prod(np.maximum(sides, 0.0), axis=1)
            union = area[best] + area[rest] - shared
            overlap = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
            left = [int(i) for i in rest[overlap <= limit]]
    return (np.asarray(kept, np.int64),)


def _top_k(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    of_dtype(x, NUMBERS, "x")
    axis = axis_of(integer(attrs, "axis"), x.rank)
    made = minimum(x.dims[axis], integer(attrs, "k"))
    dims = (*x.dims[:axis], made, *x.dims[axis + 1 :])
    return (Shaped(dims, x.dtype), Shaped(dims, "int64"))


def _suppress_classes(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    boxes, scores = args
    of_rank(boxes, 3, "boxes")
    of_rank(scores, 3, "scores")
    of_dtype(boxes, FLOATS, "boxes")
    of_dtype(scores, (boxes.dtype,), "scores")
    facts.equal(boxes.dims[2], const(4))
    facts.equal(boxes.dims[0], scores.dims[0])
    facts.equal(boxes.dims[1], scores.dims[2])
    return (Shaped((facts.unknown("kept"), const(3)), "int64"),)


def _suppress_classes_bound(args: Sequence[Shaped], attrs: Attributes) -> tuple[tuple[Expr, ...], ...]:
    images, classes, boxes = args[1].dims
    return ((images * classes * minimum(boxes, integer(attrs, "most")), const(3)),)


def _suppress_classes_meaning(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    boxes, scores = arrays[0].astype(np.float64), arrays[1]
    if attrs["boxes"] == "center":
        middle, half = boxes[..., :2], boxes[..., 2:] / 2
        boxes = np.concatenate([middle - half, middle + half], axis=-1)
    kept = []
    for image, of_image in enumerate(scores):
        for kind, of_class in enumerate(of_image):
            (found,) = _suppress_meaning((boxes[image], of_class), attrs)
            kept += [(image, kind, int(box)) for box in found]
    return (np.asarray(kept, np.int64).reshape(-1, 3),)


_SORTED = 1024  # elements: so many are sorted at once, of more the few that are wanted are selected


def top(x: Array, k: int, attrs: Attributes) -> tuple[Array, ...]:
    """The k largest or smallest and where they stand; of equal ones the first stands first."""
    axis, largest = axis_of(integer(attrs, "axis"), x.ndim), bool(attrs["largest"])
    size = x.shape[axis]
    if x.size <= _SORTED or not 0 < k <= size // 4:
        index = np.take(_order(x, axis, largest), np.arange(min(k, size)), axis)
        return (np.take_along_axis(x, index, axis), index)
    rows = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    found = _selected(rows.reshape(-1, size), k, largest)
    made = (np.moveaxis(a.reshape(*rows.shape[:-1], k), -1, axis) for a in found)
    return tuple(made)


def _order(x: Array, axis: int, largest: bool) -> Array:
    """Where all elements stand, as they come first."""
    order: Array = np.argsort(np.flip(x, axis) if largest else x, axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - order, axis) if largest else order


def _selected(rows: Array, k: int, largest: bool) -> tuple[Array, Array]:
    """The first k of each row's order and where they stand: what is beyond the k-th, and the first that equal it."""
    at = rows.shape[1] - k if largest else k - 1
    last = np.partition(rows, at, axis=1)[:, at : at + 1]
    among = rows >= last if largest else rows <= last
    odd = np.flatnonzero(np.count_nonzero(among, axis=1) != k)
    if odd.size:
        among[odd] = _first(rows[odd], last[odd], k, largest)
    index = np.flatnonzero(among).reshape(-1, k) % rows.shape[1]
    values = np.take_along_axis(rows, index, 1)
    order = _order(values, 1, largest)
    return np.take_along_axis(values, order, 1), np.take_along_axis(index, order, 1)


def _first(rows: Array, last: Array, k: int, largest: bool) -> Array:
    """Which elements are the k first of rows in which several equal the k-th, or NaN stands: it is the largest of all,
    and compares with nothing."""
    beyond, equal = (rows > last if largest else rows < last), rows == last
    if is_float(rows.dtype):
        nan, is_last = np.isnan(rows), np.isnan(last)
        beyond |= ~is_last & nan if largest else is_last & ~nan
        equal |= is_last & nan
    left = k - np.count_nonzero(beyond, axis=1, keepdims=True)
    found: Array = beyond | (equal & (np.cumsum(equal, axis=1) <= left))
    return found


ROWS = (
    Operator(
        name="shape_of",
        summary="the sizes of x's dimensions",
        inputs=("x",),
        relation=_shape_of,
        numpy=lambda arrays, attrs: (np.asarray(arrays[0].shape, np.int64),),
        examples=(example("(?b, ?t, 6)"),),
    ),
    Operator(
        name="arange",
        summary="start, start + step, ... before stop",
        inputs=("start", "stop", "step"),
        relation=_arange,
        numpy=_arange_meaning,
        mode="data",
        sizes=_arange_sizes,
        arithmetic=_arange_arithmetic,
        examples=(example("() int64", "() int64", "one () int64"),),
    ),
    Operator(
        name="full",
        summary="a tensor of a shape that is data, every element the value",
        inputs=("shape", "value"),
        relation=_full,
        numpy=lambda arrays, attrs: (np.full(_full_sizes(arrays, attrs)[0], arrays[1]),),
        mode="data",
        sizes=_full_sizes,
        arithmetic=_full_arithmetic,
        examples=(example("index (2) int64", "()"),),
    ),
    Operator(
        name="nonzero",
        summary="the positions of what is not 0: y[d, i] is the i-th one's index along dimension d",
        inputs=("x",),
        relation=_nonzero,
        numpy=_nonzero_meaning,
        mode="data",
        sizes=lambda arrays, attrs: ((arrays[0].ndim, int(np.count_nonzero(arrays[0]))),),
        examples=(example("(?b, ?t, 6)"),),
    ),
    Operator(
        name="unique",
        summary="the values that occur, rising; where each element stands among them; how often each occurs",
        inputs=("x",),
        relation=_unique,
        numpy=_unique_meaning,
        many=True,
        mode="data",
        sizes=lambda arrays, attrs: _shapes_of(_unique_meaning(arrays, attrs)),
        examples=(example("(?b) int64"),),
    ),
    Operator(
        name="non_max_suppression",
        summary="the indices of the boxes (two corners each) that are kept, best score first",
        inputs=("boxes", "scores"),
        relation=_suppress,
        numpy=_suppress_meaning,
        attributes=_SUPPRESSION,
        mode="upper_bound",
        bound=_suppress_bound,
        examples=(example("(?b, 4)", "(?b)", most=4),),
    ),
    Operator(
        name="non_max_suppression_of_classes",
        summary="(image, class, box) of what is kept of boxes(n, b, 4) by scores(n, classes, b), in each class apart",
        inputs=("boxes", "scores"),
        relation=_suppress_classes,
        numpy=_suppress_classes_meaning,
        attributes=(
            *_SUPPRESSION,
            Attribute(
                "boxes", "str", "corners", "two corners, or the center and the sides", words=("corners", "center")
            ),
        ),
        mode="upper_bound",
        bound=_suppress_classes_bound,
        examples=(
            example("(?b, 6, 4)", "(?b, 2, 6)", most=4, iou=0.2),
            example("(?b, ?t, 4)", "(?b, 1, ?t)", boxes="center", score=0.0),
        ),
    ),
    Operator(
        name="top_k",
        summary="the k largest along an axis, falling, or the k smallest, rising, and their indices",
        inputs=("x",),
        relation=_top_k,
        numpy=lambda arrays, attrs: top(arrays[0], integer(attrs, "k"), attrs),
        attributes=(
            Attribute("k", "int", REQUIRED, "how many", least=0),
            Attribute("axis", "int", -1, "the dimension, counted from the end where negative"),
            LARGEST,
        ),
        many=True,
        examples=(example("(?b, ?t)", k=3), example("(?b, ?t) int64", k=2, axis=0, largest=False)),
    ),
)
