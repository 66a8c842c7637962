"""Serialisation of packed constants: an executable file holds them packed as their kernels read them.

A session whose kernel wants the same layout reads such a constant where the file is mapped, and processes share it. For
another kernel (another machine, a newer template) the raw constant is recovered, from the layout that the file states
and without code, and packed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anytile.codegen.artifact import Packed
from anytile.core.errors import SpecError
from anytile.dispatch.arguments.operands import Operands
from anytile.schedules.primitives.blocked_layout import layouts_of, packed_bytes
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import Array, Constant, KernelEntry, Laid


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


def as_packed(constant: Constant, entries: Sequence[KernelEntry]) -> Constant:
    """The constant as a file holds it: packed, if its kernel tells the layout. No code is run for it."""
    if constant.packed is None:
        return constant
    entry, operand = entries[constant.packed.kernel], constant.packed.operand
    artifact = entry.artifact
    wanted = next((p for p in artifact.packed if p.operand == operand), None) if artifact is not None else None
    if wanted is None or not wanted.layout or has_layout(constant, wanted):
        return constant
    lying, workload = raw(constant), Workload.parse(entry.workload)
    Operands(workload).check_pairs(workload.tensor(operand), lying)
    found = packed_bytes(layouts_of(wanted.layout), lying.astype(lying.dtype.newbyteorder("<"), copy=False))
    return replace(constant, array=found, laid=Laid(constant.dtype, constant.shape, wanted.layout))


def has_layout(constant: Constant, wanted: Packed) -> bool:
    """Whether a constant lies packed in the very layout that a kernel states."""
    return constant.laid is not None and bool(wanted.layout) and constant.laid.layout == wanted.layout
