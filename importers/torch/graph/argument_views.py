"""Results of a torch graph that are views of its arguments, which torch's own operators make of these.

Torch lays such a result over the argument's memory again behind the graph: it goes by the strides and the offset of
what the graph returns, and never looks at the elements. A copy has others than the view, so that the caller would read
other elements than were meant. A view of an argument that the graph writes is one of what lies there afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anytile.importers.torch.graph.torch_package import torch

_MEASURES = ("sym_size.int", "sym_stride.int", "sym_numel.default", "sym_storage_offset.default")  # of a tensor


@dataclass(frozen=True, slots=True)
class ArgumentViews:
    """The places of such results among all results, and what makes them of all arguments once all is written."""

    places: tuple[int, ...]
    of: Callable[..., Sequence[Any]]


def views_of_arguments(graph_module: Any) -> ArgumentViews | None:
    """The results that are views of arguments, if there are any; sizes alone may say where they lie."""
    nodes = list(graph_module.graph.nodes)
    roots = {n: n for n in nodes if n.op == "placeholder"}
    writes = [n for n in nodes if n.op == "call_function" and n.target is torch().ops.aten.copy_.default]
    for write in writes:
        if write.args[0] in roots and isinstance(write.args[1], torch().fx.Node):
            roots.setdefault(write.args[1], write.args[0])
    listed = next(n for n in nodes if n.op == "output").args[0]
    places = tuple(i for i, made in enumerate(listed) if made not in writes and _is_view(made, roots))
    if not places:
        return None
    return ArgumentViews(places, _module(nodes, roots, [listed[i] for i in places]))


def _is_view(made: Any, roots: Mapping[Any, Any]) -> bool:
    if not isinstance(made, torch().fx.Node) or not isinstance(made.meta.get("val"), torch().Tensor):
        return False
    while made not in roots:
        if made.op != "call_function" or made.target is torch().ops.aten.contiguous.default:
            return False
        if getattr(made.target, "__name__", "") != "getitem" and not getattr(made.target, "is_view", False):
            return False
        if not made.args or not all(_is_size(n, roots) for n in made.all_input_nodes if n is not made.args[0]):
            return False
        made = made.args[0]
    return True


def _is_size(node: Any, roots: Mapping[Any, Any]) -> bool:
    """Whether a number derives from numbers and sizes alone, also from those of such views."""
    if node in roots:
        return True
    if node.op != "call_function" or not isinstance(node.meta.get("val"), torch().SymInt | int):
        return False
    if getattr(node.target, "__name__", "") in _MEASURES:
        return _is_view(node.args[0], roots)
    return all(_is_size(n, roots) for n in node.all_input_nodes)


def _module(nodes: Sequence[Any], roots: Mapping[Any, Any], wanted: Sequence[Any]) -> Any:
    """A module of all arguments that makes some nodes, where what is written to an argument is the argument."""
    graph = torch().fx.Graph()
    made = {n: graph.placeholder(n.name) for n in nodes if n.op == "placeholder"}
    needed: set[Any] = set()
    waiting = [n for n in wanted if n not in roots]
    while waiting:
        node = waiting.pop()
        if node not in needed:
            needed.add(node)
            waiting += [n for n in node.all_input_nodes if n not in roots]
    made.update({n: made[place] for n, place in roots.items()})
    for node in nodes:
        if node in needed:
            made[node] = graph.node_copy(node, made.__getitem__)
    graph.output(tuple(made[n] for n in wanted))
    return torch().fx.GraphModule({}, graph)
