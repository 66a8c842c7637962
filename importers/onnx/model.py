"""ONNX models become modules: the graph is walked once, node by node, and every node's row says what it is.

Functions, of the model or of ONNX itself, are walked as if they stood there. What is not supported is collected over
the whole model and said at once; a node that reads what an unsupported one makes is only looked up.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.types import Any as AnyDim
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.module import Module
from anytile.compiler.operators.spec import ALL, Shaped
from anytile.core.errors import SpecError, UnsupportedError
from anytile.core.plurals import counted
from anytile.importers.core.branches import Ended, behind
from anytile.importers.core.graph import (
    Disagreement,
    Graph,
    Names,
    Refusal,
    Unknown,
    Value,
    identifier,
    size_name,
    too_long,
)
from anytile.importers.core.symbolic import Array, elements, is_symbolic, settled
from anytile.importers.onnx.operator_table import ROWS
from anytile.importers.onnx.proto.attributes import attributes_of
from anytile.importers.onnx.proto.call import Call, Held, Signature
from anytile.importers.onnx.proto.dtypes import dtype_name
from anytile.importers.onnx.proto.kinds import require_kinds
from anytile.importers.onnx.proto.load import read_model, tensor_of
from anytile.importers.onnx.proto.node_order import in_order
from anytile.importers.onnx.proto.package import onnx
from anytile.schedules.index.expr import const, var
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.vm.program.isa import MAX_RANK

DEEPEST = 64  # subgraphs and functions within each other
MOST_NODES = 2**17  # that are walked, those of loops and functions each time
_DEFAULT = ("", "ai.onnx")

Form = str | tuple[int, ...] | None  # of an input or result: TENSOR, or the ranks of a sequence, or an empty optional
TENSOR = "tensor"
Size = int | tuple[int, int]  # what a dimension is, or the least and the most that it may be


class Unsupported(UnsupportedError):
    """What a model needs and anytile lacks. `asked` are inputs whose values would have to be known ahead of time."""

    def __init__(self, said: str, asked: tuple[str, ...] = ()) -> None:
        super().__init__(said)
        self.asked = asked


class _Broken:
    """What an unsupported node would have made."""


_BROKEN = _Broken()
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
Bound = Held | _Broken
Env = ChainMap[str, Bound]


@dataclass
class _Importer:
    """One model while it is walked; `refused` has a line for each node that is not supported."""

    model: Any
    folder: Path | None
    pins: Mapping[str, Size]
    builder: ModuleBuilder = field(default_factory=ModuleBuilder)
    names: Names = field(default_factory=Names)
    values: Mapping[str, Array] = field(default_factory=dict)
    forms: Mapping[str, Form] = field(default_factory=dict)
    results: list[Form] = field(default_factory=list)
    refused: dict[str, None] = field(default_factory=dict)
    asked: dict[str, None] = field(default_factory=dict)
    params: list[tuple[str, TensorType]] = field(default_factory=list)
    depth: int = 0
    tried: int = 0  # ways that are walked to see whether they can be, one inside the other
    walked: int = 0

    # -- the whole -------------------------------------------------------------------------------------------------

    def module(self) -> Module:
        graph_proto = self.model.graph
        versions = _versions(self.model.opset_import)
        block = Block(self.builder)
        graph = Graph(block, self.names)
        env: Env = ChainMap()
        initial = {t.name: t for t in graph_proto.initializer}
        self._require_pins()
        asked = [info for info in graph_proto.input if info.name not in initial]
        self._name_dims(asked)
        for info in asked:
            self._input(info, graph, env)
        self._initializers(graph_proto, graph, env)
        self._unknown_pins()
        self.nodes(graph_proto.node, graph, env, versions, {}, [info.name for info in graph_proto.output])
        made = [node for info in graph_proto.output for node in self._result(info.name, graph, env)]
        if self.refused:
            is_one = len(self.refused) == 1
            said = f"{counted(len(self.refused), 'thing')} of this model {'is' if is_one else 'are'} not supported"
            raise Unsupported(f"{said}: {'; '.join(self.refused)}", tuple(self.asked))
        if not made:
            raise SpecError("the model has no results; expected at least one")
        block.result(made[0] if len(made) == 1 else block.tuple(*made))
        own = tuple(self._vars.values())
        self.builder.functions["main"] = ir.Function(own, None, block.finished())
        return self.builder.build()

    _vars: dict[str, ir.Var] = field(default_factory=dict)
    _dims: set[str] = field(default_factory=set)

    def _input(self, info: Any, graph: Graph, env: Env) -> None:
        if info.name in self.values:
            env[info.name] = graph.constant(self.values[info.name], info.name)
            return
        kind, form = info.type, self.forms.get(info.name, TENSOR)
        if kind.WhichOneof("value") == "optional_type" and info.name in self.forms:
            kind = kind.optional_type.elem_type
        if form is None:
            env[info.name] = None
        elif kind.WhichOneof("value") == "sequence_type" and isinstance(form, tuple):
            kind = kind.sequence_type.elem_type
            parts = [self._tensor(kind, f"{info.name}_{i}", graph, rank) for i, rank in enumerate(form)]
            env[info.name] = _BROKEN if None in parts else [p for p in parts if p is not None]
        else:
            env[info.name] = self._tensor(kind, info.name, graph) or _BROKEN

    def _tensor(self, kind: Any, label: str, graph: Graph, rank: int | None = None) -> Value | None:
        """A parameter of the module; None where it can be none. One of a sequence has its own sizes, and a rank."""
        which = kind.WhichOneof("value")
        if which != "tensor_type":
            self.refused[f"input {label} is of kind {which or 'nothing'}; expected a tensor"] = None
            return None
        tensor = kind.tensor_type
        try:
            dtype = dtype_name(tensor.elem_type)
        except Refusal as error:
            self.refused[f"input {label}: {error}"] = None
            return None
        sizes = list(tensor.shape.dim) if tensor.HasField("shape") else None
        if rank is not None and (sizes is None or len(sizes) != rank):
            sizes = [None] * rank
        if dtype not in ALL or sizes is None or len(sizes) > MAX_RANK:
            said = (
                f"is {dtype}; supported are {', '.join(ALL)}"
                if dtype not in ALL
                else f"has no known number of dimensions up to {MAX_RANK}"
            )
            self.refused[f"input {label} {said}"] = None
            return None
        dims = tuple(self._dim(d, f"{label}_{i}", rank is None) for i, d in enumerate(sizes))
        name = Names.fresh(self._inputs, identifier(label, "x"))
        v = self._vars[name] = ir.Var(name, TensorType(dims, dtype))
        shaped = Shaped(tuple(const(d) if isinstance(d, int) else var(d.name) for d in dims), dtype)
        return self._bounded(graph.tensor(Node(graph.block, v), shaped, name), graph, label)

    def _bounded(self, x: Value, graph: Graph, label: str) -> Value:
        """x, whose sizes are looked at where they have bounds."""
        bounds = [self.bounds.get(next(iter(d.names), "")) if d.value is None else None for d in x.dims]
        if all(b is None for b in bounds):
            return x
        least, most = (tuple(-side if b is None else b[side] for b in bounds) for side in (0, 1))
        with graph.block.at(identifier(label, "x")):
            checked = graph.call("expect", x, sizes=(-1,) * x.rank, least=least, most=most)
        checked.name = x.name
        graph.holders.update({d: (checked, axis) for d, (held, axis) in graph.holders.items() if held is x})
        return checked

    _inputs: Names = field(default_factory=Names)

    def _dim(self, dim: Any, otherwise: str, shared: bool) -> Dim:
        """A size, or a name: the model's own, which is one size wherever it stands, where names are shared."""
        kind = None if dim is None else dim.WhichOneof("value")
        if kind == "dim_value" and dim.dim_value >= 0:
            return int(dim.dim_value)
        written = _name_of(dim) if shared else ""
        if not written:
            own = self.names.fresh(size_name(otherwise))
            self._dims.add(own)
            return self._sized(own, self.pins.get(own))
        own = self._named[written] if written in self._named else self._name(written)
        self._dims |= {own, written}
        return self._sized(own, self.pins.get(written, self.pins.get(own)))

    def _name(self, written: str) -> str:
        """What one of the model's own names is called here, where no other is."""
        self._named[written] = self.names.fresh(size_name(written))
        return self._named[written]

    _named: dict[str, str] = field(default_factory=dict)

    def _name_dims(self, inputs: Sequence[Any]) -> None:
        """Names that can stay as they are written do, before others are made of what is not one here."""
        tensors = (info.type.tensor_type for info in inputs)
        written = {_name_of(d): None for t in tensors for d in t.shape.dim}
        for name in sorted(filter(None, written), key=lambda name: size_name(name) != name):
            self._name(name)

    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)

    def _sized(self, own: str, given: Size | None) -> Dim:
        """A dimension that is pinned, bounded or free."""
        if isinstance(given, tuple):
            low, high = given
            if low == high:
                return low
            self.bounds[own] = given
            return AnyDim(own)
        return AnyDim(own) if given is None else given

    def _require_pins(self) -> None:
        for name, given in self.pins.items():
            numbers = given if isinstance(given, tuple) else (given, given)
            whole = len(numbers) == 2 and all(isinstance(n, int) and not isinstance(n, bool) for n in numbers)
            if not whole or not 0 <= numbers[0] <= numbers[1] <= MAX_DIM:
                raise SpecError(f"dims: {name}={given!r}; expected a size, or the least and the most, as in (1, 512)")

    def _unknown_pins(self) -> None:
        wrong = [name for name in self.pins if name not in self._dims]
        if wrong:
            known = ", ".join(sorted(self._dims))
            what = f"expected one of {known}" if known else "all its sizes are fixed, leave dims out"
            raise SpecError(f"dims: the model has no dimension {wrong[0]!r}; {what}")

    def _result(self, name: str, graph: Graph, env: Env) -> list[Node]:
        """What the block gives back for a result: as many tensors as it is of."""
        found = env.get(name, _BROKEN)
        if name not in env:
            raise SpecError(f"output {name!r} is made by no node")
        if isinstance(found, _Broken):
            return []
        values = found if isinstance(found, list) else [] if found is None else [found]
        self.results.append(tuple(v.rank for v in values) if isinstance(found, list) else TENSOR if values else None)
        try:
            return [graph.node(v) for v in values]
        except Refusal as error:
            self.refused[f"output {name}: {error}"] = None
            return []

    # -- graphs ----------------------------------------------------------------------------------------------------

    def _initializers(self, graph_proto: Any, graph: Graph, env: Env) -> None:
        for tensor in graph_proto.initializer:
            env[tensor.name] = graph.constant(tensor_of(tensor, self.folder), tensor.name)
        if graph_proto.sparse_initializer:
            self.refused["sparse initializers"] = None
            for sparse in graph_proto.sparse_initializer:
                env[sparse.values.name] = _BROKEN

    def nodes(
        self,
        nodes: Sequence[Any],
        graph: Graph,
        env: Env,
        versions: Mapping[str, int],
        given: Mapping[str, Any],
        wanted: Sequence[str],
    ) -> None:
        """The nodes of a graph or function; `given` are a function's attributes, `wanted` are its results."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise SpecError(f"functions and subgraphs more than {DEEPEST} deep; does a function call itself?")
        own: set[str] = set()
        nodes = in_order(nodes, env)
        for at, node in enumerate(nodes):
            label = f"{node.op_type} {node.name!r}" if node.name else f"{node.op_type} (node {at})"
            for name in node.output:
                if name and name in own:
                    raise SpecError(f"{label}: {name!r} is made twice")
                own.add(name)
            try:
                self._node(node, label, graph, env, versions, given)
            except Disagreement as met:
                ways = [
                    partial(self._way, node, a.g, nodes[at + 1 :], env, versions, given, wanted)
                    for name in ("then_branch", "else_branch")
                    for a in node.attribute
                    if a.name == name
                ]
                try:
                    env.update(zip(wanted, behind(graph, met, *ways), strict=True))
                    break
                except Refusal as error:
                    self._refuse(label, error)
                    env.update(dict.fromkeys(filter(None, node.output), _BROKEN))
        self.depth -= 1

    def _way(
        self,
        node: Any,
        body: Any,
        rest: Sequence[Any],
        env: Env,
        versions: Mapping[str, int],
        given: Mapping[str, Any],
        wanted: Sequence[str],
        graph: Graph,
    ) -> list[Value]:
        """The results of a graph with one branch of a node in its place; the first thing that cannot be ends it."""
        depth, inner = self.depth, env.new_child()
        self.tried += 1
        try:
            inner.update(zip(node.output, self._subgraph(body, graph, (), env, versions, given), strict=False))
            self.nodes(rest, graph, inner, versions, given, wanted)
        finally:
            self.tried -= 1
            self.depth = depth
        made = [inner.get(name) for name in wanted]
        if not all(isinstance(m, Value) for m in made):
            raise Ended("to a result that is no tensor")
        return [m for m in made if isinstance(m, Value)]

    def _refuse(self, label: str, error: Refusal) -> None:
        said = f"{label}: {error}"
        said = said if len(said) < 400 else f"{said[:400]}..."
        if self.tried:
            raise Ended(f"to {said}")
        self.refused[said] = None

    def _node(
        self, node: Any, label: str, graph: Graph, env: Env, versions: Mapping[str, int], given: Mapping[str, Any]
    ) -> None:
        self.walked += 1
        if self.walked > MOST_NODES:
            raise _too_many()
        domain = "" if node.domain in _DEFAULT else node.domain
        row = ROWS.get((domain, node.op_type))
        values: list[Held] = []
        broken = False
        for name in node.input:
            if name and name not in env:
                raise SpecError(
                    f"{label} reads {name!r}, which no node makes that could come before it (of a cycle none can)"
                )
            found = env[name] if name else None
            broken = broken or isinstance(found, _Broken)
            values.append(None if isinstance(found, _Broken) else found)
        made: Sequence[Bound] = ()
        try:
            version = versions.get(domain)
            local = self._functions.get(_called(node, node.op_type))
            if local is None and version is None:
                raise Refusal(f"the operators of {domain or 'ai.onnx'!r} have no version in this model")
            known = row is not None or local is not None or _has_body(node.op_type, version, domain)
            if broken and known and not (row is not None and row.refused):
                made = [_BROKEN] * len(node.output)
            elif local is not None:
                if self.walked + self._nodes_of(local) > MOST_NODES:  # told before they are walked
                    raise _too_many()
                made = self._expanded(local, values, attributes_of(node, given, None, self.folder), graph)
            elif row is None:
                made = self._composed(node, values, domain, version or 0, given, graph)
            else:
                most, attributes = self._said(node, row.signature, domain, version or 0, given)
                if len(node.input) > most:
                    raise Refusal(f"{counted(len(node.input), 'input')}; expected at most {most}")
                if row.signature is not None:
                    require_kinds(row.signature.kinds, values)
                made = self._meaning(row, node, values, attributes, version or 0, graph, env, versions, given)
        except (MemoryError, RecursionError) as error:
            said = "ran out of memory" if isinstance(error, MemoryError) else "its sizes or subgraphs are too deep"
            raise SpecError(f"{label}: {said}") from error
        except _MISFITS as error:
            # a file may hold anything: what no row of the table expects is an error of the file
            said = " ".join(str(error).split())[:200] or type(error).__name__
            if self.tried:
                raise Ended(f"to {label}: its inputs or attributes do not fit: {said}") from error
            raise SpecError(f"{label}: its inputs or attributes do not fit: {said}") from error
        except Disagreement:
            raise
        except Refusal as error:
            self._refuse(label, error)
            if isinstance(error, Unknown):
                self.asked.update(dict.fromkeys(self._behind(error.value, graph)))
            made = [_BROKEN] * len(node.output)
        for i, name in enumerate(node.output):
            if name:
                env[name] = made[i] if i < len(made) else _BROKEN
                if i >= len(made):
                    self.refused[f"{label}: its result {i}"] = None

    def _said(
        self, node: Any, own: Signature | None, domain: str, version: int, given: Mapping[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        """How many inputs a node's operator takes at most, and the node's attributes, those left out too."""
        if own is not None:
            return own.inputs, own.completed(attributes_of(node, given, None, self.folder))
        schema = _schema(node.op_type, version, domain)
        return schema.max_input, attributes_of(node, given, schema, self.folder)

    def _behind(self, value: Value, graph: Graph) -> list[str]:
        """The inputs that a value is computed from, those left out that were found behind others before."""
        if value.node is None or id(value.node.expr) in self._seen:
            return []
        block, made = graph.block, self._made
        made.update(block.bindings[self._looked.get(block, 0) :])
        self._looked[block] = len(block.bindings)
        names = {v: name for name, v in self._vars.items()}
        found: dict[str, None] = {}
        seen = self._seen
        waiting: list[Any] = [value.node.expr]
        while waiting:
            at = waiting.pop()
            if isinstance(at, tuple):
                waiting.extend(at)
            elif is_dataclass(at) and id(at) not in seen:
                if isinstance(at, ir.Var):
                    if at in made or at in names:  # one of a block around is looked up again from there
                        seen[id(at)] = at
                    waiting.append(made.get(at))
                    found.update({names[at]: None} if at in names else {})
                else:
                    seen[id(at)] = at
                    waiting.extend(getattr(at, f.name) for f in fields(at))
        return list(found)

    _seen: dict[int, Any] = field(default_factory=dict)  # by identity, and kept so that no other has it
    _looked: dict[Block, int] = field(default_factory=dict)  # how many steps of a block are in `_made`
    _made: dict[ir.Var, ir.Expr] = field(default_factory=dict)

    def _meaning(
        self,
        row: Any,
        node: Any,
        values: list[Held],
        attributes: Mapping[str, Any],
        version: int,
        graph: Graph,
        env: Env,
        versions: Mapping[str, int],
        given: Mapping[str, Any],
    ) -> Sequence[Held]:
        def run(body: Any, inner: Graph, args: Sequence[Held]) -> tuple[Held, ...]:
            return self._subgraph(body, inner, args, env, versions, given)

        wanted = max((i + 1 for i, name in enumerate(node.output) if name), default=0)
        call = Call(graph, node.op_type, version, values, attributes, wanted, run, tuple(node.output))
        with graph.block.at(identifier(node.name, node.op_type)):
            found = self._of_sizes(row, call)
            if found is None:
                found = row.means(call)
        return found if isinstance(found, tuple) else (found,)

    def _of_sizes(self, row: Any, call: Call) -> Value | None:
        """What a node makes of sizes, where it can be said."""
        if row.sizes is None:
            return None
        arrays = [v.known if isinstance(v, Value) and v.scaled is None else None for v in call.inputs]
        first = arrays[0] if arrays else None
        if first is None or any(a is None for a, v in zip(arrays, call.inputs, strict=True) if v is not None):
            return None
        if not any(a is not None and is_symbolic(a) for a in arrays):
            return None
        made = row.sizes(call, [a for a in arrays if a is not None])
        if made is None:
            return None
        dtype = next(
            v.dtype for v in call.inputs if isinstance(v, Value) and v.known is not None and is_symbolic(v.known)
        )
        if call.op == "Cast":
            dtype = dtype_name(call.attr("to"))
        if is_symbolic(made):
            made = settled(made, dtype)
        if is_symbolic(made) and any(too_long(e) for e in elements(made)):
            return None
        return call.graph.known(made, dtype) if is_symbolic(made) else call.graph.constant(made)

    def _subgraph(
        self,
        body: Any,
        graph: Graph,
        args: Sequence[Held],
        env: Env,
        versions: Mapping[str, int],
        given: Mapping[str, Any],
    ) -> tuple[Held, ...]:
        inner: Env = env.new_child()
        initial = {t.name for t in body.initializer}
        formal = [info.name for info in body.input if info.name not in initial or len(args) == len(body.input)]
        if len(formal) < len(args):
            raise Refusal(f"a subgraph of {len(formal)} inputs that is given {len(args)}")
        self._initializers(body, graph, inner)
        inner.update(zip(formal, args, strict=False))
        self.nodes(body.node, graph, inner, versions, given, [info.name for info in body.output])
        made = [inner.get(info.name, _BROKEN) for info in body.output]
        if any(isinstance(m, _Broken) for m in made):
            raise Refusal("something inside it is not supported")
        return tuple(m for m in made if not isinstance(m, _Broken))

    # -- functions -------------------------------------------------------------------------------------------------

    @cached_property
    def _functions(self) -> Mapping[tuple[str, str, str], Any]:
        """The model's own, by domain, name and overload; of two alike the first."""
        return {_called(f, f.name): f for f in reversed(self.model.functions)}

    _counted: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def _nodes_of(self, function: Any, depth: int = 0) -> int:
        """How many nodes a function is when those that it calls stand in their places; what calls itself ends nowhere,
        and is not counted."""
        key = _called(function, function.name)
        if key not in self._counted:
            self._counted[key] = 0
            within = (self._functions.get(_called(node, node.op_type)) for node in function.node)
            calls = [f for f in within if f is not None] if depth < DEEPEST else []
            self._counted[key] = len(function.node) + sum(self._nodes_of(f, depth + 1) for f in calls)
        return self._counted[key]

    def _expanded(
        self,
        function: Any,
        values: list[Held],
        attributes: Mapping[str, Any],
        graph: Graph,
        otherwise: Mapping[str, int] = MappingProxyType({}),
    ) -> list[Bound]:
        """What a function makes; `otherwise` are versions of operators that it does not name."""
        env: Env = ChainMap()
        for i, name in enumerate(function.input):
            env[name] = values[i] if i < len(values) else None
        defaults = attributes_of(function, {}, None, self.folder, field="attribute_proto")
        named = {**defaults, **attributes}
        self.nodes(function.node, graph, env, {**otherwise, **_versions(function.opset_import)}, named, function.output)
        return [env.get(name, _BROKEN) for name in function.output]

    def _composed(
        self, node: Any, values: list[Held], domain: str, version: int, given: Mapping[str, Any], graph: Graph
    ) -> list[Bound]:
        """An operator that ONNX itself says in others."""
        schema = _schema(node.op_type, version, domain)
        attributes = attributes_of(node, given, schema, self.folder)
        function = _body(schema, _resolved(node, attributes), values, version)
        if function is None:
            raise Refusal("the operator is not supported")
        return self._expanded(function, values, attributes, graph, {"": onnx().defs.onnx_opset_version()})


