"""The graph under construction: values with their sizes, calls of operators that are folded where all is known.

A value is an array that is known, sizes that are known as expressions, or what a step of the block computes. What is
known becomes a step only where somebody reads it as data. The sizes of what a call makes come out of the operator's own
relation, so importers state none.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anytile.compiler.builder import Block, Node
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.nodes import Attrs, AttrValue
from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators import OPERATORS, SECTIONS, operator
from anytile.compiler.operators.shapes import Condition, bounded, room, run, shape_function, unlimited
from anytile.compiler.operators.sized import dimension, sizes_text
from anytile.compiler.operators.spec import ALL, Mismatch, Operator, Shaped
from anytile.compiler.text.lexer import is_name
from anytile.importers.core.symbolic import Array, elements, is_symbolic
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.workloads.workload import MAX_DIM

MOST_FOLDED = 2**26  # elements of one array that is written out ahead of time
MOST_EACH, MOST_BYTES = 2**29, 2**30  # of what one call makes that is computed ahead of time, and of all that is
MOST_WORK = 2**34  # bytes of a result times elements that it is made of, where each is made of many
MOST_NAME = 48  # letters of a dimension's name: sizes that are computed from it are written with it
MOST_TEXT, MOST_FACTORS, MOST_TIMES = 500, 16, 2**40  # of a size that is computed from others: letters, and in a sum
_HEAVY = frozenset(
    row.name for section in ("Products", "Images", "Shapes that depend on data") for row in SECTIONS[section]
)


class Refusal(Exception):
    """What one node of a model asks for is not supported, and why; who walks the nodes collects them."""


class Unknown(Refusal):
    """What would have to be known ahead of time, and is data."""

    def __init__(self, said: str, value: Value) -> None:
        super().__init__(said)
        self.value = value


class Disagreement(Refusal):
    """Branches whose results have different ranks or dtypes; whoever has what stands behind may walk it for each."""

    def __init__(self, said: str, condition: Value) -> None:
        super().__init__(said)
        self.condition = condition


@dataclass(eq=False)
class Value:
    """A tensor of the model: its sizes over named dimensions, and what is known of it."""

    dims: tuple[Expr, ...]
    dtype: str
    known: Array | None = None  # numbers, or expressions
    node: Node | None = None
    name: str = ""
    steps: dict[int, Node] = field(default_factory=dict)  # of what is known, where a block reads it as data
    scaled: Scaled | None = None
    spaced: Expr | None = None  # of 0, n, 2*n, ... one behind the other: n
    equal: tuple[Expr, Expr] | None = None  # of a bool: the sizes that are the same where it is true
    lying: Value | None = None  # the same in 16 bits, of which it was widened

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def shaped(self) -> Shaped:
        return Shaped(self.dims, self.dtype)

    @property
    def number(self) -> Array | None:
        """The array, if all of it are numbers."""
        return None if self.known is None or is_symbolic(self.known) else self.known

    @property
    def sizes(self) -> tuple[Expr, ...] | None:
        """The elements as expressions, if they are known and whole numbers."""
        if self.known is None or (not is_symbolic(self.known) and self.known.dtype.kind not in "iu"):
            return None
        return elements(self.known)


@dataclass(frozen=True, slots=True)
class Scaled:
    """What a dequantised value is: codes less a zero point, times a scale in float32; one for all, or for each index
    along `axis`, or for each `block` of them and each index of the other axes."""

    codes: Value
    scale: Value
    zero: Value | None
    axis: int | None
    block: int = 0


class Dequantised(Value):
    """A dequantised constant, whose floats are made where somebody asks for them."""

    def __init__(self, dims: tuple[Expr, ...], dtype: str, scaled: Scaled, floats: Callable[[], Value]) -> None:
        self.dims, self.dtype, self.name, self.steps, self.scaled = dims, dtype, scaled.codes.name, {}, scaled
        self.spaced = self.equal = None
        self._make = floats

    @cached_property
    def _floats(self) -> Value:
        return self._make()

    @property
    def known(self) -> Array | None:  # type: ignore[override]  # nobody sets what a value is after it was made
        return self._floats.known

    @property
    def node(self) -> Node | None:  # type: ignore[override]  # nobody sets what a value is after it was made
        return self._floats.node


Given = Value | Array | float | int | bool


@dataclass
class Names:
    """Names of dimensions that stand nowhere else in the model, and what all its blocks may still compute ahead."""

    taken: set[str] = field(default_factory=set)
    left: int = MOST_BYTES  # of what may be computed ahead of time

    def fresh(self, hint: str) -> str:
        name, count = hint, 0
        while name in self.taken:
            count += 1
            name = f"{hint}{count}"
        self.taken.add(name)
        return name


class Graph:
    """One block of a function while it is filled. `holders` say which value has a named dimension, and where."""

    def __init__(self, block: Block, names: Names, holders: ChainMap[str, tuple[Value, int]] | None = None) -> None:
        self.block, self.names = block, names
        self.holders: ChainMap[str, tuple[Value, int]] = ChainMap() if holders is None else holders
        self._own: tuple[int, ...] = (id(block),)
        self._by_name: dict[tuple[Value, tuple[int, ...]], Value] = {}  # what sizes are named of, and along which axes
        self.scope: Scope | None = None  # of a function that is called; the values of main are seen by all of main
        self.equal: set[tuple[Expr, Expr]] = set()  # sizes that are looked at, as the block runs, for being the same

    def inner(self, block: Block) -> Graph:
        """The graph of a block inside this one."""
        made = Graph(block, self.names, self.holders.new_child())
        made._own, made.scope, made.equal = (*self._own, id(block)), self.scope, set(self.equal)
        if self.scope is not None:
            self.scope.blocks.append(block)
        return made

    def function(self, block: Block) -> Graph:
        """The graph of a function of its own, which is called here."""
        made = Graph(block, self.names, self.holders.new_child())
        made.scope = Scope(self, block)
        return made

    def dim(self, size: Expr) -> Dim:
        """A size as a dimension of a type: a number, a name, or a name of its own where it is computed."""
        if size.value is not None:
            return size.value
        own = next(iter(size.names))
        return Any(own if size == var(own) else self.names.fresh("any"))

    # -- values ----------------------------------------------------------------------------------------------------

    def tensor(self, node: Node, shaped: Shaped, name: str = "") -> Value:
        """What a step makes, whose named dimensions can then be read off it."""
        made = Value(tuple(map(bounded, shaped.dims)), shaped.dtype, None, node, name)
        if any(too_long(dim) for dim in made.dims):
            raise Refusal("a size that would take more than a line to write")
        for axis, dim in enumerate(made.dims):
            if len(dim.names) == 1 and dim == var(own := next(iter(dim.names))) and own not in self.holders:
                self.holders[own] = (made, axis)
        return made

    def constant(self, array: Array, name: str = "") -> Value:
        return Value(tuple(map(const, array.shape)), array.dtype.name, array, None, name)

    def known(self, array: Array, dtype: str = "int64") -> Value:
        """Sizes as a value."""
        return Value(tuple(map(const, array.shape)), dtype, array)

    def value(self, given: Given, like: str = "") -> Value:
        """What is given as a value; a number has the dtype `like`."""
        if isinstance(given, Value):
            return given
        return self.constant(np.asarray(given, like or None))

    def node(self, value: Value) -> Node:
        """A value as the block reads it."""
        if value.node is not None:
            return value.node if self.scope is None else self.scope.node(value)
        found = next((value.steps[own] for own in self._own if own in value.steps), None)
        if found is not None:
            return found
        assert value.known is not None
        if is_symbolic(value.known):
            made = self._read_sizes(value)
        else:
            if value.dtype not in ALL:
                raise Refusal(f"the dtype {value.dtype}; supported are {', '.join(ALL)}")
            made = self.block.constant(np.asarray(value.known, order="C"), value.name)
        value.steps[self._own[-1]] = made
        return made

    def _read_sizes(self, value: Value) -> Node:
        assert value.known is not None
        made = self._by("sizes_of", None, elements(value.known))
        if value.dtype != "int64":
            made = self.block.call("cast", made, dtype=value.dtype)
        if value.rank != 1:
            made = self.block.call("reshape", made, shape=value.known.shape) if value.rank else self._scalar(made)
        return made

    def _scalar(self, node: Node) -> Node:
        return self.block.call("squeeze", node, axis=(0,))

    # -- calls -----------------------------------------------------------------------------------------------------

    def call(self, name: str, *given: Given, **attrs: AttrValue) -> Value:
        """A call with one result; what is moved of what lies in 16 bits lies so too."""
        floats = [g for g in given if isinstance(g, Value) and g.dtype == "float32"]
        lying = floats[0].lying if len(floats) == 1 and floats[0] is given[0] else None
        if lying is not None and operator(name).moves:
            return self.widened(self.call(name, lying, *given[1:], **attrs))
        (made,) = self.calls(name, *given, **attrs)
        return made

    def calls(self, name: str, *given: Given, **attrs: AttrValue) -> tuple[Value, ...]:
        """A call of an operator; computed at once where all arguments are known."""
        if name not in OPERATORS:
            raise Refusal(f"the operator {name} is missing in the model language")
        like = next((g.dtype for g in given if isinstance(g, Value)), "")
        args = [self.value(g, like) for g in given]
        for arg in args:
            if arg.dtype not in ALL:
                raise Refusal(f"the dtype {arg.dtype}; supported are {', '.join(ALL)}")
        row, settings = operator(name), tuple(sorted(attrs.items()))
        try:
            settings = row.canonical(settings)
            function = shape_function(row, [a.shaped for a in args], settings)
            if limited := _limited(function.conditions):
                args = [self._unlimited(a, limited) for a in args]
                function = shape_function(row, [a.shaped for a in args], settings)
            if row.element is not None and (long := _long(function.results[0])):
                args = [self._named(a, long) for a in args]
                function = shape_function(row, [a.shaped for a in args], settings)
            arrays = [a.number for a in args if a.number is not None]
            if len(arrays) == len(args) and self._may_fold(row, arrays, settings):
                return tuple(self.constant(f) for f in run(row, arrays, settings))
        except Mismatch as error:
            raise Refusal(str(error)) from None
        self.equal |= {(c.a, c.b) for c in function.conditions if c.kind == "equal"}
        node = self.block.call(name, *map(self.node, args), where=None, **dict(settings))
        fresh = {n: var(self.names.fresh(n.rstrip("_").rstrip("0123456789").rstrip("_"))) for n in function.unknown}
        results = [Shaped(tuple(d.substitute(fresh) for d in r.dims), r.dtype) for r in function.results]
        if not row.many:
            return (self.tensor(node, results[0]),)
        return tuple(self.tensor(node[i], r) for i, r in enumerate(results))

    def _unlimited(self, x: Value, limited: Container[Expr]) -> Value:
        """A tensor whose sizes are those without a limit, which is looked at as the model runs."""
        dims = tuple(unlimited(d) if d in limited else d for d in x.dims)
        return self.reshape(x, dims) if dims != x.dims else x

    def _named(self, x: Value, axes: Container[int]) -> Value:
        """A tensor whose sizes along some axes, counted from the end, have names where they are computed from others.

        Of two such sizes that are broadcast to each other the result's is written by both, twice: what is data to the
        model is written by its name.
        """
        own = tuple(i for i, d in enumerate(x.dims) if i - x.rank in axes and d.value is None and str(d) not in d.names)
        if not own:
            return x
        if (x, own) in self._by_name:
            return self._by_name[x, own]
        start, stop, step = (self.constant(np.full(len(own), n, np.int64)) for n in (0, MAX_DIM, 1))
        made = self._by_name[x, own] = self.call("slice_by", x, start, stop, step, axes=own)
        return made

    def _by(self, name: str, x: Value | None, sizes: Sequence[Expr]) -> Node:
        """A call whose attribute is sizes over the dimensions of x and of those that hold the others."""
        args = [] if x is None else [x]
        places: dict[str, Expr] = {}
        for own in sorted({n for e in sizes for n in e.names}):
            holder, axis = self.holders[own]
            if all(holder is not a for a in args):
                args.append(holder)
            before = sum(a.rank for a in args[: next(i for i, a in enumerate(args) if a is holder)])
            places[own] = var(dimension(before + axis))
        text = sizes_text([bounded(e).substitute(places) for e in sizes])
        return self.block.call(name, *map(self.node, args), sizes=text)

    def _may_fold(self, row: Operator, arrays: Sequence[Array], attrs: Attrs) -> bool:
        """Whether a call on arrays is computed ahead of time: all such results together have bounds, and products."""
        nbytes, given = room(row, arrays, attrs), sum(a.size for a in arrays)
        return (row.name not in _HEAVY or nbytes * given <= MOST_WORK) and self.spends(nbytes)

    def spends(self, nbytes: int) -> bool:
        """Whether so much may be written out ahead of time, which it is then."""
        if nbytes > min(MOST_EACH, self.names.left):
            return False
        self.names.left -= nbytes
        return True

    # -- sizes -----------------------------------------------------------------------------------------------------

    def reshape(self, x: Value, sizes: Sequence[Expr]) -> Value:
        """The elements of x in another shape, which is one of as many elements."""
        sizes = tuple(map(bounded, sizes))
        if sizes == x.dims:
            return x
        shape = [s.value for s in sizes]
        numbers = tuple(n for n in shape if n is not None)
        if x.known is not None and len(numbers) == len(shape):
            if math.prod(numbers) != x.known.size:
                raise Refusal(f"{x.shaped} to the shape {numbers}: expected as many elements")
            return Value(sizes, x.dtype, x.known.reshape(numbers), None, x.name)
        if x.lying is not None:
            return self.widened(self.reshape(x.lying, sizes))
        self._check("reshape_sized", x, sizes)
        return self.tensor(self._by("reshape_sized", x, sizes), Shaped(sizes, x.dtype))

    def widened(self, lying: Value) -> Value:
        """What lies in 16 bits in float32, which knows what it is of."""
        made = self.call("cast", lying, dtype="float32")
        made.lying = lying
        return made

    def rounded(self, x: Value, dtype: str) -> Value:
        """x in a dtype; what it is of, where that lies so."""
        for there in (x, x.lying):
            if there is not None and there.dtype == dtype:
                return there
        return self.call("cast", x, dtype=dtype)

    def broadcast(self, x: Value, sizes: Sequence[Expr]) -> Value:
        """x repeated to a shape."""
        sizes = tuple(map(bounded, sizes))
        if sizes == x.dims:
            return x
        shape = [s.value for s in sizes]
        numbers = tuple(n for n in shape if n is not None)
        known = x.known
        if known is not None and len(numbers) == len(shape) and self.spends(math.prod(numbers) * known.itemsize):
            try:
                return Value(sizes, x.dtype, np.broadcast_to(known, numbers), None, x.name)
            except ValueError:
                raise Refusal(f"{x.shaped} cannot be broadcast to {numbers}") from None
        own = zip(x.dims, sizes[len(sizes) - x.rank :], strict=True) if len(sizes) >= x.rank else ()
        x = self._unlimited(x, {d for d, size in own if unlimited(d) == size})
        self._check("broadcast_sized", x, sizes)
        return self.tensor(self._by("broadcast_sized", x, sizes), Shaped(sizes, x.dtype))

    def _check(self, name: str, x: Value, sizes: Sequence[Expr]) -> None:
        """What can never be is refused here, where the node is known."""
        if x.dtype not in ALL:
            raise Refusal(f"the dtype {x.dtype}; supported are {', '.join(ALL)}")
        like = Shaped(tuple(sizes))
        at = [var(dimension(x.rank + i)) for i in range(len(sizes))]
        try:
            shape_function(operator(name), [x.shaped, like], (("sizes", sizes_text(at)),))
        except Mismatch as error:
            raise Refusal(str(error)) from None

    # -- branches --------------------------------------------------------------------------------------------------

    def if_(
        self,
        condition: Value,
        then: Callable[[Graph], Sequence[Value]],
        otherwise: Callable[[Graph], Sequence[Value]],
    ) -> tuple[Value, ...]:
        """What one of two branches makes; sizes that differ are unknown behind it."""
        return self.chosen(condition, self.branch(then), self.branch(otherwise))

    def branch(self, fill: Callable[[Graph], Sequence[Value]]) -> Branch:
        graph = self.inner(self.block.branch())
        return Branch(graph, tuple(fill(graph)))

    def chosen(self, condition: Value, then: Branch, otherwise: Branch) -> tuple[Value, ...]:
        """What one of two branches makes that are filled already."""
        first, second = then.values, otherwise.values
        if len(first) != len(second):
            raise Refusal(f"branches of {len(first)} and {len(second)} results; expected as many")
        joined = []
        for a, b in zip(first, second, strict=True):
            if a.rank != b.rank or a.dtype != b.dtype:
                said = f"branches of {a.dtype}{a.shaped} and {b.dtype}{b.shaped}: expected one rank and dtype"
                raise Disagreement(said, condition)
            dims = tuple(x if x == y else var(self.names.fresh("any")) for x, y in zip(a.dims, b.dims, strict=True))
            joined.append(Shaped(dims, a.dtype))
        node = self.block.chosen(self.node(condition), then.expr(), otherwise.expr())
        return tuple(self.tensor(node if len(joined) == 1 else node[i], made) for i, made in enumerate(joined))

    def take(self, branch: Branch) -> tuple[Value, ...]:
        """What a branch makes, all of whose steps become steps of this block."""
        self.block.bindings += branch.graph.block.bindings
        self.holders.update(branch.graph.holders.maps[0])
        self.equal |= branch.graph.equal
        return branch.values


@dataclass(frozen=True, slots=True)
class Branch:
    """A block that is filled, and may become a branch or a part of the block around it."""

    graph: Graph
    values: tuple[Value, ...]

    def expr(self) -> ir.Expr:
        block = self.graph.block
        nodes = [self.graph.node(v) for v in self.values]
        block.result(nodes[0] if len(nodes) == 1 else block.tuple(*nodes))
        return block.finished()


@dataclass
class Scope:
    """A function while it is filled: what it reads of the values around it become parameters."""

    outer: Graph
    block: Block
    blocks: list[Block] = field(default_factory=list)
    captured: dict[int, tuple[Value, ir.Var]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.blocks.append(self.block)

    def node(self, value: Value) -> Node:
        """A value as a block of the function reads it."""
        assert value.node is not None
        if any(value.node.block is own for own in self.blocks):
            return value.node
        if id(value) not in self.captured:
            kind = TensorType(tuple(map(self.outer.dim, value.dims)), value.dtype)
            self.captured[id(value)] = value, ir.Var(f"outer{len(self.captured)}", kind)
        return Node(self.block, self.captured[id(value)][1])


def _limited(conditions: Sequence[Condition]) -> set[Expr]:
    """Sizes like `min(512, n)` that must be the same as n."""
    equal = (c for c in conditions if c.kind == "equal" and unlimited(c.a) == unlimited(c.b))
    return {e for c in equal for e in (c.a, c.b) if unlimited(e) != e}


def _long(shaped: Shaped) -> set[int]:
    """The axes, counted from the end, of sizes that would be too long to write."""
    return {i - len(shaped.dims) for i, d in enumerate(shaped.dims) if too_long(bounded(d))}


def too_long(size: Expr) -> bool:
    """Whether a size is none that anybody means: products of products, sums of sums, without end."""
    if size.value is not None:
        return False
    if any(len(monomial) > MOST_FACTORS or (monomial and abs(n) > MOST_TIMES) for monomial, n in size.terms):
        return True
    return len(str(size)) > MOST_TEXT


def identifier(text: str, otherwise: str) -> str:
    """A name of the model as one of the text form."""
    if is_name(text) and "." not in text:
        return text
    made = "".join(ch if ch.isascii() and (ch.isalnum() or ch == "_") else "_" for ch in text).strip("_")
    made = f"{otherwise}_{made}" if not made or made[0].isdigit() or not is_name(made) else made
    return made.strip("_")


def size_name(text: str) -> str:
    """A name of the model as one of a dimension."""
    return identifier(text, "d")[:MOST_NAME].rstrip("_")


__all__ = [
    "MOST_BYTES",
    "MOST_FOLDED",
    "Branch",
    "Dequantised",
    "Disagreement",
    "Given",
    "Graph",
    "Names",
    "Refusal",
    "Scaled",
    "Unknown",
    "Value",
    "identifier",
    "size_name",
    "too_long",
]
