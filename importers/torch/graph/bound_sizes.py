"""Bound sizes: those of images, for which a program is made although torch leaves them open.

`torch.compile(dynamic=True)` leaves every size open, and nearly all programs for images have them of one size. Kernels
that know it are faster, and are those that a model of that size was tuned by. So the first program of a graph is made
for the height and width that it is called with first, and one for any size follows where another is seen. A dimension
that was marked as dynamic, or that torch saw in several sizes, is never bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from anytile.importers.torch.graph.torch_package import torch
from anytile.importers.torch.graph.torch_sizes import plain_symbol, symbols_of

_IMAGE = 4  # dimensions: of sequences, which are of many lengths, windows have fewer
_MARKS = ("_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices", "_dynamo_unbacked_indices")  # by mark_dynamic etc.


@dataclass(frozen=True, slots=True)
class Bound:
    """A symbol of torch's that is a number in a program, and the dimension of an argument that shows it."""

    symbol: str
    place: int
    axis: int
    size: int


def varying(graph_module: Any, inputs: Iterable[Any]) -> frozenset[str] | None:
    """The symbols that are known to vary, of a graph as dynamo hands it over; None where that is all of them."""
    if torch()._dynamo.config.assume_static_by_default:  # no dynamic=True: what is open was marked, or seen to vary
        return None
    found: set[str] = set()
    nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    for node, given in zip(nodes, inputs, strict=True):
        for marks in _MARKS:
            for axis in getattr(given, marks, None) or ():
                found.update(symbols_of(node.meta["example_value"].shape[axis]))
    return frozenset(found)


def bound_sizes(graph_module: Any, args: Sequence[Any], vary: Set[str]) -> tuple[Bound, ...]:
    """What a graph's images are in size, as its arguments say."""
    wanted = {s for size in _image_sizes(graph_module.graph) for s in symbols_of(size)} - vary
    found: dict[str, Bound] = {}
    nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    for place, node in enumerate(nodes):
        val = node.meta.get("val")
        for axis, size in enumerate(val.shape if isinstance(val, torch().Tensor) else ()):
            symbol = plain_symbol(size)
            if symbol in wanted and symbol not in found:
                found[symbol] = Bound(symbol, place, axis, int(args[place].shape[axis]))
    return tuple(found.values())


def _image_sizes(graph: Any) -> Iterator[Any]:
    """Heights and widths of what convolutions read."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target is torch().ops.aten.convolution.default:
            shape = node.args[0].meta["val"].shape
            yield from shape[2:] if len(shape) >= _IMAGE else ()
