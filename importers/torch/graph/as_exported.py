"""Exported programs that need not be taken apart: each of their operators has a row as it stands.

To take a program apart torch runs it twice, operator by operator, which takes longer than all that follows. It need not
where every operator is one of ATen's own, one that would be kept anyway, or a composite whose row goes by what torch
says of its result. An operator that writes to its first argument is the one without the underscore where nobody else
sees what it writes: its argument was made by an operator that gives memory of its own, and nothing else reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from anytile.importers.torch.graph.torch_package import torch

# Composites that are read by the dtype and the sizes of what they give, in all of their overloads.
COMPOSITES = frozenset(
    {
        "_unsafe_view",
        "arange",
        "broadcast_to",
        "chunk",
        "concat",
        "contiguous",
        "detach",
        "dropout",
        "expand_as",
        "flatten",
        "new_ones",
        "new_zeros",
        "numpy_T",
        "ones",
        "ones_like",
        "reshape",
        "square",
        "squeeze",
        "sym_size",
        "t",
        "to",
        "transpose",
        "true_divide",
        "type_as",
        "unflatten",
        "zeros",
        "zeros_like",
    }
)
INLINE = ("wrap_with_set_grad_enabled", "wrap_with_autocast")


def lone_writes(program: Any, table: Mapping[Any, Any], kept: Collection[str]) -> frozenset[str] | None:
    """The nodes that write where nobody else sees it; None where torch has to take the program apart by its table, from
    which the operators `kept` are left out."""
    found = set[str]()
    for node in _called(program.graph_module):
        if isinstance(node.target, torch()._ops.HigherOrderOperator):
            if node.target.name() not in INLINE:
                return None
        elif hasattr(node.target, "_schema"):
            name = str(node.target._schema.name).removeprefix("aten::")
            if node.target._schema.is_mutable:
                name = name.removesuffix("_")
                if not _is_alone(node, table, kept):
                    return None
                found.add(node.name)
            if name not in kept and name not in COMPOSITES and _is_composite(node.target, table):
                return None
    return frozenset(found)


def _called(graph_module: Any) -> Iterator[Any]:
    """The calls of a graph and of those within it."""
    for module in graph_module.modules():
        if isinstance(module, torch().fx.GraphModule):
            yield from (node for node in module.graph.nodes if node.op == "call_function")


def _is_composite(target: Any, table: Mapping[Any, Any]) -> bool:
    """Whether torch would take the operator apart."""
    return target in table or target.has_kernel_for_dispatch_key(torch()._C.DispatchKey.CompositeImplicitAutograd)


def _is_alone(node: Any, table: Mapping[Any, Any], kept: Collection[str]) -> bool:
    """Whether a node writes to its first argument and to nothing else, and nobody else sees that."""
    first, *others = node.target._schema.arguments
    if first.alias_info is None or not first.alias_info.is_write or any(a.alias_info for a in others):
        return False
    written = node.args[0]
    if written.op != "call_function" or set(written.users) != {node} or not hasattr(written.target, "_schema"):
        return False
    if written.target._schema.is_mutable:
        return _is_alone(written, table, kept)
    name = str(written.target._schema.name).removeprefix("aten::")
    return not written.target.is_view and (name in kept or not _is_composite(written.target, table))
