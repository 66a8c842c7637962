"""Heads in place: a product of batches that reads what was transposed reads what lies before, by another layout.

Exporters turn (batch, rows, heads, width) into (batch, heads, rows, width) before the products of attention, and back
behind them. `batch_matmul` takes its operands in any order of its three dimensions, so the transpositions go into its
letters: queries are "mbk", keys "nbk", values "kbn", and the result is "mbn". Batches that are 1 for sure leave both
operands, and come back to the result as a view; the others must lie side by side. So where the number of sequences is
not known, which lies on the other side of the rows than heads do, only rows and widths change their places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from anytile.compiler.ir.nodes import (
    Call,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, ints


def read_heads(module: Module) -> Module:
    return each_block(module, lambda body: _Reading(Counter(variables_read(body))).read(body))


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that reads its operands in place, the dimensions of its result by name, with those that are 1."""

    call: Call
    dims: tuple[tuple[str, Dim], ...]
    ones: frozenset[str]

    def bound(self, var: Var) -> list[Binding]:
        """The product, and the view that has the dimensions of 1 again."""
        axes = tuple(i for i, (name, _) in enumerate(self.dims) if name in self.ones)
        if not axes:
            return [(var, self.call)]
        shape = tuple(d for name, d in self.dims if name not in self.ones)
        lying = Var(var.name, TensorType(shape, tensor_of(var).dtype))
        view = Call(OperatorRef("expand_dims"), (lying,), (("axis", axes),), self.call.where)
        return [(lying, self.call), (var, view)]


class _Reading:
    """One function: `reads` counts how often each variable is read in it."""

    def __init__(self, reads: Counter[Var]) -> None:
        self.reads = reads
        self.turned: dict[Var, tuple[Var, tuple[int, ...]]] = {}
        self.made: dict[Var, _Product] = {}

    def read(self, body: Expr) -> Expr:
        return rewrite(body, self.change)

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if is_operator_call(value, "transpose") and isinstance(source := value.args[0], Var):
            rank = tensor_of(source).rank
            given = ints(operator("transpose").complete(value.attrs), "perm")
            perm = tuple(axis_of(a, rank) for a in given) if given else tuple(reversed(range(rank)))
            product = self.made.get(source) if self.reads[source] == 1 else None
            moved = None if product is None else self.behind(product, perm)
            if moved is not None:
                return moved.bound(var)
            self.turned[var] = source, perm
        if is_operator_call(value, "batch_matmul"):
            found = self.product(var, value)
            if found is not None:
                self.made[var], views = found
                return [*views, *self.made[var].bound(var)]
        return None

    def product(self, var: Var, call: Call) -> tuple[_Product, list[Binding]] | None:
        """A product that reads its operands in place, behind views of them; None where none of them was turned."""
        if not any(a in self.turned for a in call.args):
            return None
        attrs = operator("batch_matmul").complete(call.attrs)
        layouts = [str(attrs[name]) for name in ("lhs", "rhs", "y")]
        kinds = [type_of(e) for e in (*call.args, var)]
        shapes = [k.shape for k in kinds if isinstance(k, TensorType)]
        if not all("b" in t for t in layouts) or len({len(s) for s in shapes}) != 1:
            return None
        names = [names_of(t, len(shapes[0])) for t in layouts]
        sizes = [dict(zip(own, shape, strict=True)) for own, shape in zip(names, shapes, strict=True)]
        batches = [name for name in names[2] if name[0] == "b"]
        ones = frozenset(name for name in batches if all(s[name] == 1 for s in sizes))
        if any(s[name] != sizes[2][name] for s in sizes for name in batches) or len(ones) == len(batches):
            return None
        steps: list[Binding] = []
        args: list[Expr] = []
        words: dict[str, str] = {"y": _word(names[2], ones)}
        for side, a, own in zip(("lhs", "rhs"), call.args, names, strict=False):
            source, lying = a, own
            if isinstance(a, Var) and a in self.turned:
                before, perm = self.turned[a]
                moved = [own[perm.index(i)] for i in range(len(own))]
                if _word(moved, ones):
                    source, lying = before, moved
            words[side] = _word(lying, ones)
            args.append(_without(source, [i for i, name in enumerate(lying) if name in ones], steps, call.where))
        if all(words[side] == str(attrs[side]) for side in words):
            return None
        dims = tuple((name, sizes[2][name]) for name in names[2])
        return _Product(_product(call, args, words), dims, ones), steps

    def behind(self, product: _Product, perm: Sequence[int]) -> _Product | None:
        """The product whose result lies as a transposition wants it."""
        dims = tuple(product.dims[p] for p in perm)
        word = _word([name for name, _ in dims], product.ones)
        if not word:
            return None
        return _Product(_product(product.call, product.call.args, {"y": word}), dims, product.ones)


def _product(call: Call, args: Sequence[Expr], words: dict[str, str]) -> Call:
    attrs = operator("batch_matmul").canonical(tuple({**dict(call.attrs), **words}.items()))
    return Call(call.callee, tuple(args), attrs, call.where)


def names_of(layout: str, rank: int) -> list[str]:
    """Of each axis the dimension that it is: m, n, k, or one of the batches b0, b1, ..."""
    return [name for at in layout for name in ([f"b{i}" for i in range(rank - 2)] if at == "b" else [at])]


def _word(names: Sequence[str], ones: Collection[str]) -> str:
    """The layout of some axes; empty where their batches do not lie side by side in their order."""
    kept = [name for name in names if name not in ones]
    at = [i for i, name in enumerate(kept) if name[0] == "b"]
    if at != list(range(at[0], at[0] + len(at))) or [kept[i] for i in at] != sorted(kept[i] for i in at):
        return ""
    return "".join(name[0] for i, name in enumerate(kept) if i not in at[1:])


def _without(source: Expr, axes: Sequence[int], steps: list[Binding], where: str) -> Expr:
    """A tensor without some dimensions of 1."""
    if not axes:
        return source
    kind = tensor_of(source)
    shape = tuple(d for i, d in enumerate(kind.shape) if i not in axes)
    made = Var("heads", TensorType(shape, kind.dtype))
    steps.append((made, Call(OperatorRef("squeeze"), (source,), (("axis", tuple(axes)),), where)))
    return made
