"""Excess precision: what a model computes in 16-bit floats is computed in float32, between what comes and what leaves.

16-bit floats are formats of memory: no CPU that kernels are made for adds or multiplies single ones of them. So an
operator of such becomes the one of float32, its operands are widened, constants ahead of time, and what it makes is
rounded where somebody has to have 16 bits: what the model gives back, a function takes, a branch makes. From one
operator to the next nothing is rounded, which is closer to what the model means than rounding each. Where a model
itself casts to 16 bits and back, with at most views between, that is a rounding it asked for, and stays; a cast to 8
bits always is one, and the cast back a step of float32. A product of such numbers with a weight of 8 bits may be one of
float16, which has all of them. Views and sizes of what lies in 16 bits are taken of it as it lies, and products that
take formats of memory keep them. What lies in 16 bits is moved so; and so is what is joined with such, where the whole
leaves in 16 bits, as a decoder's cache does: who reads that within has it as the next call will.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    TupleExpr,
    TupleGet,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import (
    Binding,
    Scoped,
    atoms_of,
    each_block,
    every_block,
    result_of,
    rewrite,
    steps,
)
from anytile.compiler.ir.types import TensorType, TupleType, Type
from anytile.compiler.operators import Operator, operator
from anytile.compiler.passes.memory.in_place import PUT_ROWS
from anytile.compiler.passes.memory.manifest_alloc import APPEND, SIZES_OF, VIEWS
from anytile.core.dtypes import FLOAT8, STORED_FLOATS
from anytile.schedules.operators.products.quantised_dense import PRODUCTS, QUANTISED_DENSE, ROUNDED, W

FLOAT = "float32"
_JOINING = ("concat", APPEND, PUT_ROWS)  # operators that put rows beside others
_AS_IT_LIES = (*VIEWS, "shape_of", SIZES_OF)


def widen_halves(module: Module) -> Module:
    return each_block(module, lambda body: _Widening(_leaving(body)).block(body))


class _Widening:
    """One function while its steps are widened."""

    def __init__(self, leaving: set[Var]) -> None:
        self.leaving = leaving  # what has to be in 16 bits if its type says so
        self.computed: set[Var] = set()  # what is rounded from float32
        self.wide: Scoped[Var, Expr] = Scoped()  # what variables of 16 bits are in float32
        self.parts: dict[Var, tuple[Var, ...]] = {}  # and the fields of tuples
        self.turned: dict[Var, Call] = {}  # what is transposed as it lies
        self.asked: set[Var] = set()  # roundings that the model says
        self.rounded: dict[Var, Expr] = {}  # what 8-bit floats were in float32
        self.small: set[Var] = set()  # what is of such numbers in float32
        self.constants: dict[int, tuple[Constant, Constant]] = {}

    def block(self, body: Expr) -> Expr:
        return rewrite(body, self.change, scope=self.wide.scope)

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if isinstance(value, TupleGet) and isinstance(value.value, Var) and value.value in self.parts:
            if _is_half(var.type):
                self.wide[var] = self.parts[value.value][value.index]
                self.computed.add(var)
            return None
        if not is_operator_call(value):
            return None
        row = operator(operator_of(value))
        if row.name == "cast":
            return self.cast(var, value)
        if row.name == QUANTISED_DENSE.name and self._is_small(value) and value.attr(W.name) in FLOAT8:
            attrs = row.canonical((*value.attrs, (PRODUCTS.name, ROUNDED)))
            return [(var, replace(value, attrs=attrs))]
        if (row.takes_stored and row.anchor) or row.name == "bit_cast":
            return None
        if row.name in (*VIEWS, "transpose") and self._is_small(value):
            self.small.add(var)
        makes, takes = _has_halves(var.type), any(_is_half(type_of(a)) for a in value.args)
        if row.name in _AS_IT_LIES and (not makes or not any(a in self.wide for a in value.args)):
            return None
        if (row.moves or row.name in _JOINING) and makes and self.lies(var, value):
            if row.name == "transpose":
                self.turned[var] = value
            return None
        if not takes:
            return self.made_wide(row, var, value, []) if makes and value.attr("dtype") in STORED_FLOATS else None
        if row.name in VIEWS and value.args[0] in self.asked:
            self.asked.add(var)
        before: list[Binding] = []
        args = tuple(self.widened(a, value.where, before) for a in value.args)
        return self.made_wide(row, var, replace(value, args=args), before)

    def _is_small(self, call: Call) -> bool:
        """Whether the first operand is of numbers that 8-bit floats have."""
        return isinstance(call.args[0], Var) and call.args[0] in self.small

    def lies(self, var: Var, call: Call) -> bool:
        """Whether what a step moves stays in 16 bits."""
        whole = [a for a in call.args if _is_half(type_of(a))]
        computed = [a for a in whole if a in self.computed]
        joins = is_operator_call(call, *_JOINING) and len(computed) < len(whole) and var in self.leaving
        return not computed or joins

    def cast(self, var: Var, call: Call) -> list[Binding] | None:
        """A cast there is a rounding, unless its result is but computed with; a cast back reads what was computed."""
        (x,) = call.args
        if _is(var.type, *FLOAT8):
            source = self.wide.get(x, x) if isinstance(x, Var) else x
            if _is(type_of(source), FLOAT):
                self.rounded[var] = source
            return [(var, replace(call, args=(source,)))]
        if _is(type_of(x), *FLOAT8) and _is(var.type, FLOAT):
            self.small.add(var)
        if isinstance(x, Var) and x in self.rounded and _is(var.type, FLOAT):
            dtype = tensor_of(x).dtype
            return [(var, Call(OperatorRef("round_to"), (self.rounded[x],), (("dtype", dtype),), call.where))]
        if _is_half(var.type) and isinstance(x, Var):
            wide = Var(var.name, _as_wide(var.type))
            before: list[Binding] = [] if _is(type_of(x), FLOAT) else [(wide, _cast(x, FLOAT, call.where))]
            self.wide[var] = wide if before else x
            self.asked.add(var)
            self.computed.add(var)
            return [*before, (var, call)]
        if isinstance(x, Var) and x in self.wide and x not in self.asked:
            return [(var, replace(call, args=(self.wide[x],)))]
        if isinstance(x, Var) and x in self.turned and _is(var.type, FLOAT):
            before = []
            made = self.behind(self.turned[x], call.where, before)
            return [*before, (var, made)]
        return None

    def behind(self, turn: Call, where: str, before: list[Binding]) -> Call:
        """A transposition of 16 bits as one of float32, behind the cast, where products take it in."""
        return replace(turn, args=(self.widened(turn.args[0], where, before),))

    def widened(self, atom: Expr, where: str, before: list[Binding]) -> Expr:
        """The same in float32; what has to be cast for it is put before."""
        if not _is_half(type_of(atom)):
            return atom
        if isinstance(atom, Constant):
            kept = self.constants.setdefault(id(atom.array), (atom, _widened(atom)))
            return kept[1]
        assert isinstance(atom, Var)
        if atom not in self.wide:
            wide, turn = Var(atom.name, _as_wide(atom.type)), self.turned.get(atom)
            before.append((wide, _cast(atom, FLOAT, where) if turn is None else self.behind(turn, where, before)))
            self.wide[atom] = wide
        return self.wide[atom]

    def made_wide(self, row: Operator, var: Var, call: Call, before: list[Binding]) -> list[Binding]:
        """The steps of an operator that computes in float32, the last of which makes what the variable is."""
        if call.attr("dtype") in STORED_FLOATS:
            call = replace(call, attrs=tuple((k, FLOAT if k == "dtype" else v) for k, v in call.attrs))
            call = replace(call, attrs=row.canonical(call.attrs))
        if not _has_halves(var.type):
            return [*before, (var, call)]
        wide = Var(var.name, _as_wide(var.type))
        if isinstance(var.type, TensorType):
            self.wide[var] = wide
            self.computed.add(var)
            return [*before, (wide, call), (var, _cast(wide, var.type.dtype, call.where))]
        assert isinstance(var.type, TupleType)
        gets = tuple(Var(var.name, _as_wide(t)) for t in var.type.fields)
        self.parts[var] = gets
        made: list[Binding] = [(get, TupleGet(wide, i)) for i, get in enumerate(gets)]
        fields = list(gets)
        for i, own in enumerate(var.type.fields):
            if isinstance(own, TensorType) and own.dtype in STORED_FLOATS:
                fields[i] = Var(var.name, own)
                made.append((fields[i], _cast(gets[i], own.dtype, call.where)))
        return [*before, (wide, call), *made, (var, TupleExpr(tuple(fields)))]


def _leaving(body: Expr) -> set[Var]:
    """What is given back, goes into tuples and data, or to functions."""
    atoms = [result_of(block) for block in every_block(body)]
    atoms += [a for _, value in steps(body) if not is_operator_call(value) for a in atoms_of(value)]
    return {a for a in atoms if isinstance(a, Var)}


def _is(t: Type | None, *dtypes: str) -> bool:
    return isinstance(t, TensorType) and t.dtype in dtypes


def _is_half(t: Type | None) -> bool:
    return _is(t, *STORED_FLOATS)


def _has_halves(t: Type | None) -> bool:
    return _is_half(t) or (isinstance(t, TupleType) and any(map(_is_half, t.fields)))


def _as_wide(t: Type | None) -> Type | None:
    if isinstance(t, TupleType):
        return replace(t, fields=tuple(f if (wide := _as_wide(f)) is None else wide for f in t.fields))
    return replace(t, dtype=FLOAT) if isinstance(t, TensorType) and t.dtype in STORED_FLOATS else t


def _widened(constant: Constant) -> Constant:
    return Constant(constant.array.astype(np.float32), constant.name)


def _cast(x: Expr, dtype: str, where: str) -> Call:
    return Call(OperatorRef("cast"), (x,), (("dtype", dtype),), where)
