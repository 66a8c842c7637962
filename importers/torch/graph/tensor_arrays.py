"""Tensors of torch as numpy arrays over the same memory; of bfloat16, which numpy has not, as copies in float32."""

from __future__ import annotations

from typing import Any

from anytile.compiler.operators.spec import ALL
from anytile.core.errors import ArgumentError, UnsupportedError
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.graph.torch_package import NARROW, computed_in, dtype_name


def array_of(tensor: Any) -> Array:
    """The memory of a tensor on the CPU."""
    array: Array
    try:
        array = tensor.numpy()  # a microsecond less than by way of detach
    except (RuntimeError, TypeError):
        if tensor.device.type != "cpu":
            raise ArgumentError(
                f"an argument is a tensor on {tensor.device}; expected one on the CPU; pass .cpu() of it"
            ) from None
        tensor = tensor.detach().resolve_neg()
        array = (tensor.float() if dtype_name(tensor.dtype) == "bfloat16" else tensor).numpy()
    return array


def constant_of(tensor: Any) -> Array:
    """The same of what becomes a constant; elements that lie anyhow are copied, floats of 16 bits are widened."""
    if tensor.device.type != "cpu":
        raise UnsupportedError(f"a tensor on {tensor.device}: models run on the CPU; move it by .cpu()")
    if computed_in(tensor.dtype) not in ALL:
        raise UnsupportedError(f"a tensor of {dtype_name(tensor.dtype)}; supported are {', '.join(ALL)}")
    tensor = tensor.detach()
    return array_of((tensor.float() if dtype_name(tensor.dtype) in NARROW else tensor).contiguous())
