"""Exported programs that need not be taken apart: each of their operators has a row as it stands.

To take a program apart torch runs it twice, operator by operator, which takes longer than all that follows. It need not
where every operator is one that `torch.compile` would give, too, one that would be kept anyway, or a composite that has
a row. An operator that writes to its first argument is the one without the underscore where nobody else sees what it
writes: its argument was made by an operator that gives memory of its own, and nothing else reads it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from anytile.importers.torch.graph.calls import calls_of, name_of
from anytile.importers.torch.graph.torch_package import torch

# Composites that torch would always take apart, and whose rows read them in all of their overloads.
COMPOSITES = (
    "__and__",
    "__or__",
    "__xor__",
    "broadcast_to",
    "chunk",
    "concat",
    "contiguous",
    "dropout",
    "expand_as",
    "flatten",
    "max",
    "min",
    "numpy_T",
    "outer",
    "reshape",
    "square",
    "sym_size",
    "tile",
    "to",
    "true_divide",
    "type_as",
    "unflatten",
    "where",
)
INLINE = ("wrap_with_set_grad_enabled", "wrap_with_autocast")


def lone_writes(program: Any, kept: Collection[str]) -> frozenset[str] | None:
    """The nodes that write where nobody else sees it; None where torch has to take the program apart, in which the
    operators of the names `kept` are left whole."""
    found = set[str]()
    for node in calls_of(program.graph_module):
        if isinstance(node.target, torch()._ops.HigherOrderOperator):
            if node.target.name() not in INLINE:
                return None
        elif hasattr(node.target, "_schema"):
            name = name_of(node.target)
            if node.target._schema.is_mutable:
                name = name.removesuffix("_")
                if not _is_alone(node, kept):
                    return None
                found.add(node.name)
            if name not in kept and name not in COMPOSITES and _is_composite(node.target):
                return None
    return frozenset(found)


def _is_composite(target: Any) -> bool:
    """Whether torch takes the operator apart wherever it traces."""
    return bool(target.has_kernel_for_dispatch_key(torch()._C.DispatchKey.CompositeImplicitAutograd))


def _is_alone(node: Any, kept: Collection[str]) -> bool:
    """Whether a node writes to its first argument and to nothing else, and nobody else sees that."""
    first, *others = node.target._schema.arguments
    if first.alias_info is None or not first.alias_info.is_write or any(a.alias_info for a in others):
        return False
    written = node.args[0]
    if written.op != "call_function" or set(written.users) != {node} or not hasattr(written.target, "_schema"):
        return False
    if written.target._schema.is_mutable:
        return _is_alone(written, kept)
    own = name_of(written.target) in kept or not _is_composite(written.target)
    return own and not written.target.is_view
