"""Topological order of nodes: each behind those whose results it reads, as ONNX asks for and some exporters forget.

onnxruntime puts nodes in order as it loads a file, so nobody notices there. Nodes that are in order stay as they are,
and so do those of a cycle, behind all others.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from typing import Any


def in_order(nodes: Sequence[Any], known: Container[str]) -> Sequence[Any]:
    """The nodes of a graph in an order in which they can be computed; what is `known` is there before the first."""
    made_by = {name: at for at, node in enumerate(nodes) for name in node.output if name and name not in known}
    waits = [{made_by[name] for name in _read(node) if name in made_by} for node in nodes]
    if all(max(before, default=-1) < at for at, before in enumerate(waits)):
        return nodes
    readers: dict[int, list[int]] = defaultdict(list)
    for at, before in enumerate(waits):
        for other in before:
            readers[other].append(at)
    ready = [at for at, before in enumerate(waits) if not before]
    found: list[int] = []
    while ready:  # of all that can be computed the first in the file
        found.append(heapq.heappop(ready))
        for reader in readers[found[-1]]:
            waits[reader].discard(found[-1])
            if not waits[reader]:
                heapq.heappush(ready, reader)
    left = sorted(set(range(len(nodes))) - set(found))
    return [nodes[at] for at in (*found, *left)]


def _read(node: Any) -> set[str]:
    """The names that a node reads, and those that its subgraphs read of what is around them."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            own = {*_names(graph.input), *_names(graph.initializer), *(o for inner in graph.node for o in inner.output)}
            read = [_names(graph.output), *map(_read, graph.node)]
            names.update(name for several in read for name in several if name not in own)
    return names


def _names(values: Sequence[Any]) -> Iterator[str]:
    return (value.name for value in values)
