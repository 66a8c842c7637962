"""slice and pad, of tensors of any rank. Where there is nothing to repeat, edge and reflection are zeros.

slice takes start, stop and step of every dimension as numpy's slices do: negative positions count from the end, what
lies outside is cut off, and a stop of 2**31 - 1 (or -2**31, going backwards) is as far as there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from anytile.core.dtypes import BY_NAME, MOVED
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, ceildiv, const, maximum, minimum
from anytile.schedules.operators.ranked import RANK, axes
from anytile.schedules.operators.spec import (
    MAX_NUMBER,
    Array,
    Attribute,
    Attributes,
    Form,
    Operator,
    TensorSpec,
    numbers,
)

END = MAX_NUMBER - 1
MODES = ("constant", "edge", "reflect")


def slices(attributes: Attributes) -> tuple[tuple[int, int, int], ...]:
    """(start, stop, step) of every dimension."""
    rank = len(axes(attributes))
    made = tuple(zip(*(numbers(attributes, name, rank) for name in ("start", "stop", "step")), strict=True))
    for _, _, step in made:
        if step == 0:
            raise SpecError("step=0: expected a step that is not 0")
    return made


def first(size: Expr, start: int, step: int) -> Expr:
    """The first position of a slice."""
    return _clamped(size, start, step)


def count(size: Expr, start: int, stop: int, step: int) -> Expr:
    """How many positions a slice has; a number below zero is none."""
    low, high = _clamped(size, start, step), _clamped(size, stop, step)
    return ceildiv(high - low, step) if step > 0 else ceildiv(low - high, -step)


def _clamped(size: Expr, position: int, step: int) -> Expr:
    low, high = (const(0), size) if step > 0 else (const(-1), size - 1)
    if position == 0 and step > 0:
        return low
    if position >= END:
        return high
    return minimum(position, high) if position >= 0 else maximum(size + position, low)


def _slice_form(attributes: Attributes) -> Form:
    dims = axes(attributes)

    def sized(d: str, start: int, stop: int, step: int) -> Callable[[Mapping[str, Expr]], Expr]:
        return lambda s: count(s[d], start, stop, step)

    derived = {f"o{i}": sized(d, *at) for i, (d, at) in enumerate(zip(dims, slices(attributes), strict=True))}
    return Form(dims, (TensorSpec("x", dims), TensorSpec("y", tuple(derived), output=True)), derived)


def sliced(x: Array, cuts: Mapping[int, tuple[int, int, int]]) -> Array:
    """x with (start, stop, step) of some axes cut as numpy's slices do."""
    for axis, at in cuts.items():
        x = np.take(x, np.arange(*slice(*at).indices(x.shape[axis])), axis)
    return x


def pads(attributes: Attributes) -> tuple[tuple[int, int], ...]:
    """(before, after) of every dimension."""
    rank = len(axes(attributes))
    return tuple(zip(numbers(attributes, "before", rank), numbers(attributes, "after", rank), strict=True))


def filling(attributes: Attributes, dtype: str) -> float:
    """The number around a tensor, as an element of it."""
    from decimal import Decimal  # here, since few models pad

    text = str(attributes["value"])
    try:
        number = Decimal(text)
        if BY_NAME[dtype].kind == "float":
            return float(number)
    except (ArithmeticError, ValueError):
        raise SpecError(f"value={text}: expected a number") from None
    low, high = (0, 1) if dtype == "bool" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if not number.is_finite() or not low <= number <= high or number % 1:
        raise SpecError(f"value={text}: is no {dtype}")
    return int(number)


def _pad_form(attributes: Attributes) -> Form:
    dims = axes(attributes)

    def sized(d: str, more: int) -> Callable[[Mapping[str, Expr]], Expr]:
        return lambda s: s[d] + more

    around = pads(attributes)
    filling(attributes, "float32")
    derived = {f"o{i}": sized(d, sum(p)) for i, (d, p) in enumerate(zip(dims, around, strict=True))}
    return Form(dims, (TensorSpec("x", dims), TensorSpec("y", tuple(derived), output=True)), derived)


def _pad_objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    if attributes["mode"] == "constant":
        return None
    for (before, after), d in zip(pads(attributes), axes(attributes), strict=True):
        if size[d] == 0 and before + after:
            return f"{d} is 0; there is no {attributes['mode']} to pad it with"
    return None


def _pad(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, mode = inputs["x"], str(attributes["mode"])
    if mode != "constant" and x.size:
        return (np.pad(x, pads(attributes), mode=mode),)  # type: ignore[call-overload]  # knows modes as literals only
    value = filling(attributes, str(x.dtype)) if mode == "constant" else 0
    return (np.pad(x, pads(attributes), constant_values=value),)


_LEAST = -MAX_NUMBER
SLICE = Operator(
    name="slice",
    summary="y[i0, i1, ...] = x[start0 + step0 * i0, ...]",
    form=_slice_form,
    flops=lambda s, _: 0,
    reference=lambda inputs, attributes: (sliced(inputs["x"], dict(enumerate(slices(attributes)))),),
    attributes=(
        RANK,
        Attribute("start", "ints", (0,), "the first position in each dimension", least=_LEAST, open=True),
        Attribute("stop", "ints", (END,), "the position that is no longer taken", least=_LEAST, open=True),
        Attribute("step", "ints", (1,), "how far apart the positions are", least=_LEAST, open=True),
    ),
    dtypes=MOVED,
    made_by="slice_of",
    section="Moving data",
    examples=("slice(d0=?a, d1=?b, rank=2, start=1x-20, stop=-1x2147483647)",),
)
PAD = Operator(
    name="pad",
    summary="y[before0 + i0, ...] = x[i0, ...], and around it a value, the nearest elements or their reflection",
    form=_pad_form,
    flops=lambda s, _: 0,
    reference=_pad,
    attributes=(
        RANK,
        Attribute("before", "ints", (0,), "how many elements are put before each dimension", least=0, open=True),
        Attribute("after", "ints", (0,), "how many are put after it", least=0, open=True),
        Attribute("mode", "str", "constant", "what is put there", words=MODES),
        Attribute("value", "str", "0", "the number of mode=constant"),
    ),
    dtypes=MOVED,
    objection=_pad_objection,
    made_by="pad",
    section="Moving data",
    examples=(
        "pad(d0=?a, d1=?b, rank=2, before=1x2, after=0x3, value=1)",
        "pad(d0=?a, d1=?b, rank=2, before=1x2, after=0x3, value=200, dtype=uint8)",
    ),
)
