"""Random numbers of a torch graph: torch draws them before the program runs, which takes them as further arguments.

So they are those that torch would have drawn, one after the other from its own generator: a seed gives what it gives
in torch. Only what is drawn by sizes and numbers can be drawn ahead. Where a graph has draws that tensors decide
(`bernoulli` of probabilities, `multinomial`), or branches that draw, all of them stay where they are, in their order,
and are refused as other operators are that a program has none for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anytile.importers.torch.graph.torch_package import torch
from anytile.importers.torch.graph.torch_sizes import plain_symbol, symbols_of

_BY_SIZES = ("rand", "randn", "randint", "randperm")
_BY_SHAPE = ("rand_like", "randn_like", "randint_like", "uniform", "normal_functional", "exponential")  # of a tensor
_BY_NUMBER = ("bernoulli.p",)  # of a tensor's shape, where the chance is a number


@dataclass(slots=True)
class RandomDraws:
    """`drawn` are the operators in their order, `places` where the sizes that they go by are found among arguments."""

    drawn: tuple[Any, ...]
    places: Mapping[str, tuple[int, int | None]]
    _seen: tuple[int, ...] = ()
    _calls: list[Callable[[], Any]] = field(default_factory=list)

    def of(self, args: Sequence[Any]) -> list[Any]:
        """What torch draws for a call of the graph with these arguments."""
        values = tuple(
            int(args[place] if axis is None else args[place].size(axis)) for place, axis in self.places.values()
        )
        if values != self._seen or not self._calls:
            known = dict(zip(self.places, values, strict=True))
            self._seen, self._calls = values, [_call(node, known) for node in self.drawn]
        return [call() for call in self._calls]


def drawn_ahead(graph_module: Any) -> tuple[Any, RandomDraws | None]:
    """The graph with its random numbers as arguments behind its own, and how they are drawn, if it has any."""
    nodes = list(graph_module.graph.nodes)
    places = _places([n for n in nodes if n.op == "placeholder"])
    drawn = [n for n in nodes if _is_random(n)]
    inside = (n for module in graph_module.children() for n in getattr(getattr(module, "graph", None), "nodes", ()))
    if not drawn or any(map(_is_random, inside)) or not all(_is_by_sizes(n, places) for n in drawn):
        return graph_module, None
    graph = torch().fx.Graph()
    made = {n: graph.node_copy(n) for n in nodes if n.op == "placeholder"}
    for i, node in enumerate(drawn):
        made[node] = graph.placeholder(f"drawn_{i}")
        made[node].meta["val"] = node.meta["val"]
    for node in nodes:
        if node not in made:
            made[node] = graph.node_copy(node, made.__getitem__)
    needed = {s: places[s] for node in drawn for s in _symbols(node)}
    return torch().fx.GraphModule(graph_module, graph), RandomDraws(tuple(drawn), needed)


def _places(placeholders: Sequence[Any]) -> dict[str, tuple[int, int | None]]:
    """Of each symbol the argument that is its value, or one of whose axes is."""
    found: dict[str, tuple[int, int | None]] = {}
    for place, node in enumerate(placeholders):
        val = node.meta.get("val")
        sizes = enumerate(val.shape) if isinstance(val, torch().Tensor) else [(None, val)]
        for axis, size in sizes:
            symbol = plain_symbol(size) if isinstance(size, torch().SymInt) else None
            if symbol is not None:
                found.setdefault(symbol, (place, axis))
    return found


def is_random_operator(target: Any) -> bool:
    """Whether an operator may draw from torch's generator."""
    name = str(target).removeprefix("aten.").partition(".")[0]
    return name in _BY_SHAPE or torch().Tag.nondeterministic_seeded in getattr(target, "tags", ())


def _is_random(node: Any) -> bool:
    """Whether a node draws; operators that can drop something out do where they are told to."""
    return is_random_operator(node.target) and all(_given(node, name) for name in ("dropout_p", "dropout", "train"))


def _given(node: Any, name: str) -> Any:
    """An argument of an operator; True where it has none of the name."""
    for at, argument in enumerate(node.target._schema.arguments):
        if argument.name == name:
            return node.args[at] if at < len(node.args) else node.kwargs.get(name, argument.default_value)
    return True


def _is_by_sizes(node: Any, places: Mapping[str, Any]) -> bool:
    """Whether sizes and numbers alone decide what is drawn."""
    name, _, overload = str(node.target).removeprefix("aten.").partition(".")
    by_shape = name in _BY_SHAPE or f"{name}.{overload}" in _BY_NUMBER
    if not (by_shape or name in _BY_SIZES) or not isinstance(node.meta.get("val"), torch().Tensor):
        return False
    tensors = [n for n in node.all_input_nodes if isinstance(n.meta.get("val"), torch().Tensor)]
    return tensors == ([node.args[0]] if by_shape else []) and all(s in places for s in _symbols(node))


def _symbols(node: Any) -> set[str]:
    """The symbols in the sizes that a draw goes by."""
    found: set[str] = set()
    for given in node.all_input_nodes:
        val = given.meta.get("val")
        sizes = (*val.shape, *val.stride()) if isinstance(val, torch().Tensor) else (val,)
        found.update(s for size in sizes for s in symbols_of(size))
    return found


def _call(node: Any, known: Mapping[str, int]) -> Callable[[], Any]:
    """The draw, for sizes that are known."""

    def number(size: Any) -> int:
        if not isinstance(size, torch().SymInt):
            return int(size)
        return int(size.node.expr.subs({s: known[str(s)] for s in size.node.expr.free_symbols}))

    def given(argument: Any) -> Any:
        val = argument.meta["val"]
        if not isinstance(val, torch().Tensor):
            return number(val)
        sizes, strides = ([*map(number, of)] for of in (val.shape, val.stride()))
        return torch().empty_strided(sizes, strides, dtype=val.dtype, device=val.device)  # whose generator is asked

    args = torch().fx.map_arg(node.args, given)
    kwargs = torch().fx.map_arg(node.kwargs, given)
    return lambda: node.target(*args, **kwargs)
