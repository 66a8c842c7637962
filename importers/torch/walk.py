"""Torch graphs become modules: the graph is walked once, node by node, and every node's row says what it is.

Torch knows the dtype and the sizes of each result, as expressions over symbols. What a row makes is held against that:
another dtype or rank is refused, and sizes that are written otherwise get torch's names by a view that checks them, so
equal sizes have equal names. Example numbers are never read. What is not supported is collected over the whole graph.
Floats of 16 bits are computed in float32: they are widened where they come in, rounded where the graph casts to or from
them and where they go out.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import Any as AnyDim
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.module import Module
from anytile.compiler.operators.spec import ALL, Shaped
from anytile.core.errors import UnsupportedError
from anytile.core.plurals import counted
from anytile.importers.core.graph import Graph, Names, Refusal, Value, identifier, size_name
from anytile.importers.core.symbolic import Array, array_of, settled
from anytile.importers.torch.aten import COMPLEX, ROWS
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Held, Told
from anytile.importers.torch.graph.calls import name_of
from anytile.importers.torch.graph.complex_parts import DTYPES, Parts, has_parts
from anytile.importers.torch.graph.tensor_arrays import constant_of
from anytile.importers.torch.graph.torch_package import NARROW, computed_in, dtype_name, torch
from anytile.importers.torch.graph.torch_sizes import name_of_size, plain_symbol, size_of, solved, symbols_of
from anytile.schedules.index.expr import Expr, const, var
from anytile.vm.program.isa import MAX_RANK

_CHECKS = (
    "_assert_scalar",
    "_assert_async",
    "_assert_tensor_metadata",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
)
_STEPS = ("as_strided", "as_strided_scatter")  # through memory
_ARITHMETIC = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "and_": "logical_and",
    "or_": "logical_or",
    "neg": "negative",
    "abs": "abs",
    "pow": "pow",
    "sym_float": "cast",
    "sym_not": "logical_not",
    "sym_max": "maximum",
    "sym_min": "minimum",
    "sym_sqrt": "sqrt",
    "_sym_sqrt": "sqrt",
}


class _Broken:
    """What an unsupported node would have made."""


_BROKEN = _Broken()


class _Inside(Refusal):
    """Something of a subgraph is not supported, which is said where it stands."""


@dataclass(frozen=True, slots=True)
class Given:
    """A placeholder as the program takes it: a tensor, or a size as a tensor of so many rows of nothing."""

    placeholder: str
    name: str
    is_size: bool = False


@dataclass
class Walk:
    """One graph while it becomes `main`; `fixed` are placeholders that are constants, by name."""

    graph_module: Any
    fixed: Mapping[str, Array]
    names_of_dims: Mapping[str, str]
    constants: Mapping[str, str] = field(default_factory=dict)  # what those that are constants are called
    states: Mapping[str, str] = field(default_factory=dict)  # what inputs are called that follow all others
    keep_all: bool = True  # whether inputs that nothing reads are inputs
    bound: Mapping[str, int] = field(default_factory=dict)  # symbols that are numbers in this program
    data: Collection[str] = ()  # placeholders of whole numbers that may be below 0, which no size is
    lone_writes: Mapping[Any, Sequence[Any]] = field(default_factory=dict)  # writers as if they wrote nowhere: to what
    builder: ModuleBuilder = field(default_factory=ModuleBuilder)
    names: Names = field(default_factory=Names)
    refused: dict[str, None] = field(default_factory=dict)
    given: list[Given] = field(default_factory=list)
    changed: dict[str, Value] = field(default_factory=dict)  # what placeholders that are written hold at the end
    _vars: dict[str, ir.Var] = field(default_factory=dict)
    _inputs: Names = field(default_factory=Names)

    # -- the whole -------------------------------------------------------------------------------------------------

    def results(self) -> list[Held]:
        """What the graph's output reads, flat; `module` makes the program of some of it."""
        self.block = Block(self.builder)
        self.graph = Graph(self.block, self.names)
        symbols: ChainMap[str, Expr] = ChainMap({symbol: const(size) for symbol, size in self.bound.items()})
        env: dict[Any, Held] = {}
        self._placeholders(env, symbols)
        made = self._walked(self.graph_module, self.graph, env, symbols)
        if has_parts(made):
            self.refused["a result of complex numbers; give torch.view_as_real of it back"] = None
        return made

    def require_supported(self) -> None:
        if not self.refused:
            return
        said = f"{counted(len(self.refused), 'thing')} of this program {'is' if len(self.refused) == 1 else 'are'}"
        way = "leave those parts to torch, or say them in other operators"
        raise UnsupportedError(f"{said} not supported: {'; '.join(self.refused)}; {way}")

    def size(self, size: Expr) -> Value:
        """A size as a result."""
        return self.graph.known(settled(array_of([size]).reshape(()), "int64"))

    def outside(self, made: Held, val: Any) -> Held:
        """A result as it goes out."""
        if not isinstance(made, Value) or not isinstance(val, torch().Tensor) or made.dtype == dtype_name(val.dtype):
            return made
        return self.graph.rounded(made, dtype_name(val.dtype))

    def module(self, made: Value | Sequence[Any]) -> Module:
        """The module whose result is a value, or values in tuples."""
        self.block.result(self._packed(made))
        self.builder.functions["main"] = ir.Function(tuple(self._vars.values()), None, self.block.finished())
        return self.builder.build()

    def _packed(self, made: Value | Sequence[Any]) -> Node:
        if isinstance(made, Value):
            return self.graph.node(made)
        return self.block.tuple(*(self._packed(m) for m in made))

    # -- inputs ----------------------------------------------------------------------------------------------------

    def _placeholders(self, env: dict[Any, Held], symbols: ChainMap[str, Expr]) -> None:
        nodes = [n for n in self.graph_module.graph.nodes if n.op == "placeholder"]
        nodes.sort(key=lambda n: n.name in self.states)
        sizes, derived = [], []
        for node in nodes:
            val = node.meta.get("val")
            if node.name in self.fixed:
                name = self.constants.get(node.name, node.name)
                env[node] = _constant(self.graph, self.fixed[node.name], name)
            elif isinstance(val, torch().Tensor):
                if self.keep_all or node.users or val.dim():
                    env[node] = value = self._input(node, val, symbols)
                    derived += [(value, node, val)] if value is not None else []
                if env.get(node) is None:
                    env[node] = _BROKEN
            elif node.name in self.data:
                env[node] = self._parameter(node, node.name, (), "int64")
            elif isinstance(val, torch().SymInt):
                sizes.append(node)
            else:
                env[node] = val
        for _ in derived:  # a symbol that one shows may be what another needs
            for _, node, val in derived:
                for axis, size in enumerate(val.shape):
                    found = solved(size, env[node].dims[axis], symbols)
                    if found is not None:
                        symbols[found[0]] = found[1]
        for node in sizes:
            env[node] = self._size(node, symbols)
        for value, node, val in derived:
            env[node] = self._tied(value, val, self.graph, symbols)

    def _input(self, node: Any, val: Any, symbols: ChainMap[str, Expr]) -> Value | None:
        name, dtype = self.states.get(node.name, node.name), dtype_name(val.dtype)
        if dtype not in ALL or val.dim() > MAX_RANK:
            said = f"is {dtype}; supported are {', '.join(ALL)}" if dtype not in ALL else f"has {val.dim()} dimensions"
            self.refused[f"input {name} {said}"] = None
            return None
        dims: list[Dim] = []
        for axis, size in enumerate(val.shape):
            symbol, known = plain_symbol(size), size_of(size, symbols)
            if known is not None and known.value is not None:
                dims.append(known.value)
            elif symbol is not None and symbol not in symbols:
                own = self.names.fresh(size_name(self.names_of_dims.get(symbol, symbol)))
                symbols[symbol] = var(own)
                dims.append(AnyDim(own))
            elif symbol is not None and symbols[symbol].names:
                dims.append(AnyDim(str(symbols[symbol])))
            else:
                dims.append(AnyDim(self.names.fresh(size_name(f"{name}_{axis}"))))
        return self._parameter(node, name, tuple(dims), dtype)

    def _parameter(self, node: Any, name: str, dims: tuple[Dim, ...], dtype: str, is_size: bool = False) -> Value:
        own = self._inputs.fresh(identifier(name, "x"))
        v = ir.Var(own, TensorType(dims, dtype))
        self._vars[own] = v
        self.given.append(Given(node.name, own, is_size))
        shaped = Shaped(tuple(const(d) if isinstance(d, int) else var(d.name) for d in dims), dtype)
        made = self.graph.tensor(Node(self.block, v), shaped, own)
        return self.graph.widened(made) if dtype in NARROW else made

    def _size(self, node: Any, symbols: ChainMap[str, Expr]) -> Expr | _Broken:
        """A number that the program is called with: a size that tensors show, or one of its own."""
        val = node.meta["val"]
        found = size_of(val, symbols)
        if found is not None:
            return found
        symbol = plain_symbol(val)
        if symbol is None:
            self.refused[f"input {node.name} is the number {val}, which no tensor shows"] = None
            return _BROKEN
        own = self.names.fresh(size_name(symbol))
        self._parameter(node, node.name, (AnyDim(own), 0), "uint8", is_size=True)
        symbols[symbol] = var(own)
        return symbols[symbol]

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _walked(
        self, graph_module: Any, graph: Graph, env: dict[Any, Held], symbols: ChainMap[str, Expr]
    ) -> list[Held]:
        live = _live(graph_module.graph)
        for node in graph_module.graph.nodes:
            if node.op == "output":
                listed = node.args[0] if isinstance(node.args[0], list | tuple) else [node.args[0]]
                return [self._held(a, env) for a in listed]
            if node.op == "get_attr":
                env[node] = self._attribute(graph_module, node, graph)
            elif node.op == "call_function" and node in live:
                env[node] = self._node(graph_module, node, graph, env, symbols)
        raise AssertionError("a graph without an output")

    def _attribute(self, graph_module: Any, node: Any, graph: Graph) -> Held:
        found = graph_module
        for part in str(node.target).split("."):
            found = getattr(found, part)
        if isinstance(found, torch().Tensor):
            return _constant(graph, constant_of(found), str(node.target))
        return found

    def _held(self, arg: Any, env: Mapping[Any, Held]) -> Held:
        if isinstance(arg, torch().fx.Node):
            return env[arg]
        if isinstance(arg, list | tuple):
            return [self._held(a, env) for a in arg]
        return arg

    def _node(
        self, graph_module: Any, node: Any, graph: Graph, env: dict[Any, Held], symbols: ChainMap[str, Expr]
    ) -> Held:
        name, held = name_of(node.target), [self._held(a, env) for a in node.args]
        if node in self.lone_writes:
            name = name.removesuffix("_")
        try:
            if name == "getitem":
                return _BROKEN if isinstance(held[0], _Broken) else self._item(*held)
            val = node.meta.get("val")
            if isinstance(val, int | float | torch().SymInt) and not isinstance(val, bool):
                found = size_of(val, symbols) if isinstance(val, int | torch().SymInt) else None
                if found is not None:
                    return found
            made = self._called(node, name, graph, env, symbols)
            env.update((same, made) for same in self.lone_writes.get(node, ()))
            return made
        except _Inside:
            return _BROKEN
        except Refusal as error:
            said = f"{name} {node.name!r}{_source(node)}: {error}"
            self.refused[said if len(said) < 400 else f"{said[:400]}..."] = None
            return _BROKEN

    def _item(self, held: Held, at: int) -> Held:
        if not isinstance(held, list | tuple) or at >= len(held) or held[at] is None:
            raise Refusal(f"its result {at} is not supported")
        return held[at]

    def _called(self, node: Any, name: str, graph: Graph, env: dict[Any, Held], symbols: ChainMap[str, Expr]) -> Held:
        args, val = self._arguments(node, env), node.meta.get("val")
        is_number = name in _ARITHMETIC and not hasattr(node.target, "_schema")
        many = isinstance(val, list | tuple)
        vals = list(val) if isinstance(val, list | tuple) else [val]
        is_complex = has_parts(list(args.values())) or any(
            isinstance(v, torch().Tensor) and v.is_complex() for v in vals
        )
        means = COMPLEX.get(name) if is_complex else ROWS[name].means if name in ROWS else None
        if any(map(_is_broken, args.values())) and (is_number or name in ROWS or name in COMPLEX):
            return _BROKEN
        if means is None and not is_number:
            raise Refusal(f"the operator is not supported{' of complex numbers' if is_complex else ''}")
        told = [self._told(v, symbols) for v in vals]

        def run(body: Any, inner: Graph, given: Sequence[Held]) -> tuple[Held, ...]:
            return self._subgraph(body, inner, given, symbols)

        first = getattr(node.args[0], "meta", {}).get("val") if node.args else None
        narrow = dtype_name(first.dtype) if isinstance(first, torch().Tensor) else ""
        order = _memory_order(first) if isinstance(first, torch().Tensor) and name in _STEPS else None
        read = {user.args[1] for user in node.users if name_of(user.target) == "getitem"} if many else ()
        call = Call(graph, name, args, told, run, narrow if narrow in NARROW else "", order, read)
        with graph.block.at(_place(node)):
            if is_number or means is None:
                return _arithmetic(call)
            found = means(call)
            if name == "copy_":
                self.changed[node.args[0].name] = self.graph.rounded(call["src"], dtype_name(val.dtype))
            made = list(found) if isinstance(found, tuple) else [found]
            tied = [self._held_to(m, v, t, graph, symbols) for m, v, t in zip(made, vals, told, strict=False)]
        return tuple(tied) if many else tied[0]

    def _arguments(self, node: Any, env: Mapping[Any, Held]) -> dict[str, Held]:
        """By the names of the schema, with what is left out as it says."""
        given = [self._held(a, env) for a in node.args]
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            return {str(i): g for i, g in enumerate(given)} | {k: self._held(v, env) for k, v in node.kwargs.items()}
        args = {a.name: a.default_value for a in schema.arguments}
        args.update(zip(args, given, strict=False))
        args.update({k: self._held(v, env) for k, v in node.kwargs.items()})
        return args

    def _subgraph(
        self, body: Any, graph: Graph, given: Sequence[Held], symbols: ChainMap[str, Expr]
    ) -> tuple[Held, ...]:
        inner = symbols.new_child()
        nodes = [n for n in body.graph.nodes if n.op == "placeholder"]
        if len(nodes) != len(given):
            raise Refusal(f"a subgraph of {len(nodes)} inputs that is given {len(given)}")
        env: dict[Any, Held] = {}
        for node, value in zip(nodes, given, strict=True):
            val = node.meta.get("val")
            env[node] = value
            if isinstance(value, Value) and isinstance(val, torch().Tensor):
                for size, dim in zip(val.shape, value.dims, strict=True):
                    symbol = plain_symbol(size)
                    if symbol is not None and symbol not in inner:
                        inner[symbol] = dim
            elif isinstance(val, torch().SymInt) and (symbol := plain_symbol(val)) is not None and symbol not in inner:
                if isinstance(value, Expr):
                    inner[symbol] = value
                elif isinstance(value, Value) and symbol in _symbols_of_shapes(body.graph):
                    self._number(value, symbol, val, graph, inner)
        made = self._walked(body, graph, env, inner)
        if any(map(_is_broken, made)):
            raise _Inside
        return tuple(made)

    # -- what torch says -------------------------------------------------------------------------------------------

    def _told(self, val: Any, symbols: Mapping[str, Expr]) -> Told | None:
        if not isinstance(val, torch().Tensor):
            return None
        name = dtype_name(val.dtype)
        dims = tuple(size_of(s, symbols) for s in val.shape)
        return Told(dims, DTYPES.get(name, computed_in(val.dtype)), name if name in NARROW else "")

    def _held_to(self, made: Held, val: Any, told: Told | None, graph: Graph, symbols: ChainMap[str, Expr]) -> Held:
        if isinstance(made, Parts):
            return made.each(lambda part: self._held_to(part, val, told, graph, symbols))
        if not isinstance(made, Value):
            return made
        if told is None:
            if isinstance(val, torch().SymInt) and (symbol := plain_symbol(val)) is not None:
                self._number(made, symbol, val, graph, symbols)
            return made
        if made.dtype != told.dtype or made.rank != len(told.dims):
            raise Refusal(f"it came out as {made.dtype}{made.shaped}; torch makes {told.dtype}{tuple(val.shape)}")
        return self._tied(made, val, graph, symbols)

    def _number(self, made: Value, symbol: str, val: Any, graph: Graph, symbols: ChainMap[str, Expr]) -> None:
        """A number that is data may be a size later on: as many positions have it as a dimension.

        One that may be below 0 is none; what is computed of it is data too.
        """
        if val.node.shape_env.bound_sympy(val.node.expr).lower < 0:
            return
        whole = graph.call("cast", made, dtype="int64") if made.dtype != "int64" else made
        rows = graph.call("arange", graph.constant(np.asarray(0)), whole, graph.constant(np.asarray(1)))
        symbols[symbol] = rows.dims[0]

    def _tied(self, made: Value, val: Any, graph: Graph, symbols: ChainMap[str, Expr]) -> Value:
        """The value under torch's sizes; a symbol that is new, or a size with no form, is what the value has there."""
        wanted = []
        for size, dim in zip(val.shape, made.dims, strict=True):
            found = size_of(size, symbols)
            if found is None:
                found = symbols[name_of_size(size)] = dim
            wanted.append(found)
        if any(a.value is not None and b.value is not None and a != b for a, b in zip(wanted, made.dims, strict=True)):
            raise Refusal(f"it came out as {made.shaped}; torch makes {tuple(val.shape)}")
        tied = graph.reshape(made, wanted)
        if tied is not made and made.lying is not None:
            tied.lying = graph.reshape(made.lying, wanted)
        return tied


