"""gather: y[o, j, i] = x[o, index[j], i]; and one_hot: y[j, d] = 1 where index[j] is d, else 0.

A negative index counts from the end. One outside -n..n-1 is an error where Python calls; the kernels themselves read
the nearest position there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anytile.core.dtypes import COMPUTED, INTEGERS, MODEL, MOVED
from anytile.schedules.index.expr import const
from anytile.schedules.operators.attribute import FIRST_AXIS
from anytile.schedules.operators.spec import (
    REQUIRED,
    Array,
    Attribute,
    Attributes,
    AttributeValue,
    Call,
    Form,
    Mismatch,
    Operator,
    TensorSpec,
    example,
)

_INDEX = Attribute("index", "str", "int64", "the dtype of the indices", words=("int64", "int32"))


def _index(attributes: Attributes, into: str) -> TensorSpec:
    return TensorSpec("index", ("m",), dtype=str(attributes["index"]), indexes=into)


def _gather_form(attributes: Attributes) -> Form:
    x = TensorSpec("x", ("outer", "n", "inner"), may_be_constant=True)
    y = TensorSpec("y", ("outer", "m", "inner"), output=True)
    return Form(("outer", "n", "m", "inner"), (x, _index(attributes, "n"), y))


def _one_hot_form(attributes: Attributes) -> Form:
    depth = int(attributes["depth"])
    y = TensorSpec("y", ("m", "depth"), output=True)
    return Form(("m",), (_index(attributes, "depth"), y), {"depth": lambda s: const(depth)})


def _gather(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (np.take(inputs["x"], inputs["index"], axis=1),)


def _one_hot(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    depth = int(attributes["depth"])
    return (np.arange(depth) == (inputs["index"] % depth)[:, None],)


def _indexed(dtype: str) -> dict[str, AttributeValue]:
    if dtype not in INTEGERS:
        raise Mismatch(f"index is {dtype}; expected {' or '.join(INTEGERS)}")
    return {"index": dtype}


def _inside(arrays: Sequence[Array], attributes: Attributes) -> None:
    x, index = arrays
    axis = int(attributes["axis"])
    size = x.shape[axis]
    outside = index[(index < -size) | (index >= size)]
    if outside.size:
        raise Mismatch(f"index {outside.flat[0]} is out of bounds for axis {axis % x.ndim} with size {size}")


# No shape of an input tells a depth; a list of the classes does.
_COMPARE = (
    ": pass the classes too, as arange(depth), to "
    "elementwise(d0=?, d1=?, rank=2, f=float32(i[d0] == c[d1]), types=c:int64+i:int64)"
)

GATHER = Operator(
    name="gather",
    summary="y[o, j, i] = x[o, index[j], i]",
    form=_gather_form,
    flops=lambda s, _: 0,
    reference=_gather,
    attributes=(_INDEX,),
    dtypes=MOVED,
    about="""`m` of the `n` places along the middle dimension of x(outer, n, inner), by their positions; -1 is the last.

    An embedding of `tokens` words is `gather(n=words, m=tokens, inner=size, const=("x",))`.
    """,
    section="Moving data",
    examples=("gather(outer=?a, n=?b, m=?c, inner=?d)",),
    calls=(
        Call(
            "take",
            "y[o, j, i] = x[o, index[j], i] along an axis; a negative index counts from the end",
            spread=("outer", "inner", "m"),
            attributes=(FIRST_AXIS,),
            given=lambda attributes, dtypes: _indexed(dtypes[1]),
            check=_inside,
            examples=(
                example("(?b, 6)", "index (?t, 2) int64", axis=1),
                example("(6, ?b)", "index () int32"),
            ),
        ),
        Call(
            "take_inside",
            "take, by positions that positions_in has looked at, so that a device beside the host may read them",
            spread=("outer", "inner", "m"),
            attributes=(FIRST_AXIS,),
            given=lambda attributes, dtypes: _indexed(dtypes[1]),
            examples=(example("(?b, 6)", "index (?t, 2) int64", axis=1),),
        ),
    ),
)

ONE_HOT = Operator(
    name="one_hot",
    summary="y[j, d] = 1 if d == index[j] else 0",
    form=_one_hot_form,
    flops=lambda s, _: 0,
    reference=_one_hot,
    attributes=(_INDEX, Attribute("depth", "int", 2, "how many classes there are", least=1, instead=_COMPARE)),
    dtypes=COMPUTED,
    about="Rows of zeros with a one at each of `m` positions below `depth`.",
    required=("depth",),
    section="Moving data",
    examples=("one_hot(m=?a, depth=37)",),
    calls=(
        Call(
            summary="y[..., d] = 1 where index[...] is d, else 0",
            spread=("m",),
            attributes=(
                Attribute("depth", "int", REQUIRED, "how many classes there are", least=1),
                Attribute("dtype", "str", "float32", "of the result", words=MODEL),
            ),
            given=lambda attributes, dtypes: _indexed(dtypes[0]),
            examples=(example("index (?b, ?t) int64", depth=6, dtype="bool"),),
        ),
    ),
)
