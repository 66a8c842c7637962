"""Integer products: int32 products of bytes less a zero point and of constants, as ONNX's quantised operators are.

Found in a block with what their weights let one do: whether int8 holds them, and whether float32 holds every sum. What
is written for a product stands in the place of a cast to float32 behind it where there is one and nothing else reads
the product; exporters cast there, to scale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anytile.compiler.ir.nodes import (
    Array,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
)
from anytile.compiler.ir.traverse import Binding, bindings_of, each_block, every_block, rewrite, variables_read

FLOAT, WHOLE = "float32", "int32"
_BYTES = ("uint8", "int8")
_EXACT = 2**24  # the integers up to which float32 has all
_MOST = 2**31  # of a sum in int32
_BYTE = 255  # the largest of bytes, less their zero point or not
_INT8 = np.iinfo(np.int8)


@dataclass(frozen=True, eq=False)
class IntegerWeight:
    """A constant of whole numbers in int32, a row for each that comes out, and what kernels are given in its place: one
    for all products with it, as those of a layer's many steps."""

    constant: Constant

    @property
    def array(self) -> Array:
        return self.constant.array

    @property
    def name(self) -> str:
        return self.constant.name

    @cached_property
    def moved(self) -> Array:
        """What is taken from each row so that int8 holds it."""
        low, high = self._rows.min(axis=1, initial=0), self._rows.max(axis=1, initial=0)
        fits = (low >= _INT8.min) & (high <= _INT8.max)
        made: Array = np.where(fits, 0, high - _INT8.max)
        return made

    @cached_property
    def held(self) -> Constant:
        """The weight in int8, less what is taken from its rows."""
        moved = self.moved.reshape(-1, *[1] * (self.array.ndim - 1))
        return Constant((self.array - moved).astype(np.int8), self.name and f"{self.name}_int8")

    @cached_property
    def floats(self) -> Constant:
        """The weight in float32."""
        return Constant(self.array.astype(np.float32), self.name)

    @cached_property
    def totals(self) -> Array:
        """The sums of the rows."""
        made: Array = self._rows.sum(axis=1, dtype=np.int64)
        return made

    @cached_property
    def is_narrow(self) -> bool:
        """Whether int8 holds each row, less a number or not."""
        low, high = self._rows.min(axis=1, initial=0), self._rows.max(axis=1, initial=0)
        return bool((high.astype(np.int64) - low <= _INT8.max - _INT8.min).all())

    @cached_property
    def largest(self) -> int:
        """Of a row what its numbers add up to without their signs."""
        return int(np.abs(self._rows).sum(axis=1, dtype=np.int64).max(initial=0))

    @cached_property
    def largest_held(self) -> int:
        """The same where rows are held less a number, by which what they are multiplied by is added up apart."""
        held = np.abs(self.held.array.reshape(self._rows.shape).astype(np.int32)).sum(axis=1, dtype=np.int64)
        return max(self.largest, int(held.max(initial=0)), int(np.abs(self.moved).max()) * self.row_length)

    @property
    def _rows(self) -> Array:
        made: Array = self.array.reshape(len(self.array), -1)
        return made

    @property
    def row_length(self) -> int:
        return int(self._rows.shape[1])


