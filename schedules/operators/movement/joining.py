"""concat and split along one axis: n0, n1, ... rows of each outer position stand one after the other in n of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anytile.core.dtypes import COMPUTED, MOVED
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, const, minimum
from anytile.schedules.operators.attribute import FIRST_AXIS
from anytile.schedules.operators.spec import (
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
    numbers,
)

MOST_PARTS = 64  # of one kernel; a model that wants more is served by the host
COUNT = Attribute("count", "int", 2, "how many parts there are: n0, n1, ...", least=1, most=MOST_PARTS)


def parts(attributes: Attributes) -> tuple[str, ...]:
    """n0, n1, ...: the dimension of each part along the axis."""
    return tuple(f"n{i}" for i in range(int(attributes["count"])))


def _concat_form(attributes: Attributes) -> Form:
    names = parts(attributes)
    given = tuple(TensorSpec(f"x{i}", ("outer", n, "inner")) for i, n in enumerate(names))
    y = TensorSpec("y", ("outer", "n", "inner"), output=True)
    return Form(("outer", *names, "inner"), (*given, y), {"n": lambda s: sum((s[n] for n in names), const(0))})


def _split_form(attributes: Attributes) -> Form:
    names, ends = parts(attributes), cuts(attributes)
    made = tuple(TensorSpec(f"y{i}", ("outer", n, "inner"), output=True) for i, n in enumerate(names))

    def size(i: int) -> Callable[[Mapping[str, Expr]], Expr]:
        if ends is None:
            return lambda s: (s["n"] + (len(names) - 1 - i)) // len(names)
        low, high = (0, *ends)[i], (*ends, None)[i]
        return lambda s: (s["n"] if high is None else minimum(high, s["n"])) - (minimum(low, s["n"]) if low else 0)

    x = TensorSpec("x", ("outer", "n", "inner"))
    return Form(("outer", "n", "inner"), (x, *made), {n: size(i) for i, n in enumerate(names)})


def _concat(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    return (np.concatenate([inputs[f"x{i}"] for i in range(len(parts(attributes)))], axis=1),)


def cuts(attributes: Attributes) -> tuple[int, ...] | None:
    """Where a split cuts, or None for parts of one size."""
    at = numbers(attributes, "at")
    if at == (0,):
        return None
    at = numbers(attributes, "at", len(parts(attributes)) - 1)
    if sorted(at) != list(at):
        raise SpecError(f"at={'x'.join(map(str, at))}: expected positions in their order")
    return at


def _split(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    count = len(parts(attributes))
    return tuple(np.array_split(inputs["x"], cuts(attributes) or count, axis=1))


def _cut(attributes: Attributes, dtypes: Sequence[str]) -> Mapping[str, AttributeValue]:
    """A model's `parts` or `at` as a workload's `count` and `at`."""
    at = numbers(attributes, "at")
    if sorted(at) != list(at) or (at and at[-1] == 0):
        raise Mismatch(f"at={at}: expected positions in their order, not all 0")
    return {"count": len(at) + 1, "at": at} if at else {"count": attributes["parts"], "at": (0,)}


CONCAT = Operator(
    name="concat",
    summary="y[o, n0 + ... + n(k-1) + j, i] = xk[o, j, i]",
    form=_concat_form,
    flops=lambda s, _: 0,
    reference=_concat,
    attributes=(COUNT,),
    dtypes=MOVED,
    made_by="concat",
    section="Moving data",
    examples=("concat(outer=?a, n0=?b, n1=?c, inner=?d)",),
    calls=(
        Call(
            summary="the tensors one after the other along an axis",
            spread=("outer", "inner"),
            attributes=(FIRST_AXIS,),
            given=lambda attributes, dtypes: {"count": len(dtypes)},
            inputs=("x",),
            variadic=True,
            examples=(example("(?b, ?t)", "(?b, 3)", "(?b, ?t)", axis=-1),),
        ),
    ),
)

SPLIT = Operator(
    name="split",
    summary="y0, y1, ... = x[o, from one cut to the next, i]",
    form=_split_form,
    flops=lambda s, _: 0,
    reference=_split,
    attributes=(
        COUNT,
        Attribute(
            "at",
            "ints",
            (0,),
            "where to cut; 0 makes parts of one size, the first ones larger by 1 if need be",
            least=0,
            open=True,
        ),
    ),
    dtypes=COMPUTED,
    made_by="split",
    section="Moving data",
    examples=("split(outer=?a, n=?b, inner=?c, count=3)",),
    calls=(
        Call(
            summary="parts of x along an axis: of one size (the first ones larger by 1 if need be), "
            "or cut at positions",
            spread=("outer", "inner"),
            attributes=(
                Attribute("parts", "int", 2, "how many parts", least=1),
                Attribute("at", "ints", (), "the positions to cut at, in place of parts", least=0),
                FIRST_AXIS,
            ),
            given=_cut,
            many=True,
            examples=(example("(?b, ?t)", parts=3, axis=1), example("(?b, 7)", at=(2, 3), axis=1)),
        ),
    ),
)
