"""Layout propagation: transpositions move behind the steps that read them, until they meet their inverse.

Networks whose images have their channels last come out of exporters with a transposition before each convolution and
another one behind it. A convolution or a pool of images that were turned is one in the other layout, turned behind it;
an elementwise step, a normalisation, a sum or join along an axis, a slice, padding, resizing and a reshape that divides
or joins dimensions take what was turned as it lies, with their axes and constants turned, and sizes are read of what
lies before it. Two that meet are one, or nothing, and one that only moves dimensions of 1 is a view. So the layout that
the network has outside is chosen for all of it, and inside no transposition is left (`channels_last` may choose the
other one then), but where channels are shuffled: there those that are joined alone change places.

A function is changed only where fewer transpositions are left in it: what has none stays in the layout it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Attrs,
    AttrValue,
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, Names, each_block, is_atom, nodes, rewrite
from anytile.compiler.ir.types import Dim, TensorType, Type
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import FIRST_LIKE, dimension, sizes_text
from anytile.compiler.operators.spec import axes_of, axis_of, integer, ints
from anytile.compiler.passes.dead_code import live
from anytile.schedules.index.expr import Expr as Size
from anytile.schedules.index.expr import var as size_of
from anytile.schedules.index.expr_text import parse_exprs

Perm = tuple[int, ...]
CONVOLUTIONS = ("conv1d", "conv2d", "conv3d", "conv_transpose", "quantised_conv2d")
WINDOWS = (*CONVOLUTIONS, "max_pool2d", "avg_pool2d")
_SUMS = ("sum", "mean", "max", "min", "prod")


def to_last(rank: int) -> Perm:
    """Channels, which are second, go behind the image."""
    return (0, *range(2, rank), 1)


def to_second(rank: int) -> Perm:
    return (0, rank - 1, *range(1, rank - 1))


def sink_transposes(module: Module) -> Module:
    return each_block(module, _fewer)


def _fewer(body: Expr) -> Expr:
    """The block with its transpositions moved, if that leaves fewer."""
    before = transpositions(body)
    if not before:
        return body
    moved = sunk(body)
    return moved if transpositions(moved) < before else body


def sunk(body: Expr, through_windows: bool = True) -> Expr:
    """The block with its transpositions moved as far as they go. Convolutions and pools keep their layouts where they
    do not go through them."""
    return live(_Sinking(through_windows).sunk(body))


def transpositions(body: Expr) -> int:
    return sum(is_operator_call(e, "transpose") for e in nodes(body))


@dataclass(frozen=True, slots=True)
class _Turned:
    """A variable as another one whose dimensions were permuted: dimension i is the source's `perm[i]`."""

    source: Var
    perm: Perm


