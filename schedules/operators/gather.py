"""gather: y[o, j, i] = x[o, index[j], i]; and one_hot: y[j, d] = 1 where index[j] is d, else 0.

A negative index counts from the end. One outside -n..n-1 is an error where Python calls; the kernels themselves read
the nearest position there is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import COMPUTED
from anytile.schedules.index.expr import const
from anytile.schedules.operators.spec import Array, Attribute, Attributes, Form, Operator, TensorSpec, numbers

_INDEX = Attribute("index", "int64", "the dtype of the indices", words=("int64", "int32"))


def _index(attributes: Attributes, into: str) -> TensorSpec:
    return TensorSpec("index", ("m",), dtype=str(attributes["index"]), indexes=into)


def _gather_form(attributes: Attributes) -> Form:
    x = TensorSpec("x", ("outer", "n", "inner"), may_be_constant=True)
    y = TensorSpec("y", ("outer", "m", "inner"), output=True)
    return Form(("outer", "n", "m", "inner"), (x, _index(attributes, "n"), y))


def _one_hot_form(attributes: Attributes) -> Form:
    (depth,) = numbers(attributes, "depth")
    y = TensorSpec("y", ("m", "depth"), output=True)
    return Form(("m",), (_index(attributes, "depth"), y), {"depth": lambda s: const(depth)})


def _gather(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (np.take(inputs["x"], inputs["index"], axis=1),)


def _one_hot(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    (depth,) = numbers(attributes, "depth")
    return (np.arange(depth) == (inputs["index"] % depth)[:, None],)


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
    dtypes=COMPUTED,
)

ONE_HOT = Operator(
    name="one_hot",
    summary="y[j, d] = 1 if d == index[j] else 0",
    form=_one_hot_form,
    flops=lambda s, _: 0,
    reference=_one_hot,
    attributes=(_INDEX, Attribute("depth", (2,), "how many classes there are", least=1, instead=_COMPARE)),
    dtypes=COMPUTED,
)