def _name_of(dim: Any) -> str:
    """What a dimension is called, if it is: signs and digits alone, `?` or `-1`, name none; each may be any size."""
    written = dim.dim_param if dim is not None and dim.WhichOneof("value") == "dim_param" else ""
    return written if any(ch.isalpha() for ch in written) else ""


def _too_many() -> SpecError:
    return SpecError(f"more than {MOST_NODES} nodes, those of loops and functions counted each time")


def _called(node: Any, name: str) -> tuple[str, str, str]:
    """What a function is called by: its own words, or those of a node."""
    return "" if node.domain in _DEFAULT else node.domain, name, node.overload


def _versions(imports: Sequence[Any]) -> dict[str, int]:
    return {("" if i.domain in _DEFAULT else i.domain): int(i.version) for i in imports}


def _schema(name: str, version: int, domain: str) -> Any:
    package = onnx()
    try:
        return package.defs.get_schema(name, version, domain)
    except package.defs.SchemaError:
        raise Refusal(f"version {version} of {domain or 'ai.onnx'} has no such operator") from None


def _has_body(name: str, version: int | None, domain: str) -> bool:
    try:
        schema = _schema(name, version or 0, domain)
    except Refusal:
        return False
    return bool(schema.has_function or schema.has_context_dependent_function)