def _constant(graph: Graph, array: Array, name: str) -> Held:
    """A constant; complex numbers are two."""
    if array.dtype.kind != "c":
        return graph.constant(array, name)
    parts = {"real": array.real, "imaginary": array.imag}
    return Parts(*(graph.constant(np.ascontiguousarray(part), f"{name}.{of}") for of, part in parts.items()))


def _memory_order(tensor: Any) -> tuple[int, ...] | None:
    """Its dimensions from the outermost in, where its elements lie one behind the other from the beginning."""
    if tensor.storage_offset() != 0:
        return None
    order = tuple(range(tensor.dim())) if tensor.is_contiguous() else tuple(tensor.dim_order())
    return order if tensor.permute(order).is_contiguous() else None


def _arithmetic(call: Call) -> Value:
    """Python's arithmetic on numbers that are data; its floats are of 64 bits."""
    name = _ARITHMETIC[call.op]
    args = [call.valued(a, "float64" if isinstance(a, float) else "") for a in call.args.values()]
    if name == "cast":
        return call.cast(args[0], "float64")
    if name in ("divide", "sqrt") or any(a.dtype in FLOATS for a in args):
        args = [call.cast(a, "float64") for a in args]
    return call.do(name, *args)


def _symbols_of_shapes(graph: Any) -> set[str]:
    vals = (n.meta.get("val") for n in graph.nodes)
    return {s for val in vals if isinstance(val, torch().Tensor) for size in val.shape for s in symbols_of(size)}


