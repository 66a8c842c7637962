"""Outlines of torch's graphs, by which a graph of fewer unknown sizes is seen to be one that is known already.

Torch makes a graph of its own where a size is 0 or 1, or where two are equal by chance. Where it says the same as a
graph of more unknown sizes does at those sizes, node by node, the program of that one serves. Views that are of all of
a tensor at those sizes are no nodes, since torch leaves them out there, and so are copies of what lies as it is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anytile.importers.torch.graph.torch_package import torch


@dataclass(frozen=True, slots=True)
class Outline:
    """The tensors that a graph is given (their places among all arguments, dtypes and sizes), its calls, its results.

    Sizes are sympy expressions or numbers; a tensor in a call is its number among all that were made before, and so is
    a number that is data.
    """

    places: tuple[int, ...]
    tensors: tuple[tuple[str, tuple[Any, ...]], ...]
    calls: tuple[tuple[str, Any], ...]
    results: Any

    def place_of(self, other: Outline) -> dict[int, int]:
        """Where another graph of the same tensors has each argument of this one."""
        return dict(zip(self.places, other.places, strict=True))


def outline_of(graph_module: Any) -> Outline:
    from torch.fx.experimental.symbolic_shapes import has_free_unbacked_symbols

    package = torch()
    kinds = package.SymInt | package.SymBool | package.SymFloat
    numbers: dict[Any, int] = {}
    places: list[int] = []
    tensors: list[tuple[str, tuple[Any, ...]]] = []
    calls: list[tuple[str, Any]] = []
    results: Any = None
    placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]

    def seen(arg: Any) -> Any:
        if isinstance(arg, package.fx.Node):
            return ("tensor", numbers[arg]) if arg in numbers else _size(arg.meta.get("val"))
        if isinstance(arg, list | tuple):
            return tuple(map(seen, arg))
        return _size(arg)

    for node in graph_module.graph.nodes:
        val = node.meta.get("val")
        if node.op == "placeholder":
            if isinstance(val, package.Tensor):
                numbers[node] = len(tensors)
                places.append(placeholders.index(node))
                tensors.append((str(val.dtype), tuple(map(_size, val.shape))))
        elif node.op == "output":
            results = seen(node.args[0])
        elif _changes_nothing(node) or (str(node.target) == _COPY and not _leaves(node)):
            numbers[node] = numbers[node.args[0]]
        elif node.op == "get_attr" or not isinstance(val, kinds) or has_free_unbacked_symbols(val):
            # What lies in a graph beside its nodes is compared with nothing.
            own = f"{node.target} of {id(graph_module)}" if node.op == "get_attr" else str(node.target)
            own = own.replace("_unsafe_view", "view")
            given = seen(node.args), tuple((k, seen(v)) for k, v in node.kwargs.items())
            calls.append((own, (*given, _made(val))))
            numbers[node] = len(tensors) + len(calls)
    return Outline(tuple(places), tuple(tensors), tuple(calls), results)


def _made(val: Any) -> Any:
    """The sizes of what a call makes, which say what else a graph knows, as that a dimension has one part only."""
    if isinstance(val, list | tuple):
        return tuple(map(_made, val))
    return tuple(map(_size, val.shape)) if isinstance(val, torch().Tensor) else ()


def _changes_nothing(node: Any) -> bool:
    """Whether it is a view of all of a tensor, as torch leaves out at some sizes and not at others."""
    if str(node.target) not in _VIEWS:
        return False
    of, val = node.args[0].meta["val"], node.meta["val"]
    return tuple(map(_size, of.shape)) == tuple(map(_size, val.shape))


def _leaves(node: Any) -> bool:
    """Whether a result is this or may be a view of it."""
    return any(user.op == "output" or (_may_be_view(user) and _leaves(user)) for user in node.users)


def _may_be_view(node: Any) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is None or "_unsafe_view" in schema.name or any(a.alias_info for a in schema.arguments)


_COPY = "aten.clone.default"
_VIEWS = ("aten.slice.Tensor", "aten.view.default", "aten.expand.default", "aten._unsafe_view.default")


def _size(value: Any) -> Any:
    package = torch()
    if isinstance(value, package.SymInt | package.SymFloat | package.SymBool):
        return value.node.expr
    return value if isinstance(value, bool | int | float | str | type(None)) else str(value)


def serves(known: Outline, wanted: Outline) -> bool:
    """Whether what one graph says is what another says, at the sizes that the other knows."""
    if len(known.tensors) != len(wanted.tensors) or len(known.calls) < len(wanted.calls):
        return False
    symbols: dict[Any, Any] = {}
    for (dtype, own), (other, dims) in zip(known.tensors, wanted.tensors, strict=True):
        if dtype != other or len(own) != len(dims):
            return False
        for a, b in zip(own, dims, strict=True):
            if getattr(a, "is_symbol", False):
                symbols.setdefault(a, b)
    if len(known.calls) != len(wanted.calls):
        known = _without_views(known, symbols)
    return _same((known.tensors, known.calls, known.results), (wanted.tensors, wanted.calls, wanted.results), symbols)


def _without_views(known: Outline, symbols: Mapping[Any, Any]) -> Outline:
    """The same without views that are of all of a tensor at some sizes, as an `expand` for one image is."""
    first = len(known.tensors)
    shapes = {i: dims for i, (_, dims) in enumerate(known.tensors)}
    numbers = {i: i for i in range(first)}
    calls: list[tuple[str, Any]] = []

    def seen(arg: Any) -> Any:
        if not isinstance(arg, tuple):
            return arg
        return ("tensor", numbers[arg[1]]) if _is_tensor(arg) else tuple(map(seen, arg))

    for number, (target, (args, named, made)) in enumerate(known.calls, first + 1):
        shapes[number] = made
        if target in _VIEWS and _is_tensor(args[0]) and _at(shapes[args[0][1]], symbols) == _at(made, symbols):
            numbers[number] = numbers[args[0][1]]
            continue
        calls.append((target, (seen(args), seen(named), made)))
        numbers[number] = first + len(calls)
    return Outline(known.places, known.tensors, tuple(calls), seen(known.results))


def _at(dims: tuple[Any, ...], symbols: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Sizes where symbols are known."""
    return tuple(d.subs(symbols, simultaneous=True) if hasattr(d, "free_symbols") else d for d in dims)


def _is_tensor(arg: Any) -> bool:
    return isinstance(arg, tuple) and len(arg) == 2 and arg[0] == "tensor"


def _same(a: Any, b: Any, symbols: Mapping[Any, Any]) -> bool:
    if isinstance(a, tuple):
        return (
            isinstance(b, tuple) and len(a) == len(b) and all(_same(x, y, symbols) for x, y in zip(a, b, strict=True))
        )
    if hasattr(a, "free_symbols"):
        return not isinstance(b, tuple | str) and bool(a.subs(symbols, simultaneous=True) == b)
    return type(a) is type(b) and bool(a == b)