class _Sinking:
    def __init__(self, through_windows: bool) -> None:
        self.through_windows = through_windows
        self.known: dict[Var, _Turned] = {}
        self.names: Names = {}
        self.views: list[Binding] = []  # of what the step at hand reads beside what was turned

    def sunk(self, body: Expr) -> Expr:
        return rewrite(body, self.change, self.names, self.block)

    @contextmanager
    def block(self) -> Iterator[None]:
        outer, self.known = self.known, dict(self.known)
        yield
        self.known = outer

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value) or not isinstance(var.type, TensorType):
            return None
        read = self.measured(value)
        moved = self.moved(var, read)
        return [(var, read)] if moved is None and read is not value else moved

    def measured(self, value: Call) -> Call:
        """A step that reads sizes of what was turned, reading those of what lies before it."""
        first = FIRST_LIKE.get(operator_of(value))
        if first is None:
            return value
        args, names, at = list(value.args), dict[str, Size](), 0
        for i, atom in enumerate(value.args):
            turned = self.known.get(atom) if isinstance(atom, Var) and i >= first else None
            if turned is not None:
                args[i] = turned.source
                names |= {dimension(at + axis): size_of(dimension(at + p)) for axis, p in enumerate(turned.perm)}
            at += tensor_of(atom).rank
        if not names:
            return value
        sizes = [e.substitute(names) for e in parse_exprs(str(value.attr("sizes")))]
        return replace(value, args=tuple(args), attrs=(("sizes", sizes_text(sizes)),))

    def moved(self, var: Var, value: Call) -> list[Binding] | None:
        """What a step becomes, if it is another."""
        kind = tensor_of(var)
        if operator_of(value) == "transpose" and isinstance(value.args[0], Var):
            given = ints(operator("transpose").complete(value.attrs), "perm")
            rank = kind.rank
            perm = tuple(axis_of(a, rank) for a in given) if given else tuple(reversed(range(rank)))
            before = self.known.get(value.args[0])
            if before is None:
                return self.turned(var, value.args[0], perm, value.where)
            return self.turned(var, before.source, tuple(before.perm[p] for p in perm), value.where)
        if operator_of(value) == "reshape_sized" and _is_same(kind, type_of(value.args[0])):
            self.names[var] = value.args[0]
            return []
        found = {a: self.known[a] for a in value.args if isinstance(a, Var) and a in self.known}
        perms = {t.perm for t in found.values()}
        if len(perms) != 1:
            return None
        (perm,) = perms
        made = self.step(var, value, found, perm)
        if made is None:
            return None
        step, behind = made
        views, self.views = self.views, []
        if behind == tuple(range(len(behind))):
            return [*views, (var, step)]
        shape = tuple(kind.shape[behind.index(i)] for i in range(len(behind)))
        lying = Var(var.name, TensorType(shape, kind.dtype))
        return [*views, (lying, step), *self.turned(var, lying, behind, value.where)]

    def turned(self, var: Var, source: Var, perm: Perm, where: str) -> list[Binding]:
        """A transposition, which is nothing where it moves nothing, and a view where it only moves dimensions of 1."""
        if perm == tuple(range(len(perm))):
            self.names[var] = source
            return []
        self.known[var] = _Turned(source, perm)
        view = as_view(source, perm, where)
        return [(var, _call("transpose", (source,), {"perm": perm}, where) if view is None else view)]

    def lying(self, atom: Expr, found: dict[Var, _Turned], perm: Perm, where: str) -> Expr | None:
        """What an elementwise step reads, as it lies before the permutation."""
        if isinstance(atom, Var) and atom in found:
            return found[atom].source
        kind = type_of(atom)
        if isinstance(kind, TensorType) and is_atom(atom) and kind.rank == 0:
            return atom
        back = tuple(perm.index(i) for i in range(len(perm)))
        if isinstance(atom, Var) and isinstance(kind, TensorType) and kind.rank == len(perm):
            view = as_view(atom, back, where)
            if view is None:
                return None
            turned = Var(atom.name, TensorType(tuple(kind.shape[i] for i in back), kind.dtype))
            self.views.append((turned, view))
            return turned
        if not isinstance(atom, Constant) or atom.array.ndim > len(perm):
            return None
        array = atom.array.reshape((1,) * (len(perm) - atom.array.ndim) + atom.array.shape)
        return Constant(np.ascontiguousarray(array.transpose(back)), atom.name)

    def reshaped(
        self, x: Var, perm: Perm, before: TensorType, after: TensorType, where: str
    ) -> tuple[Call, Perm] | None:
        """A reshape that divides dimensions or joins such as lie side by side before the permutation, too. Where they
        do in another order, they alone are put in this one."""
        parts = _parts(before.shape, after.shape)
        if parts is None or sum(not isinstance(d, int) for d in after.shape) > 1:
            return None
        places = list(range(len(perm)))  # of what is read, in the order in which it is joined
        for old, _ in parts:
            span = sorted(perm[a] for a in old)
            if span[-1] - span[0] != len(span) - 1:
                return None
            places[span[0] : span[-1] + 1] = (perm[a] for a in old)
        if places != sorted(places):
            shape = tensor_of(x).shape
            lying = Var(x.name, TensorType(tuple(shape[p] for p in places), before.dtype))
            self.views.append((lying, _call("transpose", (x,), {"perm": tuple(places)}, where)))
            x = lying
        order = [axis for _, new in sorted(parts, key=lambda part: min(perm[a] for a in part[0])) for axis in new]
        sizes = tuple(d if isinstance(d, int) else -1 for d in (after.shape[axis] for axis in order))
        return _call("reshape", (x,), {"shape": sizes}, where), tuple(order.index(i) for i in range(len(order)))

    def step(self, var: Var, value: Call, found: dict[Var, _Turned], perm: Perm) -> tuple[Call, Perm] | None:
        """A step that reads what lies before the permutation, and the one that is behind it; None where it has none."""
        name, row, rank = operator_of(value), operator(operator_of(value)), len(perm)
        attrs = row.complete(value.attrs)

        def changed(args: Sequence[Expr], **new: AttrValue) -> Call:
            return replace(value, args=tuple(args), attrs=row.canonical(tuple({**attrs, **new}.items())))

        first, *others = value.args
        x = found[first].source if isinstance(first, Var) and first in found else None
        if row.element is not None:
            args = [self.lying(a, found, perm, value.where) for a in value.args]
            kept = [a for a in args if a is not None]
            if len(kept) == len(args) and tensor_of(var).rank == rank:
                return changed(kept), perm
            self.views.clear()
            return None
        if name == "concat" and all(a in found for a in value.args):
            sources = [found[a].source for a in value.args if isinstance(a, Var)]
            return changed(sources, axis=perm[axis_of(integer(attrs, "axis"), rank)]), perm
        if x is None or any(a in found for a in others):
            return None
        if name in ("reshape", "reshape_sized"):
            return self.reshaped(x, perm, tensor_of(first), tensor_of(var), value.where)
        if name in WINDOWS:
            turned, layout = (to_second(rank), "nhwc") if attrs["layout"] == "nchw" else (to_last(rank), "nchw")
            is_so = self.through_windows and perm == turned
            return (changed((x, *others), layout=layout), perm) if is_so else None
        if name == "batch_norm":
            return changed((x, *others), axis=perm[axis_of(integer(attrs, "axis"), rank)]), perm
        if name == "pad":
            low, high = (ints(attrs, side) for side in ("before", "after"))
            if len(low) != rank or len(high) != rank:
                return None
            back = [perm.index(i) for i in range(rank)]
            return changed((x,), before=tuple(low[i] for i in back), after=tuple(high[i] for i in back)), perm
        if name == "slice":
            cut = ints(attrs, "axes") or tuple(range(max(len(ints(attrs, end)) for end in ("start", "stop", "step"))))
            return changed((x,), axes=tuple(perm[axis_of(a, rank)] for a in cut)), perm
        if name in ("interpolate", "repeat_each") or (name == "take_inside" and tensor_of(others[0]).rank == 1):
            return changed((x, *others), axis=perm[axis_of(integer(attrs, "axis"), rank)]), perm
        if name in ("resize", "resize_by") and ints(attrs, "axes"):
            return changed((x, *others), axes=tuple(perm[axis_of(a, rank)] for a in ints(attrs, "axes"))), perm
        if name in _SUMS:
            gone = axes_of(ints(attrs, "axis"), rank)
            axes = tuple(sorted(perm[a] for a in gone))
            if attrs["keepdims"]:
                return changed((x,), axis=axes), perm
            left = [perm[i] for i in range(rank) if i not in gone]
            return changed((x,), axis=axes), tuple(sorted(left).index(p) for p in left)
        return None


