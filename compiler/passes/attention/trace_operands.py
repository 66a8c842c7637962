"""Operand tracing: a product of batches reads what its operands were before they were copied, scaled and repeated.

Exporters give attention's products operands that went through many hands: heads turned, batches joined, rows and widths
changed, batches parted again, both sides multiplied by half of the scale, heads of keys and values repeated for all the
queries that share them. Each of these would be a copy of a whole cache. Traced back they are one transposition, which
`read_heads` lets the product read in place; the numbers are one factor of the result, a tail of the product; and heads
that share keys are more rows of one product, which needs views alone:

    batch_matmul(q * c, repeat(k) * c)  ->  reshape(batch_matmul(reshape(q), k) * c*c)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    scalar,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import REPEATS, dimension
from anytile.compiler.operators.spec import axis_of, ints
from anytile.compiler.passes.attention.read_heads import names_of
from anytile.compiler.passes.convolutional.sink_transposes import as_view

_VIEWS = ("reshape", "reshape_sized", "reshape_like", "flatten", "expand_dims", "squeeze")
_DTYPE = "float32"


def trace_operands(module: Module) -> Module:
    return each_block(module, _traced)


def _traced(body: Expr) -> Expr:
    known: dict[Var, Call] = {}

    def change(var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value):
            return None
        known[var] = value
        return _product(var, value, known) if operator_of(value) == "batch_matmul" else None

    return rewrite(body, change)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A dimension of an operand, or a part of one; two are the same only if they are one object."""

    size: Dim


_Axis = tuple[_Atom, ...]  # the atoms that a dimension is made of, none for one of 1


@dataclass(frozen=True, slots=True)
class _Source:
    """What an operand was: its dimensions, and those of the operand, in the same atoms.

    The operand is `factor` times that, turned, and has the atoms in `repeated` besides, along which it is alike.
    """

    var: Var
    axes: tuple[_Axis, ...]
    operand: tuple[_Axis, ...]
    factor: float = 1.0
    repeated: frozenset[int] = frozenset()

    def left(self, axis: _Axis) -> _Axis:
        """What of an operand's dimension the source has."""
        return tuple(a for a in axis if id(a) not in self.repeated)

    @property
    def kept(self) -> list[int]:
        """The operand's dimensions that the source has too: of those repeated as a whole as many as it has room for."""
        whole = [i for i, axis in enumerate(self.operand) if axis and not self.left(axis)]
        room = len(self.axes) - len(self.operand) + len(whole)
        return [i for i in range(len(self.operand)) if i not in whole[max(room, 0) :]]

    def perm(self) -> tuple[int, ...] | None:
        """Where the source has each dimension that is kept; None where a turn alone makes no operand of it."""
        free = [i for i, axis in enumerate(self.axes) if not axis]
        found = []
        for i in self.kept:
            axis = self.left(self.operand[i])
            at = next((j for j, own in enumerate(self.axes) if own and _same(own, axis)), None)
            if at is None and (axis or not free):
                return None
            found.append(free.pop(0) if at is None else at)
        return tuple(found) if len(found) == len(self.axes) else None

    def is_in_place(self, batches: Sequence[int]) -> bool:
        """Whether the dimensions of batches lie side by side, in their order."""
        lying = [a for axis in self.axes for a in axis]
        wanted = [a for i in batches for a in self.left(self.operand[i])]
        if not wanted:
            return True
        at = next((i for i, a in enumerate(lying) if a is wanted[0]), len(lying))
        return _same(lying[at : at + len(wanted)], wanted)


