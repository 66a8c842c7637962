"""Random modules of the model language that are known to compute something, with arguments for them.

A module is grown call by call, each of them run on arrays at once, so it evaluates without an error at the sizes that
were drawn. Unknown dimensions get names at random; the same name always has the same size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.ir.nodes import Array, AttrValue
from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.module import Module
from anytile.compiler.operators import operator
from anytile.compiler.operators.shapes import run

T = TypeVar("T")
SIZES = {"n": 3, "m": 4, "p": 3, "q": 1}
DIMS: tuple[Dim, ...] = (*map(Any, SIZES), 1, 3, 4)
UNARY = ("exp", "tanh", "sigmoid", "gelu", "relu", "negative", "square", "abs", "silu", "floor")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "less", "greater_equal", "equal")


@dataclass(frozen=True)
class Grown:
    module: Module
    args: tuple[Array, ...]
    result: Array


@dataclass(frozen=True)
class _Value:
    node: Node
    array: Array


def array_of(t: TensorType, sizes: Mapping[str, int], seed: int) -> Array:
    """A random array of a type at these sizes."""
    shape = [sizes[d.name] if isinstance(d, Any) else d for d in t.shape]
    rng = np.random.default_rng(seed)
    return rng.random(shape) < 0.5 if t.dtype == "bool" else rng.integers(-4, 5, shape).astype(t.dtype)


class _Grower:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.builder = ModuleBuilder()

    def pick(self, options: Sequence[T]) -> T:
        return self.draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def dims(self, rank: int) -> tuple[Dim, ...]:
        return tuple(self.pick(DIMS) for _ in range(rank))

    def array(self, t: TensorType) -> Array:
        return array_of(t, SIZES, self.number(0, 99))

    def call(self, block: Block, name: str, args: Sequence[_Value], **attrs: AttrValue) -> list[_Value]:
        row = operator(name)
        found = run(row, [a.array for a in args], tuple(attrs.items()))
        node = block.call(name, *(a.node for a in args), **attrs, where=str(self.pick(["", "layer.0", 'a "b"'])))
        nodes = [node[i] for i in range(len(found))] if row.many else [node]
        return [_Value(n, a) for n, a in zip(nodes, found, strict=True)]

    def step(self, block: Block, values: list[_Value], deep: int) -> None:
        x: _Value = self.pick(values)
        rank, shape, dtype = x.array.ndim, x.array.shape, x.array.dtype.name
        kinds = ["binary", "cast", "reshape", "tuple", "nonzero", "where"]
        kinds += ["unary"] if dtype == "float32" else []
        kinds += ["move", "concat", "split", "slice", "take", "unique"] if rank else []
        kinds += ["reduce"] if rank and dtype != "bool" else []
        kinds += ["softmax", "dense"] if rank and dtype == "float32" else []
        kinds += ["batch_matmul"] if rank >= 2 and dtype == "float32" else []
        kinds += ["if", "closure", "list"] if deep else []
        kind = self.pick(kinds)
        alike = [v for v in values if v.array.dtype == x.array.dtype]
        if kind == "unary":
            values += self.call(block, str(self.pick(UNARY)), [x])
        elif kind == "binary":
            fitting = [v for v in alike if _broadcast(v.array, x.array)]
            names: tuple[str, ...] = ("logical_and", "logical_or", "equal") if dtype == "bool" else BINARY
            values += self.call(block, str(self.pick(names)), [x, self.pick(fitting)])
        elif kind == "where":
            fitting = [v for v in values if v.array.dtype == bool and _broadcast(v.array, x.array)]
            if fitting:
                values += self.call(block, "where", [self.pick(fitting), x, x])
        elif kind == "cast":
            values += self.call(block, "cast", [x], dtype=self.pick(["float32", "int64", "int32", "bool"]))
        elif kind == "reshape":
            values += self.call(block, "reshape", [x], shape=self.pick([(-1,), (1, -1), (0, -1) if rank else (-1, 1)]))
        elif kind == "move":
            values += self.call(block, "transpose", [x], perm=self.draw(st.permutations(range(rank)).map(tuple)))
        elif kind == "concat":
            axis = self.number(0, rank - 1)
            rest = [
                np.delete(np.asarray(v.array.shape, int), axis).tolist() if v.array.ndim == rank else None
                for v in alike
            ]
            own = np.delete(np.asarray(shape, int), axis).tolist()
            other = self.pick([v for v, r in zip(alike, rest, strict=True) if r == own])
            name = self.pick(["concat", "append"]) if set(shape[:axis]) <= {1} else "concat"
            values += self.call(block, name, [x, other], axis=axis)
        elif kind == "split":
            values += self.call(block, "split", [x], axis=self.number(-rank, rank - 1), parts=self.number(1, 3))
        elif kind == "slice":
            start, stop, step = self.number(-3, 3), self.number(-3, 5), self.pick([1, 2, -1])
            attrs = {"start": (start,), "stop": (stop,), "step": (step,), "axes": (self.number(0, rank - 1),)}
            values += self.call(block, "slice", [x], **attrs)
        elif kind == "take":
            axis = self.number(0, rank - 1)
            if shape[axis]:
                index = np.asarray(
                    self.draw(st.lists(st.integers(-shape[axis], shape[axis] - 1), max_size=3)), np.int64
                )
                values += self.call(block, "take", [x, _Value(block.constant(index), index)], axis=axis)
        elif kind == "reduce":
            names = ("sum", "max", "min", "mean") if dtype == "float32" else ("sum", "max", "argmax")
            over, keep = (self.number(0, rank - 1),), self.draw(st.booleans())
            values += self.call(block, self.pick(names), [x], axis=over, keepdims=keep)
        elif kind == "softmax":
            values += self.call(block, "softmax", [x], axis=self.number(-rank, rank - 1))
        elif kind == "dense":
            w = self.array(TensorType((2, shape[-1])))
            fitting = [v for v in alike if v.array.ndim == 2 and v.array.shape[1] == shape[-1]]
            values += self.call(block, "dense", [x, self.pick([*fitting, _Value(block.constant(w, "w"), w)])])
        elif kind == "batch_matmul":
            values += (
                self.call(
                    block, "batch_matmul", [x, x], rhs="bnk" if rank > 2 else "nk", lhs="bmk" if rank > 2 else "mk"
                )
                if rank > 2
                else []
            )
        elif kind == "nonzero" and rank:
            values += self.call(block, "nonzero", [x])
        elif kind == "unique" and rank == 1:
            values += self.call(block, "unique", [x])
        elif kind == "tuple":
            values.append(_Value(block.tuple(x.node, 1.5, x.node)[2], x.array))
        elif kind == "if":
            self.branch(block, values, x, deep)
        elif kind == "closure":
            made = block.closure(lambda inner, a: a, TensorType((Any("own"), *shape[1:]) if rank else (), dtype))
            values.append(_Value(made(x.node), x.array))
        elif kind == "list":
            whole = block.construct("Cons", x.node, block.construct("Nil"))
            taken = block.match(whole, {"Cons": lambda inner, first, rest: first, "Nil": lambda inner: x.node})
            values.append(_Value(taken, x.array))

    def branch(self, block: Block, values: list[_Value], x: _Value, deep: int) -> None:
        """One branch gives x, the other what some steps make of the values, if it is of the same kind."""
        test = self.draw(st.booleans())
        made: list[_Value] = []

        def grown(inner: Block) -> Node:
            own = [_Value(Node(inner, v.node.expr), v.array) for v in values]
            for _ in range(self.number(0, 2)):
                self.step(inner, own, deep - 1)
            alike = [v for v in own if v.array.ndim == x.array.ndim and v.array.dtype == x.array.dtype]
            made.append(self.pick(alike))
            return made[0].node

        chosen = block.if_(bool(test), grown, lambda inner: x.node)
        values.append(_Value(chosen, made[0].array if test else x.array))


def _broadcast(a: Array, b: Array) -> bool:
    try:
        return len(np.broadcast_shapes(a.shape, b.shape)) <= 4
    except ValueError:
        return False


@st.composite
def modules(draw: st.DrawFn, most: int = 8) -> Grown:
    """A module with one or two parameters, which are tensors, and a tensor as its result."""
    grower = _Grower(draw)
    grower.builder.data("List", ("a",), Nil=[], Cons=["a", "List[a]"])
    params, arrays = {}, []
    for name in ("x", "y")[: grower.number(1, 2)]:
        params[name] = TensorType(
            grower.dims(grower.number(0, 3)), str(grower.pick(["float32", "float32", "int64", "bool"]))
        )
        arrays.append(grower.array(params[name]))
    with grower.builder.function("main", **params) as (block, *nodes):
        values = [_Value(n, a) for n, a in zip(nodes, arrays, strict=True)]
        for _ in range(grower.number(0, most)):
            grower.step(block, values, deep=2)
        block.result(values[-1].node)
    return Grown(grower.builder.build(), tuple(arrays), values[-1].array)
