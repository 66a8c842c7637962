"""Calls of torch graphs: the nodes that call operators, and what those are called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anytile.importers.torch.graph.torch_package import torch


def calls_of(graph_module: Any) -> Iterator[Any]:
    """The calls of a graph and of those within it."""
    for module in graph_module.modules():
        if isinstance(module, torch().fx.GraphModule):
            yield from (node for node in module.graph.nodes if node.op == "call_function")


def name_of(target: Any) -> str:
    """The name that all overloads of an operator have."""
    schema = getattr(target, "_schema", None)
    if schema is not None:
        space, _, name = str(schema.name).partition("::")
        return name if space == "aten" else f"{space}.{name}"
    return str(getattr(target, "__name__", target))
