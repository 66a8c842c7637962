"""Graphs of ONNX that grow node by node, each of which onnxruntime has computed alone before it is taken.

A value is known by what it is at several sizes at once, so no rule of shapes is needed: a node is taken if it runs at
all of them, and a dimension is constant where it is the same at all. Beside each value stands what it is where inputs
and what nodes make are moved by roundings: what that moves far is no value to compare, and its node is not taken.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

Array = NDArray[Any]
Dim = str | int
OPSET, IR_VERSION = 20, 10
LARGEST, SMALLEST = 1e4, 1e-4  # what is largest in a value, and if it is of floats, not less
MOST_ELEMENTS, MOST_RANK = 20_000, 6
ULP = 1e-7  # of a float, by which results of nodes are moved
SHAKY = 1e-3  # of a value's largest element: what moves further by that is not compared
NEAR = 1e-6  # of a float, by which inputs are moved
ROUNDS = {"float32": NEAR, "float16": 1e-3, "bfloat16": 8e-3}  # a number, by so much of it
FLOATS = ("float32", "float16")
# What jumps where an operand moves: each element of it is moved on its own, so that what hangs on a tie is not taken.
JUMPS = (
    "ArgMax", "ArgMin", "TopK", "Floor", "Ceil", "Round", "Sign", "Cast", "QuantizeLinear", "DynamicQuantizeLinear",
    "Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual", "Mod", "ThresholdedRelu", "Shrink", "Hardmax", "If",
)  # fmt: skip


@dataclass(frozen=True)
class Value:
    """One edge of a graph: what it is at each of the sizes, and what it is there as inputs and each node's results are
    moved by a rounding. `loss` is the largest rounding, relative to what is rounded, on the way to it."""

    name: str
    at: tuple[Array, ...]
    near: tuple[Array, ...]
    loss: float = NEAR
    is_const: bool = False

    @property
    def dtype(self) -> str:
        return str(self.at[0].dtype)

    @property
    def rank(self) -> int:
        return self.at[0].ndim

    @property
    def elements(self) -> int:
        return max(int(a.size) for a in self.at)

    def dim(self, axis: int) -> int | None:
        """A dimension that is the same at all sizes."""
        sizes: set[int] = {a.shape[axis] for a in self.at}
        return sizes.pop() if len(sizes) == 1 else None

    def least(self, axis: int) -> int:
        return min(int(a.shape[axis]) for a in self.at)


@dataclass(frozen=True)
class Grown:
    """A graph: its inputs with their dimensions, nodes in order, constants, and every value by name."""

    inputs: Mapping[str, tuple[Dim, ...]]
    nodes: tuple[Any, ...]
    values: Mapping[str, Value]

    def caches(self) -> dict[str, str]:
        """Of inputs that may come in longer and come out so, what they are then."""
        joined = [n for n in self.nodes if n.op_type == "Concat" and len(n.input) == 2 and n.input[0] in self.inputs]
        return {n.input[0]: n.output[0] for n in reversed(joined) if self._is_free(n.input[0], n.attribute[0].i)}

    def _is_free(self, name: str, axis: int) -> bool:
        """Whether a dimension of an input is no other's."""
        along = self.inputs[name][axis]
        return isinstance(along, str) and [d for dims in self.inputs.values() for d in dims].count(along) == 1

    def ends(self) -> tuple[str, ...]:
        """What nodes make and no other reads."""
        read = {name for node in self.nodes for name in read_by(node)}
        return tuple(name for node in self.nodes for name in node.output if name and name not in read)

    def model(self, results: Sequence[str]) -> Any:
        """The file of it, with these values as results."""
        graph = onnx.helper.make_graph(
            self.nodes,
            "grown",
            [_info(self.values[name], dims) for name, dims in self.inputs.items()],
            [_info(self.values[name], (None,) * self.values[name].rank) for name in results],
            [onnx.numpy_helper.from_array(v.at[0], v.name) for v in self.values.values() if v.is_const],
        )
        return as_model(graph)


def read_by(node: Any) -> list[str]:
    """What a node reads, in its subgraphs too."""
    found = [name for name in node.input if name]
    for attribute in node.attribute:
        inner = attribute.g
        own = {name for n in inner.node for name in n.output} | {i.name for i in (*inner.input, *inner.initializer)}
        found += [name for n in inner.node for name in read_by(n) if name not in own]
        found += [o.name for o in inner.output if o.name and o.name not in own]
    return list(dict.fromkeys(found))


