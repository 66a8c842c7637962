"""Packed constants: as the kernel that reads them wants them, and back.

A file holds such a constant packed where its layout can be told, so that a session whose kernel wants the same reads it
where it is mapped, and processes share it. For another kernel (another machine, a newer template) the raw constant is
recovered, from the layout that the file states and without code, and packed anew.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Packed
from anytile.core.errors import SpecError
from anytile.dispatch.cpu.fast_call import ALIGNMENT, address_of
from anytile.dispatch.cpu.huge_pages import Room
from anytile.schedules.primitives.blocked_layout import layouts_of, packed_bytes
from anytile.vm.interpreter.kernels import Bound, BoundKernel
from anytile.vm.program.executable import Constant, KernelEntry, Laid

Array = NDArray[Any]


def raw(constant: Constant) -> Array:
    """A constant as it was given."""
    laid = constant.laid
    if laid is None:
        return constant.array
    try:
        elements = constant.array.view(np.dtype(laid.dtype).newbyteorder("<"))
        return layouts_of(laid.layout)[0].unpacked(elements, laid.shape).astype(laid.dtype, copy=False)
    except ValueError as error:
        raise SpecError(f"constant {constant.name}: {error}; compile the model again") from None


def packed(constant: Constant, kernels: tuple[Bound, ...], room: Room) -> Array:
    """The bytes that its kernel reads; the constant's own where they lie as the kernel wants them."""
    assert constant.packed is not None
    kernel, operand = _kernel(constant, kernels), constant.packed.operand
    wanted = kernel.packed_operand(operand)
    if not lies_packed(constant, kernels):
        return kernel.pack(operand, raw(constant), room)
    expected = kernel.loaded.size(wanted.size, [0] * len(kernel.dims))
    if constant.array.nbytes != expected:
        raise SpecError(f"constant {constant.name}: expected {expected} packed bytes, got {constant.array.nbytes}")
    if address_of(constant.array) % ALIGNMENT == 0:
        return constant.array
    copy = room(expected)  # it was read from something else than a mapped file
    copy[...] = constant.array
    return copy


def lies_packed(constant: Constant, kernels: tuple[Bound, ...]) -> bool:
    """Whether a constant for a kernel lies as that reads it, so that `packed` has nothing to do."""
    assert constant.packed is not None
    wanted = _kernel(constant, kernels).packed_operand(constant.packed.operand)
    return _fits(constant, wanted) and sys.byteorder == "little"  # files are


def as_packed(constant: Constant, entries: Sequence[KernelEntry]) -> Constant:
    """The constant as a file holds it: packed, if its kernel tells the layout. No code is run for it."""
    if constant.packed is None:
        return constant
    artifact, operand = entries[constant.packed.kernel].artifact, constant.packed.operand
    wanted = next((p for p in artifact.packed if p.operand == operand), None) if artifact is not None else None
    if wanted is None or not wanted.layout or _fits(constant, wanted):
        return constant
    lying = raw(constant)
    found = packed_bytes(layouts_of(wanted.layout), lying.astype(lying.dtype.newbyteorder("<"), copy=False))
    return replace(constant, array=found, laid=Laid(constant.dtype, constant.shape, wanted.layout))


def _fits(constant: Constant, wanted: Packed) -> bool:
    return constant.laid is not None and bool(wanted.layout) and constant.laid.layout == wanted.layout


def _kernel(constant: Constant, kernels: tuple[Bound, ...]) -> BoundKernel:
    assert constant.packed is not None
    kernel = kernels[constant.packed.kernel]
    if not isinstance(kernel, BoundKernel):
        raise SpecError(f"constant {constant.name}: {kernel.name} takes no packed operands")
    return kernel
