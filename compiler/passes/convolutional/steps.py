"""Steps that stand in the place of one: operator calls bound to variables whose types inference finds again.

Sizes that are not known are expressions of others there, which have no names before inference gives them some. Who puts
such steps in a module infers it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import AttrValue, Call, Expr, Module, OperatorRef, TupleGet, Var
from anytile.compiler.ir.traverse import Binding, each_block
from anytile.compiler.operators import operator
from anytile.compiler.operators.sized import dimension
from anytile.compiler.passes.to_anf import to_anf
from anytile.schedules.operators.movement.slicing import END

# Numbers, and expressions of the dimensions d0, d1, ... of what is reshaped, and behind those of other tensors.
Sizes = Iterable[int | str]


class Steps:
    """`bound` are the calls so far, all said to stand `where` the one did that they are for."""

    def __init__(self, where: str) -> None:
        self.where, self.bound = where, list[Binding]()

    def put(self, name: str, *args: Expr, **attrs: AttrValue) -> Var:
        made = Var(name)
        given = operator(name).canonical(tuple(attrs.items()))
        self.bound.append((made, Call(OperatorRef(name), args, given, self.where)))
        return made

    def field(self, x: Var, index: int) -> Var:
        made = Var(f"{x.name}_{index}")
        self.bound.append((made, TupleGet(x, index)))
        return made

    def reshape(self, x: Expr, sizes: Sizes, *likes: Expr) -> Var:
        return self.put("reshape_sized", x, *likes, sizes=", ".join(map(str, sizes)))

    def transpose(self, x: Var, perm: Sequence[int]) -> Var:
        """x with its dimensions in another order, if it is another."""
        return x if list(perm) == sorted(perm) else self.put("transpose", x, perm=tuple(perm))

    def cut(self, x: Var, ends: Mapping[int, tuple[int, int]], step: Mapping[int, int] = MappingProxyType({})) -> Var:
        """x without so many elements before and behind along some axes, and of the others every so manieth."""
        cut = {axis: (*both, step.get(axis, 1)) for axis, both in ends.items()}
        cut = {axis: at for axis, at in cut.items() if at != (0, 0, 1)}
        if not cut:
            return x
        start, after, apart = zip(*cut.values(), strict=True)
        stop = tuple(-n if n else END for n in after)
        return self.put("slice", x, start=start, stop=stop, step=apart, axes=tuple(cut))

    def pad(self, x: Var, rank: int, axis: int, before: int, after: int) -> Var:
        """x with zeros before and behind it along an axis."""
        if not before and not after:
            return x
        low, high = (tuple(n if i == axis else 0 for i in range(rank)) for n in (before, after))
        return self.put("pad", x, before=low, after=high)

    def ending_in(self, var: Var) -> list[Binding]:
        """The steps, the last of which binds this variable."""
        _, last = self.bound[-1]
        return [*self.bound[:-1], (var, last)]


def each_block_inferred(module: Module, change: Callable[[Expr], Expr | None]) -> Module:
    """The module with the outermost block of every function changed, and what is in it inferred again. None is a block
    that stays as it is."""
    count = 0

    def changed(body: Expr) -> Expr:
        nonlocal count
        made = change(body)
        count += made is not None
        return body if made is None else made

    found = each_block(module, changed)
    return infer(to_anf(infer(found).module)).module if count else module  # inference may put checks around steps


def product_of(dims: Iterable[int]) -> str:
    """Dimensions that become one."""
    return "*".join(map(dimension, dims))
