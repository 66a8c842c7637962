"""View sinking: a step that reads regrouped dimensions reads the tensor before, and the view moves behind it.

`tanh(reshape(dense(x, w)))` is `reshape(tanh(dense(x, w)))`, in which fusion sees the product and its tail together. So
a view moves behind elementwise steps, and behind a normalisation of rows that it leaves whole, where the kernel that
made its tensor may take the step. Views cost nothing, wherever they stand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator

_VIEWS = ("reshape", "reshape_sized", "flatten", "expand_dims", "squeeze", "reshape_like")
_NORMS = ("layer_norm", "rms_norm")


def sink_views(module: Module) -> Module:
    return each_block(module, lambda body: _Sinking(Counter(variables_read(body))).sunk(body))


@dataclass(frozen=True, slots=True)
class _Chain:
    """Views one after the other, the first of the source, with what each is bound to."""

    source: Var
    views: tuple[tuple[Var, Call], ...]


class _Sinking:
    """One function: `reads` counts how often each variable is read in it, `known` are the block's calls so far."""

    def __init__(self, reads: Counter[Var]) -> None:
        self.reads = reads
        self.known: dict[Var, Call] = {}

    def sunk(self, body: Expr) -> Expr:
        return rewrite(body, self.change, scope=self.block)

    @contextmanager
    def block(self) -> Iterator[None]:
        outer, self.known = self.known, {}
        yield
        self.known = outer

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value):
            return None
        made = list(self.step(var, value))
        self.known.update((v, step) for v, step in made if isinstance(step, Call))
        return made

    def step(self, var: Var, value: Call) -> Iterator[Binding]:
        """A step, or what it is before the views that it reads, and these of that."""
        moved = self.before(var, value)
        if moved is None:
            yield var, value
            return
        step, chain = moved
        made = Var(operator_of(step), TensorType(tensor_of(chain.source).shape, tensor_of(var).dtype))
        yield made, step
        for number, (seen, view) in enumerate(chain.views, 1):
            is_last = number == len(chain.views)
            after = var if is_last else Var(seen.name, TensorType(tensor_of(seen).shape, tensor_of(var).dtype))
            self.reads[made] = 1
            yield after, replace(view, args=(made, *view.args[1:]))
            made = after

    def before(self, var: Var, value: Call) -> tuple[Call, _Chain] | None:
        """A call with its views left out, and those."""
        if not isinstance(var.type, TensorType):
            return None
        row = operator(operator_of(value))
        chains = {a: c for a in value.args if isinstance(a, Var) and (c := self.chain(a)) is not None}
        sources = [tensor_of(c.source) for c in chains.values()]
        if not sources or any(s != sources[0] for s in sources):
            return None
        chain = next(iter(chains.values()))
        if row.name in _NORMS:
            x, *weights = value.args
            is_row = _same(sources[0].shape[-1:], var.type.shape[-1:])
            if x not in chains or not is_row or any(w in chains for w in weights):
                return None
            return replace(value, args=(chain.source, *weights)), chain
        if row.element is None or not all(_same(tensor_of(v).shape, var.type.shape) for v in chains):
            return None
        args: list[Expr] = []
        for a in value.args:
            arg = chains[a].source if isinstance(a, Var) and a in chains else _regrouped(a, var.type, sources[0])
            if arg is None:
                return None
            args.append(arg)
        return replace(value, args=tuple(args)), chain

    def chain(self, var: Var) -> _Chain | None:
        """The views that a variable is, each read by one step, of what a kernel makes for them alone."""
        views: list[tuple[Var, Call]] = []
        at = var
        while (made := self.known.get(at)) is not None and self.reads[at] == 1:
            if operator_of(made) not in _VIEWS:
                row = operator(operator_of(made))
                takes = isinstance(at.type, TensorType) and (row.anchor or row.element is not None)
                return _Chain(at, tuple(reversed(views))) if views and takes else None
            views.append((at, made))
            source = made.args[0]
            if not isinstance(source, Var):
                return None
            at = source
        return None


def _regrouped(atom: Expr, seen: TensorType, source: TensorType) -> Expr | None:
    """What is read besides, as it is read with the source: scalars, what is broadcast along dimensions that the views
    leave as they are, and constants over all of the last dimensions."""
    kind = type_of(atom)
    if not isinstance(kind, TensorType):
        return None
    ahead = kind.rank - source.rank
    if isinstance(atom, Constant) and ahead > 0 and set(kind.shape[:ahead]) == {1}:  # which says nothing
        atom = Constant(atom.array.reshape(atom.array.shape[ahead:]), atom.name)
        kind = atom.type
    if _is_along(kind.shape, seen.shape, source.shape):
        return atom
    if not isinstance(atom, Constant) or not _same(kind.shape, seen.shape[-kind.rank :]):
        return None
    for count in range(1, source.rank + 1):
        shape = source.shape[-count:]
        if _size(shape) == atom.array.size:
            return Constant(np.reshape(atom.array, [d for d in shape if isinstance(d, int)]), atom.name)
    return None


def _is_along(own: tuple[Dim, ...], seen: tuple[Dim, ...], source: tuple[Dim, ...]) -> bool:
    """Whether something has the last dimensions alone, or 1 in their place, and these are the same before the views."""
    count = next((len(own) - i for i, d in enumerate(own) if d != 1), 0)
    last = own[len(own) - count :]
    stay = not count or _same(seen[-count:], source[-count:])
    return len(own) <= len(source) and stay and all(d in (1, s) for d, s in zip(last, seen[-count:], strict=False))


def _same(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    return len(a) == len(b) and all(x == y for x, y in zip(a, b, strict=True))  # one without a name equals none


def _size(shape: tuple[Dim, ...]) -> int | None:
    known = [d for d in shape if isinstance(d, int)]
    return math.prod(known) if len(known) == len(shape) else None