def _body(schema: Any, node: Any, values: Sequence[Held], version: int) -> Any:
    """The function that an operator of ONNX is, in the types of its arguments where it differs by them."""
    package = onnx()
    if schema.has_function:
        return package.FunctionProto.FromString(
            schema.get_function_with_opset_version(
                max(
                    (v for v in schema.function_opset_versions if v <= version),
                    default=schema.function_opset_versions[0],
                )
            )
        )
    if not schema.has_context_dependent_function:
        return None
    kinds = []
    for v in values:
        kind = package.TypeProto()
        if isinstance(v, Value):
            kind.tensor_type.elem_type = package.helper.np_dtype_to_tensor_dtype(_np(v.dtype))
            for d in v.dims:
                dim = kind.tensor_type.shape.dim.add()
                if d.value is not None:
                    dim.dim_value = d.value
        kinds.append(kind.SerializeToString())
    versions = schema.context_dependent_function_opset_versions
    chosen = max((v for v in versions if v <= version), default=versions[0])
    made = schema.get_context_dependent_function_with_opset_version(chosen, node.SerializeToString(), kinds)
    return package.FunctionProto.FromString(made) if made else None


def _resolved(node: Any, attributes: Mapping[str, Any]) -> Any:
    """A node of a function with the values that its call gave."""
    if not any(a.ref_attr_name for a in node.attribute):
        return node
    package = onnx()
    made = package.NodeProto()
    made.CopyFrom(node)
    del made.attribute[:]
    for a in node.attribute:
        if not a.ref_attr_name:
            made.attribute.add().CopyFrom(a)
        elif a.name in attributes:
            made.attribute.add().CopyFrom(package.helper.make_attribute(a.name, attributes[a.name]))
    return made


def _np(name: str) -> Any:
    import numpy as np

    return np.dtype(name)


def import_model(
    model: Any,
    folder: Path | None = None,
    dims: Mapping[str, Size] | None = None,
) -> Module:
    """The module of a ModelProto. `dims` says what named dimensions are, or within what bounds."""
    return _Importer(model, folder, dict(dims or {})).module()


def import_for(model: Any, values: Mapping[str, Array], forms: Mapping[str, Form]) -> tuple[Module, list[Form]]:
    """A module for inputs of these forms, which are one parameter for each tensor in them; and the results' forms. An
    input that has a value becomes a constant."""
    importer = _Importer(model, None, {}, values=dict(values), forms=dict(forms))
    return importer.module(), importer.results


def read_onnx(path: str | Path, dims: Mapping[str, Size] | None = None) -> Module:
    """The module of an ONNX file, whose weights may lie in files beside it."""
    path = Path(path)
    try:
        return import_model(read_model(path), path.parent, dims)
    except (SpecError, UnsupportedError) as error:
        said = str(error)
        raise type(error)(said if said.startswith(f"{path}: ") else f"{path}: {said}") from None
