"""Views behind what is computed: a step that reads regrouped dimensions reads the tensor before they were regrouped.

`tanh(reshape(dense(x, w)))` is `reshape(tanh(dense(x, w)))`, in which fusion sees the product and its tail together. So
a view moves behind elementwise steps, and behind a normalisation of rows that it leaves whole, where the kernel that
made its tensor may take the step. Views cost nothing, wherever they stand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.anf import Binding, each_block, make_block, map_blocks, read_by
from anytile.compiler.ir.nodes import Call, Constant, Expr, Let, Module, OperatorRef, Var
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator

_VIEWS = ("reshape", "flatten", "expand_dims", "squeeze", "reshape_like")
_NORMS = ("layer_norm", "rms_norm")


def sink_views(module: Module) -> Module:
    return each_block(module, lambda body: _Block(Counter(read_by(body))).sunk(body))


@dataclass(frozen=True, slots=True)
class _Chain:
    """Views one after the other, the first of the source, with what each is bound to."""

    source: Var
    views: tuple[tuple[Var, Call], ...]


class _Block:
    """A block and those in it; `reads` counts how often each variable is read, in the whole function."""

    def __init__(self, reads: Counter[Var]) -> None:
        self.reads = reads

    def sunk(self, block: Expr) -> Expr:
        if not isinstance(block, Let):
            return block
        known: dict[Var, Call] = {}
        kept: list[Binding] = []
        for var, value in block.bindings:
            for name, step in self.step(var, map_blocks(value, self.sunk), known):
                if isinstance(step, Call) and isinstance(step.callee, OperatorRef):
                    known[name] = step
                kept.append((name, step))
        return make_block(kept, block.body)

    def step(self, var: Var, value: Expr, known: dict[Var, Call]) -> Iterator[Binding]:
        """A step, or what it is before the views that it reads, and these of that."""
        moved = self.before(var, value, known) if isinstance(value, Call) else None
        if moved is None:
            yield var, value
            return
        step, chain = moved
        made = Var(_name(step), TensorType(_tensor(chain.source).shape, _tensor(var).dtype))
        yield made, step
        for number, (seen, view) in enumerate(chain.views, 1):
            is_last = number == len(chain.views)
            after = var if is_last else Var(seen.name, TensorType(_tensor(seen).shape, _tensor(var).dtype))
            self.reads[made] = 1
            yield after, replace(view, args=(made, *view.args[1:]))
            made = after

    def before(self, var: Var, value: Call, known: dict[Var, Call]) -> tuple[Call, _Chain] | None:
        """A call with its views left out, and those."""
        if not isinstance(value.callee, OperatorRef) or not isinstance(var.type, TensorType):
            return None
        row = operator(value.callee.name)
        chains = {a: c for a in value.args if isinstance(a, Var) and (c := self.chain(a, known)) is not None}
        sources = [_tensor(c.source) for c in chains.values()]
        if not sources or any(s != sources[0] for s in sources):
            return None
        chain = next(iter(chains.values()))
        if row.name in _NORMS:
            x, *weights = value.args
            is_row = _same(sources[0].shape[-1:], var.type.shape[-1:])
            if x not in chains or not is_row or any(w in chains for w in weights):
                return None
            return replace(value, args=(chain.source, *weights)), chain
        if row.element is None or not all(_same(_tensor(v).shape, var.type.shape) for v in chains):
            return None
        args: list[Expr] = []
        for a in value.args:
            arg = chains[a].source if isinstance(a, Var) and a in chains else _regrouped(a, var.type, sources[0])
            if arg is None:
                return None
            args.append(arg)
        return replace(value, args=tuple(args)), chain

    def chain(self, var: Var, known: dict[Var, Call]) -> _Chain | None:
        """The views that a variable is, each read by one step, of what a kernel makes for them alone."""
        views: list[tuple[Var, Call]] = []
        at = var
        while (made := known.get(at)) is not None and self.reads[at] == 1:
            if _name(made) not in _VIEWS:
                row = operator(_name(made))
                takes = isinstance(at.type, TensorType) and (row.pattern == "anchor" or row.element is not None)
                return _Chain(at, tuple(reversed(views))) if views and takes else None
            views.append((at, made))
            source = made.args[0]
            if not isinstance(source, Var):
                return None
            at = source
        return None


def _name(call: Call) -> str:
    assert isinstance(call.callee, OperatorRef)
    return call.callee.name


def _tensor(var: Var) -> TensorType:
    assert isinstance(var.type, TensorType)
    return var.type


def _regrouped(atom: Expr, seen: TensorType, source: TensorType) -> Expr | None:
    """What is read besides, as it is read with the source: scalars, and constants over all of the last dimensions."""
    kind = atom.type if isinstance(atom, Var | Constant) else None
    if not isinstance(kind, TensorType):
        return None
    if not kind.rank:
        return atom
    if not isinstance(atom, Constant) or not _same(kind.shape, seen.shape[-kind.rank :]):
        return None
    for count in range(1, source.rank + 1):
        shape = source.shape[-count:]
        if _size(shape) == atom.array.size:
            return Constant(np.reshape(atom.array, [d for d in shape if isinstance(d, int)]), atom.name)
    return None


def _same(a: tuple[Dim, ...], b: tuple[Dim, ...]) -> bool:
    return len(a) == len(b) and all(x == y for x, y in zip(a, b, strict=True))  # one without a name equals none


def _size(shape: tuple[Dim, ...]) -> int | None:
    known = [d for d in shape if isinstance(d, int)]
    return math.prod(known) if len(known) == len(shape) else None