def as_model(graph: Any) -> Any:
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def _info(value: Value, dims: Sequence[Dim | None]) -> Any:
    return onnx.helper.make_tensor_value_info(value.name, type_of(value), dims)


def type_of(value: Value) -> int:
    """ONNX's number of a dtype."""
    found: int = onnx.helper.np_dtype_to_tensor_dtype(value.at[0].dtype)
    return found


def run_alone(node: Any, given: Sequence[Value]) -> list[tuple[tuple[Array, ...], tuple[Array, ...]]] | None:
    """Of each result of a node what it is at all sizes, and near them; None where it does not run at all of them.
    Constants are the node's own, as some must be."""
    import onnxruntime

    asked = {v.name: v for v in given if not v.is_const}
    held = {v.name: v for v in given if v.is_const}
    named = [name for name in node.output if name]
    graph = onnx.helper.make_graph(
        [node],
        "one",
        [_info(v, (None,) * v.rank) for v in asked.values()],
        [onnx.helper.make_empty_tensor_value_info(name) for name in named],
        [onnx.numpy_helper.from_array(v.at[0], v.name) for v in held.values()],
    )
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(as_model(graph).SerializeToString(), options)
        count = max((len(v.at) for v in given), default=1)
        found = [
            [session.run(named, {name: side(v)[i] for name, v in asked.items()}) for i in range(count)]
            for side in (attrgetter("at"), attrgetter("near"))
        ]
    except Exception:  # noqa: BLE001  # onnxruntime has classes of its own for each of its codes
        return None
    at, near = found
    return [(tuple(a[k] for a in at), tuple(a[k] for a in near)) for k in range(len(named))]


def _is_fit(value: Value) -> bool:
    """Whether it can be compared: small, finite, and nearly the same where inputs are."""
    if value.rank > MOST_RANK or value.elements > MOST_ELEMENTS or len({a.ndim for a in value.at}) > 1:
        return False
    if not all(a.size for a in value.at):
        return False
    for a, b in zip(value.at, value.near, strict=True):
        if a.dtype.kind not in "fiub" or a.shape != b.shape:
            return False
        if a.dtype.kind != "f":
            if not np.array_equal(a, b) or np.abs(a.astype(float)).max() > LARGEST:
                return False
            continue
        wide = a.astype(np.float64)
        largest = np.abs(wide).max()
        if 0 < largest < SMALLEST:
            return False
        if not largest <= LARGEST or not np.abs(wide - b).max() <= max(SHAKY, 4 * value.loss) * largest:
            return False
    return True


