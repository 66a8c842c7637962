"""Lowering of gathers and scatters for a device: the host looks at positions, and kernels of the device move by them.

One that is not there is an error, so the host sees every position anyway. What it makes of them is all that goes to the
device: of a `take` the positions themselves, where the rows that it picks were made there, and so the numbers of rows
that other gathers pick; of a scatter sorted keys, once for all scatters by the same positions. x and its updates stay
where kernels made them; a cache that is an input, too, where kernels make its rows and read it. What is made of
constant positions is a constant. A CPU's kernels join whole rows so, too.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anytile.compiler.ir.nodes import (
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    TupleGet,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, Scoped, each_block, rewrite, steps, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.kernels.kernel_of import PUT_INSIDE
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch, integer
from anytile.compiler.passes.memory.in_place import put_in_place
from anytile.compiler.passes.memory.manifest_alloc import VIEWS
from anytile.core.dtypes import COMPUTED, STORED_FLOATS

_ALONG, _ND, _TAKE, _PUT = "scatter", "scatter_nd", "take", "put_rows"
_REPEATED = ("broadcast_sized", "broadcast_to")
_TAKE_ALONG, _GATHER_ND = "take_along", "gather_nd"
_WIDE = 4  # elements of a row from which on sorting the rows' positions is worth it
_ON_HOST = (_TAKE, "one_hot")  # kernels whose positions the machine looks at


def lower_positions(module: Module) -> Module:
    made, in_place = _made(module), put_in_place(module, module.main)
    readers: dict[Var, list[Binding]] = {}
    for var, value in made.items():
        for read in set(variables_read(value)):
            readers.setdefault(read, []).append((var, value))

    def change(keys: _Keys, var: Var, value: Expr) -> list[Binding] | None:
        if is_operator_call(value, _ALONG, _ND) and tensor_of(value.args[0]).dtype in COMPUTED:
            return _scattered(keys, var, value)
        if is_operator_call(value, _PUT) and tensor_of(value.args[0]).dtype in (*COMPUTED, *STORED_FLOATS):
            if var in in_place:
                return _put_inside(keys, var, value)
            added = _is_of_a_kernel(value.args[2], made) and _is_for_a_kernel(var, readers)
            return _put(var, value) if added or _is_of_a_kernel(value.args[0], made) else None
        if not is_operator_call(value, *_FROM) or not _is_of_a_kernel(value.args[0], made):
            return None
        return _FROM[operator_of(value)](var, value) if tensor_of(value.args[0]).dtype in COMPUTED else None

    return each_block(module, lambda body: _lowered(body, change))


def join_rows(module: Module) -> Module:
    """Of a scatter on a CPU what joins whole rows, as messages to the nodes of a graph: by a kernel, row by row; and of
    what puts rows what does that in place."""
    made, in_place = _made(module), put_in_place(module, module.main)

    def change(keys: _Keys, var: Var, value: Expr) -> list[Binding] | None:
        if var in in_place and is_operator_call(value, _PUT):
            computed = tensor_of(value.args[0]).dtype in (*COMPUTED, *STORED_FLOATS)
            return _put_inside(keys, var, value) if computed else None
        if is_operator_call(value, _ALONG):
            return _of_whole_rows(keys, var, value, made)
        return _joined(keys, var, value) if is_operator_call(value, _ND) else None

    return each_block(module, lambda body: _lowered(body, change))


def _made(module: Module) -> Mapping[Var, Expr]:
    return {v: value for f in module.functions.values() for v, value in steps(f.body)}


def _joined(keys: _Keys, var: Var, call: Call) -> list[Binding] | None:
    if operator(_ND).complete(call.attrs)["mode"] == "set":
        return None
    x, lead = tensor_of(call.args[0]), tensor_of(call.args[1]).shape[-1]
    wide = isinstance(lead, int) and math.prod(d for d in x.shape[lead:] if isinstance(d, int)) >= _WIDE
    return _scattered(keys, var, call) if wide and x.dtype in COMPUTED else None


def _of_whole_rows(keys: _Keys, var: Var, call: Call, made: Mapping[Var, Expr]) -> list[Binding] | None:
    """A scatter along the first dimension whose index is one position for each row, repeated."""
    x, index, updates = call.args
    attrs, shape, asked = operator(_ALONG).complete(call.attrs), tensor_of(x).shape, tensor_of(index).shape
    value = made.get(index) if isinstance(index, Var) else None
    if value is None or not is_operator_call(value, *_REPEATED) or integer(attrs, "axis") % len(shape):
        return None
    single = value.args[0]
    is_row = tensor_of(single).shape == (asked[0], *[1] * (len(shape) - 1))
    if len(shape) < 2 or asked[1:] != shape[1:] or tensor_of(updates).shape != asked or not is_row:
        return None
    found, dtype = _Steps(call), tensor_of(index).dtype
    if attrs["mode"] == "set":
        return found.last(var, _PUT, (x, found.put("reshape", (single,), asked[:1], dtype, shape=(-1,)), updates))
    if len(shape) > 2:
        single = found.put("reshape", (single,), (asked[0], 1), dtype, shape=(-1, 1))
    rows = Call(OperatorRef(_ND), (x, single, updates), operator(_ND).canonical((("mode", attrs["mode"]),)), call.where)
    return [*found.bound, *(_joined(keys, var, rows) or [(var, rows)])]


_Keys = Scoped[tuple[str, Expr, tuple[Dim, ...]], Expr]  # of positions in a tensor of those sizes, by their operator


def _lowered(body: Expr, change: Callable[[_Keys, Var, Expr], list[Binding] | None]) -> Expr:
    """A block whose steps are changed, where the keys that were made are known."""
    keys: _Keys = Scoped()
    return rewrite(body, functools.partial(change, keys), scope=keys.scope)


def _is_of_a_kernel(e: Expr, made: Mapping[Var, Expr]) -> bool:
    """Whether a tensor is a kernel's result, or a view of one."""
    while isinstance(e, Var) and (value := made.get(e)) is not None:
        if isinstance(value, TupleGet):
            e = value.value
        elif is_operator_call(value, *VIEWS):
            e = value.args[0]
        else:
            row = operator(operator_of(value)) if is_operator_call(value) else None
            return row is not None and row.name not in _ON_HOST and bool(row.schedule or row.element)
    return False