def _is_broken(held: Held) -> bool:
    return any(map(_is_broken, held)) if isinstance(held, list | tuple) else isinstance(held, _Broken)


def _live(graph: Any) -> set[Any]:
    """The nodes that results are made of; what only asserts read is none."""
    found: set[Any] = set()
    for node in reversed(list(graph.nodes)):
        kept = node.op == "output" or node in found or (node.op == "call_function" and _writes(name_of(node.target)))
        if kept and not (node.op == "call_function" and name_of(node.target) in _CHECKS):
            found.add(node)
            found.update(node.all_input_nodes)
    return found


def _writes(name: str) -> bool:
    """Whether an operator changes its argument, as torch names those that do."""
    return name.endswith("_") and not name.endswith("__")


def _source(node: Any) -> str:
    """Where in the user's program a node is from, if torch kept it."""
    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines()]
    others = (f'File "{torch().__path__[0]}', 'File "torch/', 'File "<')  # torch's own, and what it wrote itself
    places = [line for line in lines if line.startswith('File "') and not line.startswith(others)]
    if not places:
        return ""
    path, _, rest = places[-1].removeprefix('File "').partition('"')
    number = rest.removeprefix(", line ").partition(",")[0]
    return f" ({path.rpartition('/')[2]}:{number})"


def _place(node: Any) -> str:
    """The module that a node is from, and its name."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path = str(stack[-1][0]) if stack else ""
    return f"{path}.{node.name}" if path.replace(".", "").replace("_", "").isalnum() else str(node.name)