@dataclass(frozen=True)
class IntegerProduct:
    """A product of bytes less a zero point and a weight; without a zero point that is 0."""

    call: Call
    codes: Var
    zero: Expr | None
    weight: IntegerWeight

    @property
    def is_dense(self) -> bool:
        return is_operator_call(self.call, "dense")

    @cached_property
    def is_held(self) -> bool:
        """Whether int8 holds the weight's rows, less a number each where what that adds to the sums is added up apart:
        in convolutions by float32 that has it exactly, and not in groups."""
        weight = self.weight
        if self.is_dense or not weight.is_narrow or not weight.moved.any():
            return weight.is_narrow
        return self.call.attr("groups", 1) == 1 and _BYTE * weight.row_length < _EXACT

    def fits(self, dtype: str, bias: Constant | None = None) -> bool:
        """Whether a dtype has whatever is added up on the way to the sums, and then to a constant.

        Where they are the integers' sums as they are, those in int32 are cast once and not added to.
        """
        if dtype == FLOAT and bias is None and self.is_plain:
            dtype = WHOLE
        more = 0 if bias is None else int(np.abs(bias.array.astype(np.int64)).max(initial=0))
        is_moved = self.is_held and self.weight.moved.any()
        largest = self.weight.largest_held if is_moved else self.weight.largest
        return _BYTE * largest + more < (_EXACT if dtype == FLOAT else _MOST)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is added to the sums of the bytes times the weight that is held."""
        is_zero = self.zero is None or (isinstance(self.zero, Constant) and not self.zero.array.any())
        return is_zero and not self.weight.moved.any()


Write = Callable[[IntegerProduct, Var, str], list[Binding] | None]


def rewritten(module: Module, write: Write, rounds: bool = False) -> Module:
    """The module with what is written for each product, if anything: for a variable, in float32 or int32.

    Where a cast to float32 alone reads a product, or that and a constant, it is asked for in float32, if that has all
    sums or `rounds` them.
    """

    weights: dict[int, IntegerWeight] = {}  # by the identity of their arrays

    def weight_of(constant: Constant) -> IntegerWeight:
        return weights.setdefault(id(constant.array), IntegerWeight(constant))

    def changed(body: Expr) -> Expr:
        reads = Counter(variables_read(body))
        values = {var: value for block in every_block(body) for var, value in bindings_of(block)}
        products = {var: p for var, value in values.items() if (p := _product(value, values, weight_of)) is not None}
        widened: dict[Var, tuple[Var, Constant | None]] = {}
        for var, value in values.items():
            if _is_cast(value, FLOAT) and isinstance(value, Call):
                source, bias = _biased(value.args[0], values, reads)
                if source in products and (rounds or products[source].fits(FLOAT, bias)):
                    widened[var] = source, bias
        inside = {source for source, _ in widened.values()}

        def change(var: Var, value: Expr) -> list[Binding] | None:
            if var not in widened:
                return write(products[var], var, WHOLE) if var in products and var not in inside else None
            source, bias = widened[var]
            if bias is None:
                return write(products[source], var, FLOAT)
            sums = Var(source.name, replace(tensor_of(source), dtype=FLOAT))
            made = write(products[source], sums, FLOAT)
            wide = Constant(bias.array.astype(np.float32), bias.name)
            return None if made is None else [*made, (var, Call(OperatorRef("add"), (sums, wide)))]

        return rewrite(body, change)

    return each_block(module, changed)


def _biased(e: Expr, values: Mapping[Var, Expr], reads: Mapping[Var, int]) -> tuple[Var | None, Constant | None]:
    """What something is, a constant taken off that is added to it; no variable where something else reads either."""
    if not isinstance(e, Var) or reads[e] != 1:
        return None, None
    step = values.get(e)
    if step is None or not is_operator_call(step, "add"):
        return e, None
    source, bias = step.args
    is_biased = isinstance(source, Var) and isinstance(bias, Constant) and reads[source] == 1
    return (source, bias) if is_biased and tensor_of(source).shape == tensor_of(e).shape else (None, None)  # type: ignore[return-value]


def _product(
    call: Expr, values: Mapping[Var, Expr], weight_of: Callable[[Constant], IntegerWeight]
) -> IntegerProduct | None:
    """What a step is of these."""
    if not is_operator_call(call, "dense", "conv1d", "conv2d") or len(call.args) != 2:
        return None
    x, weight = call.args
    if not isinstance(x, Var) or not isinstance(weight, Constant) or weight.array.dtype != np.int32:
        return None
    if is_operator_call(call, "conv1d") and call.attr("layout") == "nhwc":  # which no importer writes
        return None
    codes, zero = _codes(x, values)
    if codes is None or not _is_one(call, zero):
        return None
    found = IntegerProduct(call, codes, zero, weight_of(weight))
    return found if weight.array.size and found.fits(WHOLE) else None


def _codes(x: Var, values: Mapping[Var, Expr]) -> tuple[Var | None, Expr | None]:
    """The bytes whose whole numbers something is, and the zero point that is taken from them, a byte too."""
    zero: Expr | None = None
    step = values.get(x)
    if step is not None and is_operator_call(step, "subtract") and tensor_of(step.args[0]).shape == tensor_of(x).shape:
        wide, zero = step.args
        step = values.get(wide) if isinstance(wide, Var) else None
        if not _is_byte(zero, values):
            return None, None
    return (_narrow(step) if step is not None else None), zero


def _narrow(step: Expr) -> Var | None:
    """The bytes that a step widens."""
    if not _is_cast(step, WHOLE) or not isinstance(step, Call):
        return None
    codes = step.args[0]
    return codes if isinstance(codes, Var) and tensor_of(codes).dtype in _BYTES else None


def _is_byte(e: Expr, values: Mapping[Var, Expr]) -> bool:
    if isinstance(e, Constant):
        return bool((np.abs(e.array) <= _BYTE).all())
    return isinstance(e, Var) and e in values and _narrow(values[e]) is not None


def _is_one(call: Call, zero: Expr | None) -> bool:
    """Whether a zero point is one for all that is added up: for a row of a dense layer, for all of a convolution."""
    if zero is None:
        return True
    shape = tensor_of(zero).shape
    return shape[-1:] in ((), (1,)) if is_operator_call(call, "dense") else all(d == 1 for d in shape)


def _is_cast(value: Expr, dtype: str) -> bool:
    return is_operator_call(value, "cast") and value.attr("dtype") == dtype
