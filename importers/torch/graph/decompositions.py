"""What torch itself says of an operator in others, for a graph that torch.compile traces.

Operators that a program has none for are taken apart by torch's own table while the graph is traced, as cross_entropy
is into a softmax and a gather. Those that draw random numbers stay: taken apart they would draw others than torch does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

from anytile.importers.torch.graph.random_draws import is_random_operator
from anytile.importers.torch.graph.torch_package import torch

_AS_FAST = ("fft", "upsample")  # of which torch's own are far faster than their parts, which have no kernels either


@lru_cache(1)
def taken_apart(known: Collection[str]) -> dict[Any, Callable[..., Any]]:
    """Torch's table without the operators that are known, by ATen's names."""
    found: dict[Any, Callable[..., Any]] = {}
    for target, apart in torch().export.default_decompositions().items():
        if getattr(target, "namespace", "") != "aten" or is_random_operator(target):
            continue
        name = target._schema.name.removeprefix("aten::")
        if name not in known and not name.endswith("_") and not name.lstrip("_").startswith(_AS_FAST):
            found[target] = apart
    return found