def _is_for_a_kernel(var: Var, readers: Mapping[Var, Sequence[Binding]]) -> bool:
    """Whether kernels read a tensor, or a view of it, or the same with more rows put into it."""
    same = [var]
    for seen in same:  # which grows
        for made, value in readers.get(seen, ()):
            if not is_operator_call(value):
                continue
            if is_operator_call(value, *VIEWS, _PUT):
                same += [made] if value.args[0] is seen else []
                continue
            row = operator(operator_of(value))
            if row.name not in _ON_HOST and (row.schedule or row.element):
                return True
    return False


class _Steps:
    """What a call becomes."""

    def __init__(self, call: Call) -> None:
        self.where, self.bound = call.where, list[Binding]()

    def put(self, name: str, args: tuple[Expr, ...], dims: tuple[Dim, ...], dtype: str, **given: AttrValue) -> Expr:
        """A call, bound to a name, or what it makes of constants."""
        attrs = operator(name).canonical(tuple(given.items()))
        if all(isinstance(a, Constant) for a in args):
            (made,) = run(operator(name), tuple(a.array for a in args if isinstance(a, Constant)), attrs)
            return Constant(made)
        var = Var(name, TensorType(dims, dtype))
        self.bound.append((var, Call(OperatorRef(name), args, attrs, self.where)))
        return var

    def shape(self, x: Expr, dims: tuple[Dim, ...]) -> Expr:
        """The dimensions of x that are asked for, where they are known; all of them where they are not."""
        known = [d for d in dims if isinstance(d, int)]
        if len(known) == len(dims):
            return Constant(np.asarray(known, np.int64))
        return self.put("shape_of", (x,), (tensor_of(x).rank,), "int64")

    def size(self, x: Expr, axis: int) -> tuple[Expr, int]:
        """Sizes of x, and the place among them of that along an axis: alone where it is known."""
        sizes = self.shape(x, tensor_of(x).shape[axis : axis + 1])
        return sizes, 0 if isinstance(sizes, Constant) else axis

    def last(self, var: Var, name: str, args: tuple[Expr, ...], **given: AttrValue) -> list[Binding]:
        call = Call(OperatorRef(name), args, operator(name).canonical(tuple(given.items())), self.where)
        return [*self.bound, (var, call)]


