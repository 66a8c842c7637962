"""Channels-last conversion: a network whose images have their channels second is computed with channels last.

There a vector is of channels, which are many and lie side by side whatever the image's size is. Tuned, the convolutions
of ResNet-50 take 0.86 of the time and those of MobileNet-v2 0.66 to 0.84 (`benchmarks/results/conv2d-zen4.json`), and
plans for them are the ones that come with anytile. Each convolution and pool becomes one in that layout between two
transpositions, which then move until they meet (`sink_transposes`): what is left is the image that comes in, and where
a step needs the order there was. Where that is more than one for some convolutions, the function stays as it is.

On a CPU a convolution that minimal filtering (Winograd) serves counts for many: it is for channels last alone, and one
of 32 channels and more is 1.5 to 2.3 times as fast between two transpositions as it is without. So does one of rows, of
16 channels and more: its kernel, that of images of one row, is untuned 2 to 3 times as fast. And so does one in groups
of several channels, which has few sums for each element that is moved: untuned it is 1.05 to 2 times as fast. On a GPU
rows and groups stay as they are. Volumes, and what is convolved backwards, are computed with channels last in any place
(`lower_convolutions`).
"""

from __future__ import annotations

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import integer
from anytile.compiler.passes.convolutional.lower_convolutions import LOWERED, is_lowered
from anytile.compiler.passes.convolutional.sink_transposes import (
    CONVOLUTIONS,
    WINDOWS,
    sunk,
    to_last,
    to_second,
    transpositions,
)
from anytile.schedules.templates.registry import template

WORTH = 4  # convolutions for each transposition
_LYING = {"conv3d": 2 * WORTH, "conv_transpose": WORTH}  # transpositions that are there in any case
_LEAST_CHANNELS, _LEAST_OF_ROWS = 32, 16  # of what is worth two of them by itself


def channels_last(module: Module, on_cpu: bool = False) -> Module:
    """The module in the other layout, where that leaves few transpositions; `on_cpu` says where kernels run."""
    return each_block(module, lambda body: _changed(body, on_cpu))


def _changed(body: Expr, on_cpu: bool) -> Expr:
    count = 0

    def change(var: Var, value: Expr) -> list[Binding] | None:
        nonlocal count
        if not is_operator_call(value, *WINDOWS) or (is_operator_call(value, "conv1d") and not on_cpu):
            return None
        x, *others = value.args
        row = operator(operator_of(value))
        attrs = row.complete(value.attrs)
        if not isinstance(x, Var) or attrs["layout"] != "nchw" or (row.name in LOWERED and not is_lowered(value)):
            return None
        rank = tensor_of(x).rank
        given, made = _turned(x), _turned(var)
        last = row.canonical(tuple({**attrs, "layout": "nhwc"}.items()))
        step = Call(value.callee, (given, *others), last, value.where)
        if row.name in CONVOLUTIONS:
            count += _worth(step, made, on_cpu)
        return [
            (given, _transpose(x, to_last(rank), value.where)),
            (made, step),
            (var, _transpose(made, to_second(rank), value.where)),
        ]

    moved = rewrite(body, change)
    if not count:
        return body
    moved = sunk(moved, through_windows=False)
    return moved if WORTH * (transpositions(moved) - transpositions(body)) <= count else body


def _worth(step: Call, made: Var, on_cpu: bool) -> int:
    """What a convolution with channels last saves, as so many whose sums alone are made faster."""
    name = operator_of(step)
    if name in LOWERED:
        return _LYING[name]
    if not on_cpu:
        return 1
    is_better = _is_of_wide_rows(step) if name == "conv1d" else _is_filtered(step, made) or _is_in_groups(step)
    return 2 * WORTH if is_better else 1


def _is_in_groups(step: Call) -> bool:
    """Whether a convolution of images is of groups that each have several channels."""
    row = operator(operator_of(step))
    groups = integer(row.complete(step.attrs), "groups")
    return row.name == "conv2d" and groups > 1 and tensor_of(step.args[1]).shape[1] != 1


def _is_of_wide_rows(step: Call) -> bool:
    """Whether a convolution of rows has channels enough for vectors of them."""
    weight = step.args[1]
    return isinstance(weight, Constant) and min(weight.array.shape[:2]) >= _LEAST_OF_ROWS


def _is_filtered(step: Call, made: Var) -> bool:
    """Whether a convolution with channels last is one that minimal filtering serves, with channels enough."""
    weight, row = step.args[1], operator(operator_of(step))
    if (
        row.name != "conv2d"
        or not isinstance(weight, Constant)
        or min(weight.array.shape[:2]) < _LEAST_CHANNELS
        or row.schedule is None
    ):
        return False
    kinds = [tensor_of(e) for e in (*step.args, made)]
    found = row.schedule(kinds[:-1], kinds[-1:], row.complete(step.attrs))
    winograd = template("conv2d.winograd")
    return found is not None and winograd.suits(found.workload.with_const(("w",))) > 0


def _turned(var: Var) -> Var:
    """A variable for the same images, their channels last."""
    kind = tensor_of(var)
    return Var(var.name, TensorType(tuple(kind.shape[p] for p in to_last(kind.rank)), kind.dtype))


def _transpose(x: Var, perm: tuple[int, ...], where: str) -> Call:
    return Call(OperatorRef("transpose"), (x,), (("perm", perm),), where)
