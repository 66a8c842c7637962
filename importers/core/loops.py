"""Loops whose number of iterations only the data know: a function that calls itself last.

What an iteration carries to the next, and the rows that all have made so far, are the function's parameters, and so is
what it reads of the values around it. A dimension that is another behind an iteration than before it is unknown in all.
Rows are written behind those before them (`append_rows`), so that n of them cost n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anytile.compiler.builder import Block, Node
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import UNNAMED, Any, TensorType, TupleType
from anytile.compiler.operators.spec import Shaped
from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.schedules.index.expr import Expr, const, var

MOST_WALKS = 4  # of a loop's body, until no more dimensions change
Shapes = list[tuple[Expr, ...]]


@dataclass(frozen=True, slots=True)
class Iteration:
    """What one makes: whether another one follows, what it is given, and a row of each kind."""

    going: Value | None
    carried: Sequence[Value]
    rows: Sequence[Value] = ()


Step = Callable[[Graph, Value, Sequence[Value]], Iteration]  # of the number of the iteration, and what it carries


def loop(
    graph: Graph, trips: Value | None, going: Value | None, carried: Sequence[Value], step: Step
) -> tuple[list[Value], list[Value]]:
    """What is carried in the end, and the rows of all iterations, one above the other. There are as many as `trips`
    says at most, and as long as they go on."""
    shapes: Shapes = [v.dims for v in carried]
    unknown: set[str] = set()
    for _ in range(MOST_WALKS):
        name = graph.names.fresh("loop")
        walked = _Function(graph, name, trips, shapes, [v.dtype for v in carried], step, unknown)
        wider = walked.widened()
        if wider == shapes:
            return walked.called(going, carried)
        shapes = wider
    raise Refusal("a loop whose sizes are others each time that it is looked at")


@dataclass(frozen=True, slots=True)
class Scanned:
    """A tensor of which each iteration is given one row along an axis, from the first on, or back from the last."""

    value: Value
    axis: int = 0
    back: bool = False

    @property
    def steps(self) -> Expr:
        return self.value.dims[self.axis]

    def row(self, w: Writer, at: Value) -> Value:
        place = w.do("subtract", w.scalar(self.steps - 1), at) if self.back else at
        part = w.do("take", self.value, w.reshape(place, (1,)), axis=self.axis)
        return w.reshape(part, (*part.dims[: self.axis], *part.dims[self.axis + 1 :]))


def scan(
    graph: Graph,
    carried: Sequence[Value],
    xs: Sequence[Scanned],
    step: Callable[[Graph, Sequence[Value], list[Value]], Iteration],
) -> tuple[list[Value], list[Value]]:
    """A loop over rows of tensors, of which all have as many: what is carried in the end, and the rows it makes."""

    def each(inner: Graph, at: Value, values: Sequence[Value]) -> Iteration:
        return step(inner, values, [x.row(Writer(inner), at) for x in xs])

    w, steps = Writer(graph), xs[0].steps
    left, rows = loop(graph, w.scalar(steps), None, carried, each)
    return left, [w.reshape(r, (steps, *r.dims[1:])) for r in rows]


class _Function:
    """The function of one loop, between what it is begun with and what it leaves."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        trips: Value | None,
        shapes: Shapes,
        dtypes: Sequence[str],
        step: Step,
        unknown: set[str],
    ) -> None:
        self.graph, self.name, self.shapes, self.dtypes, self.unknown = graph, name, shapes, dtypes, unknown
        block = Block(graph.block.module, graph.block.places)
        inside = graph.function(block)
        assert inside.scope is not None
        self.captured = inside.scope.captured

        def param(name: str, dims: Sequence[Expr], dtype: str) -> tuple[ir.Var, Value]:
            made = ir.Var(name, TensorType(tuple(map(graph.dim, dims)), dtype))
            return made, inside.tensor(Node(block, made), Shaped(tuple(dims), dtype))

        counter, at = param("i", (), "int64")
        flag, on = param("going", (), "bool")
        both = [param(f"c{i}", d, t) for i, (d, t) in enumerate(zip(shapes, dtypes, strict=True))]
        self.params, values = [p for p, _ in both], [v for _, v in both]
        more = on if trips is None else inside.call("logical_and", on, inside.call("less", at, trips))
        self.row_params: list[ir.Var] = []
        self.made = Iteration(None, ())

        def again(inner_block: Block) -> Node:
            inner = inside.inner(inner_block)
            self.made = made = step(inner, at, values)
            grown = []
            for i, row in enumerate(made.rows):
                above, seen = param(f"r{i}", (var(graph.names.fresh("rows")), *row.dims), row.dtype)
                self.row_params.append(above)
                grown.append(inner.call("concat", seen, inner.reshape(row, (const(1), *row.dims)), axis=0))
            following = on if made.going is None else inner.reshape(made.going, ())
            given = (inner.call("add", at, 1), following, *made.carried, *grown)
            nodes = [inner.node(v) for v in given]
            return inner_block.call_global(name, *nodes, *(Node(block, v) for _, v in self.captured.values()))

        def done(inner_block: Block) -> Node:
            left = [Node(block, v) for v in (*self.params, *self.row_params)]
            return left[0] if len(left) == 1 else inner_block.tuple(*left)

        block.result(block.if_(inside.node(more), again, done))
        if not self.params and not self.row_params:
            raise Refusal("a loop that carries nothing and makes no rows")
        fields = [self._left(_type(p)) for p in self.params]
        fields += [TensorType((UNNAMED, *_type(p).shape[1:]), _type(p).dtype) for p in self.row_params]
        self.result = fields[0] if len(fields) == 1 else TupleType(tuple(fields))
        outer = [v for _, v in self.captured.values()]
        self.function = ir.Function(
            (counter, flag, *self.params, *self.row_params, *outer), self.result, block.finished()
        )

    def widened(self) -> Shapes:
        """What the loop is begun with, dimensions that changed being unknown."""
        made = self.made.carried
        if len(made) != len(self.shapes):
            raise Refusal(f"a loop that carries {len(self.shapes)} values, and then {len(made)}")
        wider: Shapes = []
        for dims, dtype, v in zip(self.shapes, self.dtypes, made, strict=True):
            if v.rank != len(dims) or v.dtype != dtype:
                raise Refusal(f"a loop that carries {dtype}{Shaped(dims)}, and then {v.dtype}{v.shaped}")
            wider.append(tuple(self._wider(a, b) for a, b in zip(dims, v.dims, strict=True)))
        return wider

    def _wider(self, before: Expr, behind: Expr) -> Expr:
        if before == behind or before.names & self.unknown:
            return before
        self.unknown.add(made := self.graph.names.fresh("any"))
        return var(made)

    def _left(self, kind: TensorType) -> TensorType:
        """What is left of a parameter of this type."""
        dims = (UNNAMED if isinstance(d, Any) and d.name in self.unknown else d for d in kind.shape)
        return TensorType(tuple(dims), kind.dtype)

    def called(self, going: Value | None, carried: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """The call of it, in the block around."""
        graph = self.graph
        empty = []
        for row in self.made.rows:
            if any(name not in graph.holders for d in row.dims for name in d.names):
                raise Refusal(f"a loop whose rows, {row.shaped}, are as large as it says itself")
            zero = graph.constant(np.zeros((), row.dtype))
            empty.append(graph.broadcast(zero, (const(0), *row.dims)))
        begin = (graph.constant(np.asarray(0)), going or graph.constant(np.asarray(True)))
        nodes = [graph.node(v) for v in (*begin, *carried, *empty)]
        nodes += [graph.node(v) for v, _ in self.captured.values()]
        graph.block.module.functions[self.name] = self.function
        node = graph.block.call_global(self.name, *nodes)
        kinds = [(d, t) for d, t in zip(self.shapes, self.dtypes, strict=True)]
        kinds += [((var(graph.names.fresh("rows")), *r.dims), r.dtype) for r in self.made.rows]
        made = []
        for i, (dims, dtype) in enumerate(kinds):
            left = tuple(d if all(n in graph.holders for n in d.names) else var(graph.names.fresh("any")) for d in dims)
            made.append(graph.tensor(node if len(kinds) == 1 else node[i], Shaped(left, dtype)))
        return made[: len(self.shapes)], made[len(self.shapes) :]


def _type(param: ir.Var) -> TensorType:
    assert isinstance(param.type, TensorType)
    return param.type