def _scattered(kept: _Keys, var: Var, call: Call) -> list[Binding] | None:
    x, index, updates = call.args
    attrs, along = operator(operator_of(call)).complete(call.attrs), operator_of(call) == _ALONG
    shape, asked = tensor_of(x).shape, tensor_of(index).shape
    lead = len(shape) if along else asked[-1]
    if not isinstance(lead, int):
        return None
    found, place = _Steps(call), ("scatter_nd_keys", index, shape[:lead])
    keys = None if along else kept.get(place)
    try:
        if along:
            keys = found.put("scatter_keys", (index, found.shape(x, shape)), asked, "int64", axis=attrs["axis"])
        elif keys is None:
            sizes = found.shape(x, shape[:lead])
            keys = kept[place] = found.put("scatter_nd_keys", (index, sizes), asked[:-1], "int64")
    except Mismatch:  # a constant position that is not there: who runs it is told
        return None
    return found.last(var, "scatter_rows", (x, keys, updates), lead=lead, mode=attrs["mode"])


def _taken(var: Var, call: Call) -> list[Binding] | None:
    x, index = call.args
    shape, asked = tensor_of(x).shape, tensor_of(index)
    axis = integer(operator(_TAKE).complete(call.attrs), "axis") % len(shape)
    found = _Steps(call)
    sizes, where = found.size(x, axis)
    try:
        places = found.put("positions_in", (index, sizes), asked.shape, asked.dtype, axis=where)
    except Mismatch:
        return None
    return found.last(var, "take_inside", (x, places), axis=axis)


def _gathered(var: Var, call: Call) -> list[Binding] | None:
    """Rows of x by their numbers, which the host has found."""
    x, index = call.args
    attrs, along = operator(operator_of(call)).complete(call.attrs), operator_of(call) == _TAKE_ALONG
    shape, asked = tensor_of(x).shape, tensor_of(index).shape
    batches = 0 if along else integer(attrs, "batches")
    length = len(shape) if along else asked[-1]
    if not isinstance(length, int):
        return None
    lead, found = batches + length, _Steps(call)
    sizes = found.shape(x, shape[:lead])
    try:
        if along:
            rows = found.put("rows_along", (index, sizes), asked, "int64", axis=attrs["axis"])
        else:
            rows = found.put("rows_nd", (index, sizes), asked[:-1], "int64", batches=batches)
    except Mismatch:
        return None
    return found.last(var, "gather_rows", (x, rows), lead=lead)


def _put(var: Var, call: Call) -> list[Binding] | None:
    """Rows put along a dimension, of which the last at one position stays: a scatter that sets them."""
    x, index, rows = call.args
    shape, asked = tensor_of(x).shape, tensor_of(index).shape
    axis = integer(operator(_PUT).complete(call.attrs), "axis") % len(shape)
    outer = tuple(d for d in shape[:axis] if isinstance(d, int))
    if len(outer) < axis:
        return None
    found = _Steps(call)
    sizes, where = found.size(x, axis)
    try:
        keys = found.put("put_keys", (index, sizes), (*outer, *asked), "int64", axis=where, outer=outer)
    except Mismatch:
        return None
    return found.last(var, "scatter_rows", (x, keys, rows), lead=axis + 1, mode="set")


def _put_inside(kept: _Keys, var: Var, call: Call) -> list[Binding] | None:
    """The same where x lies: places are looked at once for all that has a dimension of the size."""
    x, index, rows = call.args
    shape = tensor_of(x).shape
    axis = integer(operator(_PUT).complete(call.attrs), "axis") % len(shape)
    found, place = _Steps(call), ("put_places", index, shape[axis : axis + 1])
    places = kept.get(place)
    if places is None:
        sizes, where = found.size(x, axis)
        try:
            places = found.put("put_places", (index, sizes), tensor_of(index).shape, "int64", axis=where)
        except Mismatch:  # a constant position that is not there: who runs it is told
            return None
        kept[place] = places
    return found.last(var, PUT_INSIDE, (x, places, rows), axis=axis)


_FROM = {_TAKE: _taken, _TAKE_ALONG: _gathered, _GATHER_ND: _gathered}  # what a kernel made
