"""Host functions: operators without a kernel, for a session's table; each does what its row says in numpy.

`op_x` fills its outputs, `sizes_x` fills int64 tensors with the shapes of the results before they are there, and
`bounded_x` fills the begin of outputs that are large enough, then says in int64 tensors behind them how much it was.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any as AnyType

import numpy as np

from anytile.compiler.ir.nodes import Array, Attrs
from anytile.compiler.operators import OPERATORS, Operator
from anytile.compiler.operators.indexing import put_rows
from anytile.compiler.operators.shapes import kinds_of, run_of, sizes_of
from anytile.compiler.operators.spec import Mismatch, number
from anytile.core.errors import ArgumentError
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS, HostFunction, Twofold
from anytile.vm.runtime.functions import HOST_OPERATORS

_FLOAT, _BITS = struct.Struct("=d"), struct.Struct("=q")
_KINDS = 256  # of arrays that each operator remembers


def host_functions() -> Mapping[str, HostFunction]:
    """The machine's own table and the operators'."""
    made = dict(HOST_FUNCTIONS)
    for row in OPERATORS.values():
        made[f"op_{row.name}"] = _writes(row)  # of those with a kernel too: types may leave open which one
        if row.mode != "independent":
            made[f"sizes_{row.name}"] = _sizes(row)
        if row.mode == "upper_bound":
            made[f"bounded_{row.name}"] = _bounded(row)
    for name, attributes in HOST_OPERATORS.items():
        row = OPERATORS[name.partition("_")[2]]
        made[name] = Twofold(made[name], name, functools.partial(_words, row, attributes))
    return {**made, "op_put_rows": _put_rows, "op_arange": _arange}


def _words(row: Operator, names: Sequence[str], given: Mapping[str, AnyType]) -> tuple[int, ...]:
    """Attributes as native code reads them: whole numbers, bits of others, words by their place in the table."""
    known, found = {a.name: a for a in row.attributes}, row.complete(_attrs(given))

    def word(name: str) -> int:
        if known[name].words:
            return known[name].words.index(str(found[name]))
        value = number(found, name)
        if known[name].kind != "float":
            return int(value)
        (bits,) = _BITS.unpack(_FLOAT.pack(value))
        return int(bits)

    return tuple(map(word, names))


def _arange(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    """As many as the result has, which was looked at where its size was computed."""
    start, _, step = (a.item() for a in inputs)
    (made,) = outputs
    steps = np.arange(made.size)
    with np.errstate(all="ignore"):
        made[...] = steps if (start, step) == (0, 1) else start + steps * step


def _put_rows(inputs: Sequence[Array], outputs: Sequence[Array], axis: int = 0) -> None:
    """What lies where the result goes is there already."""
    (x, index, rows), (made,) = inputs, outputs
    if made.ctypes.data != x.ctypes.data:
        made[...] = x
    try:
        put_rows(made, index, rows, axis % x.ndim)
    except Mismatch as error:
        raise ArgumentError(f"put_rows: {error}") from None


def _run(row: Operator) -> Callable[[Sequence[Array], Attrs], tuple[Array, ...]]:
    """An operator's meaning; of arrays like those of a call before, nothing but elements is looked at."""
    known = functools.lru_cache(_KINDS)(functools.partial(run_of, row))

    def run(inputs: Sequence[Array], attrs: Attrs) -> tuple[Array, ...]:
        try:
            return known(kinds_of(inputs), attrs)(inputs)
        except Mismatch as error:
            raise ArgumentError(f"{row.name}: {error}") from None

    return run


def _attrs(given: Mapping[str, AnyType]) -> Attrs:
    """Attributes as JSON gave them: lists were tuples."""
    return tuple((name, _tuples(value)) for name, value in sorted(given.items()))


def _tuples(value: AnyType) -> AnyType:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _writes(row: Operator) -> HostFunction:
    run = _run(row)

    def call(inputs: Sequence[Array], outputs: Sequence[Array], **attrs: AnyType) -> None:
        for made, output in zip(run(inputs, _attrs(attrs)), outputs, strict=True):
            output[...] = made

    return call


def _sizes(row: Operator) -> HostFunction:
    def call(inputs: Sequence[Array], outputs: Sequence[Array], **attrs: AnyType) -> None:
        try:
            shapes = sizes_of(row, inputs, _attrs(attrs))
        except Mismatch as error:
            raise ArgumentError(f"{row.name}: {error}") from None
        for shape, output in zip(shapes or (), outputs, strict=True):
            output[...] = shape

    return call


def _bounded(row: Operator) -> HostFunction:
    run = _run(row)

    def call(inputs: Sequence[Array], outputs: Sequence[Array], **attrs: AnyType) -> None:
        found = run(inputs, _attrs(attrs))
        for made, output, shape in zip(found, outputs, outputs[len(found) :], strict=False):
            if made.size > output.size:
                raise ArgumentError(f"{row.name}: made {made.shape}, and its bound is {output.shape}")
            output.reshape(-1)[: math.prod(made.shape)] = np.ravel(made)
            shape[...] = made.shape

    return call