class Growth:
    """A graph that grows, and the dice it grows by."""

    def __init__(self, rng: random.Random, sizes: Sequence[Mapping[str, int]], precision: str = "float32") -> None:
        self.rng, self.sizes = rng, [dict(at) for at in sizes]
        self._rounds = ROUNDS[precision]  # what is computed of float32
        self.arrays = np.random.default_rng(rng.randrange(1 << 30))
        self.inputs: dict[str, tuple[Dim, ...]] = {}
        self.nodes: list[Any] = []
        self.values: dict[str, Value] = {}
        self._count = 0

    def grown(self) -> Grown:
        return Grown(dict(self.inputs), tuple(self.nodes), dict(self.values))

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def fresh(self) -> str:
        """A name that nothing has."""
        self._count += 1
        return f"v{self._count}"

    def dims(self, value: Value) -> tuple[Dim, ...]:
        """Numbers and symbols, new ones where none is the same at all sizes."""
        found: list[Dim] = []
        for axis in range(value.rank):
            along = tuple(a.shape[axis] for a in value.at)
            known = [name for name in self.sizes[0] if tuple(at[name] for at in self.sizes) == along]
            found.append(along[0] if len(set(along)) == 1 else known[0] if known else self.symbol(along))
        return tuple(found)

    def symbol(self, sizes: Sequence[int]) -> str:
        """A new one, of these sizes."""
        name = f"d{len(self.sizes[0])}"
        for at, size in zip(self.sizes, sizes, strict=True):
            at[name] = size
        return name

    def input(self, dims: Sequence[Dim], dtype: str = "float32") -> Value:
        arrays = []
        for at in self.sizes:
            shape = [at[d] if isinstance(d, str) else d for d in dims]
            arrays.append(self.numbers(shape, dtype))
        near = arrays
        if dtype in FLOATS:
            moved = max(self._rounds, ROUNDS[dtype])
            near = [(a * (1 + moved * self.arrays.choice([-1, 1], a.shape))).astype(a.dtype) for a in arrays]
        value = Value(self.fresh(), tuple(arrays), tuple(near), max(self._rounds, ROUNDS.get(dtype, 0.0)))
        self.inputs[value.name] = tuple(dims)
        self.values[value.name] = value
        return value

    def numbers(self, shape: Sequence[int], dtype: str) -> Array:
        if dtype in FLOATS:
            return self.arrays.standard_normal(shape).astype(dtype)
        if dtype == "bool":
            return np.asarray(self.arrays.random(shape) < 0.5)
        low = 0 if dtype.startswith("u") else -9
        return self.arrays.integers(low, 10, shape).astype(dtype)

    def const(self, array: Any, dtype: str | None = None) -> Value:
        made = np.asarray(array, dtype)
        value = Value(self.fresh(), (made,) * len(self.sizes), (made,) * len(self.sizes), 0.0, is_const=True)
        self.values[value.name] = value
        return value

    def ints(self, *numbers: int) -> Value:
        return self.const(list(numbers), "int64")

    def floats(self, *shape: int, like: Value | None = None, scale: float = 1.0) -> Value:
        dtype = like.dtype if like is not None else "float32"
        return self.const((self.arrays.standard_normal(shape) * scale).astype(dtype))

    def node(self, op: str, *given: Value | None, results: int = 1, **attributes: Any) -> tuple[Value, ...]:
        """The results of one more node; none where it was not taken."""
        names = [self.fresh() for _ in range(results)]
        made = onnx.helper.make_node(op, [v.name if v else "" for v in given], names, **attributes)
        return self.take(made, [v for v in given if v])

    def inner(self, node: Any, given: Sequence[Value]) -> None:
        """A node with graphs of its own, which read some of these, too."""
        if not self.take(node, list({v.name: v for v in given}.values())):
            raise Dropped

    def take(self, node: Any, given: Sequence[Value]) -> tuple[Value, ...]:
        if all(v.is_const for v in given):
            return ()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = run_alone(node, [self.moved(v) for v in given] if node.op_type in JUMPS else given)
            if found is None:
                return ()
            loss = max(v.loss for v in given)
            made = []
            for name, (at, near) in zip([n for n in node.output if n], found, strict=True):
                dtype = str(at[0].dtype)
                if dtype in FLOATS:
                    own = max(ROUNDS[dtype], self._rounds)
                    rounded = ULP if own == NEAR else own
                    near = tuple((a * (1 + rounded * self.arrays.choice([-1, 1], a.shape))).astype(dtype) for a in near)
                made.append(Value(name, at, near, max(loss, ROUNDS.get(dtype, 0.0))))
            if not all(_is_fit(v) for v in made):
                return ()
        self.nodes.append(node)
        self.values.update((v.name, v) for v in made)
        return tuple(made)

    def moved(self, value: Value) -> Value:
        """The same, each of whose floats is moved once more, but for zeros, which stay."""
        if value.dtype not in FLOATS or value.is_const:
            return value
        near = []
        for a in value.near:
            by = 4 * max(value.loss, NEAR) * np.maximum(np.abs(a), np.abs(a).max(initial=0))
            near.append(np.where(a == 0, a, a + by * self.arrays.choice([-1, 1], a.shape)).astype(a.dtype))
        return replace(value, near=tuple(near))

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Nodes that are taken together or not at all: `Dropped` takes them back."""
        count, names = len(self.nodes), set(self.values)
        try:
            yield
        except Dropped:
            del self.nodes[count:]
            for name in [n for n in self.values if n not in names]:
                del self.values[name]
                self.inputs.pop(name, None)

    def one(self, op: str, *given: Value | None, **attributes: Any) -> Value:
        """The only result of a node, without which the others of its motif are for nothing."""
        found = self.node(op, *given, **attributes)
        if not found:
            raise Dropped
        return found[0]


class Dropped(Exception):
    """A motif that cannot be taken here."""


def again(grown: Grown, given: Mapping[str, Value]) -> Mapping[str, Value] | None:
    """Every value of a graph where these are its inputs; None where some node's would not have been taken."""
    g = Growth(random.Random(0), [{}])
    constants = (v for v in grown.values.values() if v.is_const)
    g.values = {**{v.name: replace(v, at=v.at[:1], near=v.near[:1]) for v in constants}, **given}
    for node in grown.nodes:
        if not g.take(node, [g.values[name] for name in read_by(node)]):
            return None
    return g.values


Step = Callable[[Growth, Value], object]
