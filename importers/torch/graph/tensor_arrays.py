"""Tensors of torch as numpy arrays over the same memory, and back; those of bfloat16 by their bits, in both."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anytile.compiler.operators.spec import ALL
from anytile.core.errors import ArgumentError, UnsupportedError
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.graph.complex_parts import DTYPES
from anytile.importers.torch.graph.torch_package import NARROW, computed_in, dtype_name, torch
from anytile.schedules.nest.float16 import array_dtype


@functools.cache
def _ways() -> tuple[Any, Any, Callable[[Array], Any]]:
    """What is asked for at each call: bfloat16, the dtype of its bits, and how an array becomes a tensor."""
    package = torch()
    return package.bfloat16, package.uint16, package.from_numpy


def array_of(tensor: Any) -> Array:
    """The memory of a tensor on the CPU."""
    bfloat16, bits, _ = _ways()
    if tensor.dtype is bfloat16:
        return array_of(tensor.detach().resolve_neg().view(bits)).view(array_dtype("bfloat16"))
    array: Array
    try:
        array = tensor.numpy()  # a microsecond less than by way of detach
    except (RuntimeError, TypeError):
        if tensor.device.type != "cpu":
            raise ArgumentError(
                f"an argument is a tensor on {tensor.device}; expected one on the CPU; pass .cpu() of it"
            ) from None
        array = tensor.detach().resolve_neg().numpy()
    return array


def tensor_of(array: Array) -> Any:
    """The inverse: a tensor over an array's memory."""
    bfloat16, _, from_numpy = _ways()
    return from_numpy(array) if array.dtype.kind != "V" else from_numpy(array.view(np.uint16)).view(bfloat16)


def constant_of(tensor: Any) -> Array:
    """The same of what becomes a constant; elements that lie anyhow are copied, floats of 16 bits are widened."""
    if tensor.device.type != "cpu":
        raise UnsupportedError(f"a tensor on {tensor.device}: models run on the CPU; move it by .cpu()")
    if computed_in(tensor.dtype) not in (*ALL, *DTYPES):
        raise UnsupportedError(f"a tensor of {dtype_name(tensor.dtype)}; supported are {', '.join(ALL)}")
    tensor = tensor.detach().resolve_conj()
    return array_of((tensor.float() if dtype_name(tensor.dtype) in NARROW else tensor).contiguous())
