"""Tensors of torch as numpy arrays over the same memory, and back; those of dtypes that numpy has not by their bits.

What lies on a GPU stays there: a program takes the tensor itself, and gives an array of its device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from anytile.compiler.operators.spec import ALL
from anytile.core.dtypes import BY_NAME, ROWS
from anytile.core.errors import ArgumentError, UnsupportedError
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.graph.complex_parts import DTYPES
from anytile.importers.torch.graph.torch_package import NARROW, computed_in, dtype_name, torch
from anytile.schedules.nest.stored_floats import added_to_numpy, array_dtype

VECTOR = 16  # bytes that a GPU's kernels move at once


@functools.cache
def _ways() -> tuple[Mapping[Any, Any], Callable[[Array], Any]]:
    """What is asked for at each call: dtypes that numpy has not, each with that of its bits, and how an array becomes a
    tensor."""
    package = torch()
    added = {getattr(package, row.name): getattr(package, row.bits_as) for row in ROWS if row.bits_as}
    return added, package.from_numpy


def array_of(tensor: Any) -> Array:
    """The memory of a tensor on the CPU."""
    added, _ = _ways()
    if (bits := added.get(tensor.dtype)) is not None:
        return array_of(tensor.detach().resolve_neg().view(bits)).view(array_dtype(dtype_name(tensor.dtype)))
    array: Array
    try:
        array = tensor.numpy()  # a microsecond less than by way of detach
    except (RuntimeError, TypeError):
        if tensor.device.type != "cpu":
            where = "expected one on the CPU or an NVIDIA GPU"
            raise ArgumentError(f"an argument is a tensor on {tensor.device}; {where}; pass .cpu() of it") from None
        array = tensor.detach().resolve_neg().numpy()
    return array


def given_of(tensor: Any) -> Any:
    """What a program takes of a tensor: its memory on the CPU, the tensor itself on a GPU, as kernels read it.

    A view that begins in the middle of a vector there is copied."""
    if not tensor.is_cuda:
        return array_of(tensor)
    there = tensor.detach().resolve_neg().contiguous()
    return there.clone() if there.data_ptr() % VECTOR else there


def gpu_of(tensors: Iterable[Any]) -> int | None:
    """The number of the GPU that tensors lie on, but for those that the CPU has; None where it has all of them."""
    found = sorted({t.device.index or 0 for t in tensors if t.device.type == "cuda"})
    if len(found) > 1:
        where = " and ".join(f"cuda:{i}" for i in found)
        raise UnsupportedError(f"tensors on {where}; expected those of one graph on one GPU")
    return found[0] if found else None


def tensor_of(array: Any) -> Any:
    """The inverse: a tensor over an array's memory, on the CPU or a GPU."""
    _, from_numpy = _ways()
    if not isinstance(array, np.ndarray):
        return torch().from_dlpack(array)
    if not added_to_numpy(array.dtype):
        return from_numpy(array)
    name = array.dtype.name
    return from_numpy(array.view(BY_NAME[name].bits_as)).view(getattr(torch(), name))


def constant_of(tensor: Any) -> Array:
    """The same of what becomes a constant; elements that lie anyhow or on a GPU are copied, floats of 16 bits are
    widened."""
    if tensor.is_cuda:
        tensor = tensor.cpu()
    if tensor.device.type != "cpu":
        where = "models run on the CPU and on NVIDIA GPUs"
        raise UnsupportedError(f"a tensor on {tensor.device}: {where}; move it by .cpu()")
    if computed_in(tensor.dtype) not in (*ALL, *DTYPES):
        raise UnsupportedError(f"a tensor of {dtype_name(tensor.dtype)}; supported are {', '.join(ALL)}")
    tensor = tensor.detach().resolve_conj()
    return array_of((tensor.float() if dtype_name(tensor.dtype) in NARROW else tensor).contiguous())