def _same(a: Sequence[_Atom], b: Sequence[_Atom]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


def _sources(var: Var, known: Mapping[Var, Call]) -> Iterator[_Source]:
    """What an operand was, itself first, one step more each time."""
    axes = tuple((_Atom(d),) if d != 1 else () for d in tensor_of(var).shape)
    at: _Source | None = _Source(var, axes, axes)
    while at is not None:
        yield at
        at = _before(at, known)


def _before(at: _Source, known: Mapping[Var, Call]) -> _Source | None:
    call = known.get(at.var)
    name = "" if call is None else operator_of(call)
    if call is None or not call.args:
        return None
    if name in ("multiply", "divide"):
        return _unscaled(at, call)
    source = call.args[0]
    if not isinstance(source, Var):
        return None
    shape = tensor_of(source).shape
    if name == "transpose":
        given = ints(operator(name).complete(call.attrs), "perm")
        perm = tuple(axis_of(p, len(shape)) for p in given) if given else tuple(reversed(range(len(shape))))
        return replace(at, var=source, axes=tuple(at.axes[perm.index(i)] for i in range(len(shape))))
    if name in _VIEWS:
        return _regrouped(at, source, shape)
    return _unrepeated(at, source, shape) if name in REPEATS else None


def _unscaled(at: _Source, call: Call) -> _Source | None:
    is_product = operator_of(call) == "multiply"
    for x, by in (call.args, call.args[::-1]) if is_product else (call.args,):
        if not isinstance(x, Var) or not isinstance(by, Constant) or by.array.size != 1:
            continue
        number = float(by.array.reshape(()))
        if by.array.ndim <= tensor_of(x).rank and number and math.isfinite(number):
            return replace(at, var=x, factor=at.factor * number if is_product else at.factor / number)
    return None


def _unrepeated(at: _Source, source: Var, shape: Sequence[Dim]) -> _Source | None:
    """Before a broadcast: what it made is the same along all that it repeated."""
    lead = len(at.axes) - len(shape)
    gone = [a for axis in at.axes[:lead] for a in axis]
    axes: list[_Axis] = []
    for own, seen, axis in zip(shape, tensor_of(at.var).shape[lead:], at.axes[lead:], strict=True):
        if own == seen:
            axes.append(axis)
        elif isinstance(own, int) and own == 1:
            axes.append(())
            gone += axis
        else:
            return None
    return replace(at, var=source, axes=tuple(axes), repeated=at.repeated | {id(a) for a in gone})


def _regrouped(at: _Source, source: Var, shape: Sequence[Dim]) -> _Source | None:
    """Before a view: the same atoms, some of them parted, in the source's dimensions."""
    atoms = [a for axis in at.axes for a in axis]
    parted: dict[int, _Axis] = {}
    axes: list[_Axis] = []
    for place, dim in enumerate(shape):
        group = _taken(atoms, dim, parted)
        if group is None:  # one that is not known is whatever the others leave
            tail = None if isinstance(dim, int) else _from_behind(atoms, shape[place + 1 :])
            if tail is None or not atoms:
                return None
            axes += [tuple(atoms), *tail]
            atoms = []
            break
        axes.append(group)
    if atoms or any(id(a) in at.repeated for axis in at.axes for a in axis if id(a) in parted):
        return None

    def apart(axis: _Axis) -> _Axis:
        return tuple(p for a in axis for p in parted.get(id(a), (a,)))

    return replace(at, var=source, axes=tuple(map(apart, axes)), operand=tuple(map(apart, at.operand)))


def _taken(atoms: list[_Atom], dim: Dim, parted: dict[int, _Axis]) -> _Axis | None:
    """The first of the atoms that make a dimension, taken from them; one that is larger is parted."""
    if not isinstance(dim, int):
        return (atoms.pop(0),) if atoms and atoms[0].size == dim else None
    if dim == 0:
        return None
    group: list[_Atom] = []
    left = dim
    while left > 1:
        size = atoms[len(group)].size if len(group) < len(atoms) else None
        if not isinstance(size, int) or not size:
            return None
        atom = atoms[len(group)]
        if left % size == 0:
            group.append(atom)
            left //= size
        elif size % left == 0 and id(atom) not in parted:
            one, other = _Atom(left), _Atom(size // left)
            parted[id(atom)] = (one, other)
            atoms[len(group) : len(group) + 1] = [one, other]
            group.append(one)
            left = 1
        else:
            return None
    del atoms[: len(group)]
    return tuple(group)


def _from_behind(atoms: list[_Atom], shape: Sequence[Dim]) -> list[_Axis] | None:
    """The last of the atoms that make these dimensions, an atom each, taken from them."""
    found: list[_Axis] = []
    for dim in reversed(shape):
        if isinstance(dim, int) and dim == 1:
            found.insert(0, ())
        elif atoms and atoms[-1].size == dim:
            found.insert(0, (atoms.pop(),))
        else:
            return None
    return found


def _product(var: Var, call: Call, known: Mapping[Var, Call]) -> list[Binding] | None:
    """A product of what its operands were; None where they are that already."""
    attrs = operator("batch_matmul").complete(call.attrs)
    layouts = {side: str(attrs[side]) for side in ("lhs", "rhs", "y")}
    kinds = [type_of(e) for e in (*call.args, var)]
    ranks = {k.rank for k in kinds if isinstance(k, TensorType) and k.dtype == _DTYPE}
    if len(ranks) != 1 or not all(map(_is_float, kinds)) or not all("b" in t for t in layouts.values()):
        return None
    (rank,) = ranks
    batches = [[i for i, n in enumerate(names_of(layouts[side], rank)) if n[0] == "b"] for side in ("lhs", "rhs")]
    heads_of = [[tensor_of(e).shape[i] for i in own] for e, own in zip(call.args, batches, strict=True)]
    # Heads that share some are rows one after the other, and of each side there is one for one.
    may_share = layouts["lhs"] == "bmk" and layouts["y"] == "bmn" and layouts["rhs"][0] == "b"
    may_share = may_share and all(a == b for a, b in zip(*heads_of, strict=True))
    found: list[_Source] = []
    for arg, own, shares in zip(call.args, batches, (False, may_share), strict=True):
        if not isinstance(arg, Var):
            return None
        found.append([s for s in _sources(arg, known) if _fits(s, own, shares)][-1])
    left, right = found
    if all(_is_read(s, a, known) for s, a in zip(found, call.args, strict=True)):
        return None
    steps: list[Binding] = []
    args = [_turned(s, a, known, steps, call.where) for s, a in zip(found, call.args, strict=True)]
    heads = _Heads(args[0], right, rank) if right.repeated else None
    if heads is not None:
        args[0] = heads.rows(steps, call.where)
    kind = tensor_of(var)
    made = Var(var.name, kind if heads is None else TensorType((*tensor_of(args[0]).shape[:-1], kind.shape[-1])))
    steps.append((made, replace(call, args=tuple(args))))
    if (factor := left.factor * right.factor) != 1.0:
        product, made = made, Var(var.name, made.type)
        steps.append((made, Call(OperatorRef("multiply"), (product, scalar(factor)), where=call.where)))
    if heads is None:
        return [*steps[:-1], (var, steps[-1][1])]
    return [*steps, (var, heads.parted(made, call.where))]


def _is_float(t: object) -> bool:
    return isinstance(t, TensorType) and t.dtype == _DTYPE


def _fits(source: _Source, batches: Sequence[int], may_share: bool) -> bool:
    """Whether a product can read it; `batches` are the operand's dimensions that are batches."""
    if source.perm() is None or not source.is_in_place(batches):
        return False
    if not source.repeated:
        return True
    axes = [source.operand[i] for i in batches]
    atoms = [a for axis in axes for a in axis]
    first = next((i for i, a in enumerate(atoms) if id(a) in source.repeated), len(atoms))
    parts = [a for axis in axes if len(source.left(axis)) < len(axis) for a in axis]
    is_last = {id(a) for a in atoms[first:]} == source.repeated
    has_batches = any(i in source.kept for i in batches)  # or it is the same matrix for all, which is no batch
    return may_share and is_last and has_batches and all(isinstance(a.size, int) for a in parts)


def _is_read(source: _Source, operand: Expr, known: Mapping[Var, Call]) -> bool:
    """Whether an operand is read there already, or is turned at once behind it."""
    if source.var is operand:
        return True
    step = known.get(operand) if isinstance(operand, Var) else None
    return step is not None and is_operator_call(step, "transpose") and step.args[0] is source.var


def _turned(source: _Source, operand: Expr, known: Mapping[Var, Call], steps: list[Binding], where: str) -> Expr:
    """The source as the product takes it."""
    if _is_read(source, operand, known):
        return operand
    perm = source.perm()
    assert perm is not None
    if perm == tuple(range(len(perm))):
        return source.var
    kind = tensor_of(source.var)
    made = Var("turned", TensorType(tuple(kind.shape[p] for p in perm), kind.dtype))
    turn = Call(OperatorRef("transpose"), (source.var,), (("perm", perm),), where)
    steps.append((made, as_view(source.var, perm, where) or turn))
    return made


class _Heads:
    """Queries of which several heads share one of keys: they are rows of one product, and parted again behind it."""

    def __init__(self, queries: Expr, keys: _Source, rank: int) -> None:
        self.queries, self.rank = queries, rank
        self.batches = [i for i in keys.kept if i < rank - 2]
        self.left = {i: keys.left(axis) for i, axis in enumerate(keys.operand) if len(keys.left(axis)) < len(axis)}
        gone = [a.size for axis in keys.operand for a in axis if id(a) in keys.repeated]
        self.shared = math.prod(n for n in gone if isinstance(n, int))

    def rows(self, steps: list[Binding], where: str) -> Expr:
        """The queries, seen so."""
        shape, m = tensor_of(self.queries).shape, self.rank - 2
        sizes: list[str] = []
        seen: list[Dim] = []
        for i in self.batches:
            whole = math.prod(a.size for a in self.left[i] if isinstance(a.size, int)) if i in self.left else shape[i]
            sizes.append(str(whole) if i in self.left else dimension(i))
            seen.append(whole)
        sizes += [f"{self.shared}*{dimension(m)}", dimension(m + 1)]
        made = Var("rows", TensorType((*seen, _times(shape[m], self.shared), shape[m + 1])))
        steps.append((made, _view(sizes, (self.queries,), where)))
        return made

    def parted(self, product: Var, where: str) -> Call:
        """The product's result by the queries' heads."""
        own = tensor_of(product).rank
        sizes = [*(dimension(own + i) for i in range(self.rank - 1)), dimension(own - 1)]
        return _view(sizes, (product, self.queries), where)


def _times(dim: Dim, count: int) -> Dim:
    if isinstance(dim, int):
        return dim * count
    return Any(f"{dim.name}_x{count}") if dim.name else dim


def _view(sizes: Sequence[str], args: tuple[Expr, ...], where: str) -> Call:
    attrs = operator("reshape_sized").canonical((("sizes", ", ".join(sizes)),))
    return Call(OperatorRef("reshape_sized"), args, attrs, where)
