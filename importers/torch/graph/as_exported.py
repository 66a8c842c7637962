"""Exported programs that need not be taken apart: each of their operators has a row as it stands.

To take a program apart torch runs it twice, operator by operator, which takes longer than all that follows. It need not
where every operator is one that `torch.compile` would give, too, one that would be kept anyway, or a composite that has
a row. An operator that writes to its first argument is the one without the underscore where nobody else sees what it
writes: its argument was made by an operator that gives memory of its own, and nothing else reads it.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from anytile.importers.torch.graph.calls import calls_of, name_of
from anytile.importers.torch.graph.torch_package import torch

# Composites that torch would always take apart, and whose rows read them in all of their overloads.
COMPOSITES = (
    "__and__",
    "__or__",
    "__xor__",
    "_weight_norm",
    "broadcast_tensors",
    "broadcast_to",
    "chunk",
    "concat",
    "contiguous",
    "diff",
    "dropout",
    "expand_as",
    "flatten",
    "max",
    "min",
    "narrow",
    "numpy_T",
    "outer",
    "repeat_interleave",
    "reshape",
    "square",
    "std",
    "sym_size",
    "tile",
    "to",
    "true_divide",
    "type_as",
    "unflatten",
    "var",
    "var_mean",
    "where",
)
INLINE = ("wrap_with_set_grad_enabled", "wrap_with_autocast")
_MAY_BE_ITS_ARGUMENT = ("_unsafe_view", "broadcast_tensors", "dropout", "type_as")  # which their schemas do not say


def lone_writes(program: Any, kept: Collection[str]) -> Mapping[Any, Sequence[Any]] | None:
    """The nodes that write where nobody else sees it, each with all nodes that stand for the tensor that it writes.

    None where torch has to take the program apart, in which the operators of the names `kept` are left whole.
    """
    found: dict[Any, Sequence[Any]] = {}
    for node in calls_of(program.graph_module):
        if isinstance(node.target, torch()._ops.HigherOrderOperator):
            if node.target.name() not in INLINE:
                return None
        elif hasattr(node.target, "_schema"):
            name = name_of(node.target)
            if node.target._schema.is_mutable:
                name = name.removesuffix("_")
                tensor = _own_tensor(node, kept)
                if tensor is None:
                    return None
                found[node] = tensor
            if name not in kept and name not in COMPOSITES and _is_composite(node.target):
                return None
    return found


def _is_composite(target: Any) -> bool:
    """Whether torch takes the operator apart wherever it traces."""
    return bool(target.has_kernel_for_dispatch_key(torch()._C.DispatchKey.CompositeImplicitAutograd))


def _own_tensor(node: Any, kept: Collection[str]) -> Sequence[Any] | None:
    """The nodes that stand for a tensor that a node writes; None where another may see what is written, or it writes
    to another argument than its first."""
    first, *others = node.target._schema.arguments
    if first.alias_info is None or not first.alias_info.is_write or any(a.alias_info for a in others):
        return None
    made = node.args[0]
    while _writes(made):
        made = made.args[0]
    of_several = made.target is operator.getitem
    whole = made.args[0] if of_several else made
    if whole.op != "call_function" or not _makes_its_own(whole, kept):
        return None
    tensor = [user for user in whole.users if user.args == made.args] if of_several else [made]
    for same in tensor:
        tensor += (user for user in same.users if _writes(user) and user.args[0] is same)
    last = max(same for same in tensor if _writes(same))  # what lies in the tensor stays, from there on
    others = {user for same in tensor for user in same.users if user.op != "output"}.difference(tensor)
    is_own = all(user > last or _makes_its_own(user, kept) or _makes_no_tensor(user) for user in others)
    return tensor if is_own else None


def _writes(node: Any) -> bool:
    return hasattr(node.target, "_schema") and bool(node.target._schema.is_mutable)


def _makes_its_own(node: Any, kept: Collection[str]) -> bool:
    """Whether what a call gives has memory of its own, or is what it writes to."""
    if not hasattr(node.target, "_schema"):
        return False
    name = name_of(node.target)
    known = name in kept or name in COMPOSITES or not _is_composite(node.target)
    return known and not node.target.is_view and name not in _MAY_BE_ITS_ARGUMENT


def _makes_no_tensor(node: Any) -> bool:
    return hasattr(node.target, "_schema") and not any("Tensor" in str(r.type) for r in node.target._schema.returns)