def _is_same(one: Type | None, other: Type | None) -> bool:
    """Whether two tensors have the same sizes, those that are not known by the same names."""
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return False
    return len(one.shape) == len(other.shape) and all(a == b for a, b in zip(one.shape, other.shape, strict=True))


def _call(name: str, args: tuple[Expr, ...], attrs: dict[str, AttrValue], where: str) -> Call:
    made: Attrs = operator(name).canonical(tuple(attrs.items()))
    return Call(OperatorRef(name), args, made, where)


def _parts(before: Sequence[Dim], after: Sequence[Dim]) -> list[tuple[list[int], list[int]]] | None:
    """Which dimensions of one shape are which of another: one that is the same, several that are one, or one that is
    several. None where it is not as simple as that."""
    parts: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(before) and j < len(after):
        old, new = [i], [j]
        one, other = before[i], after[j]
        while one != other:
            if not isinstance(one, int) or not isinstance(other, int) or 0 in (one, other):
                return None
            axes, shape = (old, before) if one < other else (new, after)
            if axes[-1] + 1 == len(shape) or not isinstance(size := shape[axes[-1] + 1], int):
                return None
            axes.append(axes[-1] + 1)
            one, other = (one * size, other) if axes is old else (one, other * size)
        if len(old) > 1 and len(new) > 1:
            return None
        parts.append((old, new))
        i, j = old[-1] + 1, new[-1] + 1
    return parts if i == len(before) and j == len(after) else None


def as_view(source: Var, perm: Perm, where: str) -> Call | None:
    """A transposition that only moves dimensions of 1, as a view; None for any other."""
    shape = tensor_of(source).shape
    moved = [p for p in perm if shape[p] != 1]
    unknown = [d for d in shape if not isinstance(d, int)]
    if moved != sorted(moved) or len(unknown) > 1 or 0 in shape:
        return None
    sizes = tuple(d if isinstance(d, int) else -1 for d in (shape[p] for p in perm))
    return _call("reshape", (source,), {"shape": sizes}, where)
