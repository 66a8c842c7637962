"""Constants of an executable, bound to this process: each packed as its kernel reads it, on its device, aligned.

One that lies as its kernel wants it is read where it is, in the mapped file; that is what processes share. Whole
numbers are copied.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence

from anytile.core.errors import SpecError
from anytile.dispatch.cpu.fast_call import ALIGNMENT, address_of, aligned_bytes
from anytile.dispatch.cpu.huge_pages import Arena, Room, constant_bytes
from anytile.schedules.hardware.target import usable_cores
from anytile.schedules.nest.stored_floats import is_float
from anytile.vm.interpreter.kernels import Bound, BoundKernel
from anytile.vm.program.executable import Array, Constant
from anytile.vm.program.isa import HOST
from anytile.vm.storage.packed_constants import has_layout, raw
from anytile.vm.values.devices import Device
from anytile.vm.values.values import Tensor, on_device, tensor_of


def bound_constants(
    constants: Sequence[Constant], kernels: tuple[Bound, ...], devices: Mapping[int, Device]
) -> tuple[Tensor, ...]:
    """Every constant; by several threads where some are packed anew, which takes long."""
    bound = functools.partial(bound_constant, kernels=kernels, devices=devices, room=Arena())
    if all(c.device != HOST or c.packed is None or _lies_packed(c, kernels) for c in constants):
        return tuple(map(bound, constants))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(usable_cores()) as pool:
        return tuple(pool.map(bound, constants))


def bound_constant(
    constant: Constant, kernels: tuple[Bound, ...], devices: Mapping[int, Device], room: Room = constant_bytes
) -> Tensor:
    """A constant as kernels read it: packed if it is for one of them, on its device, else as it lies in the file."""
    if constant.device != HOST:
        return on_device(constant.array, constant.device, devices[constant.device])
    array = constant.array if constant.packed is None else _packed(constant, kernels, room)
    # Whole numbers may be positions, which are looked at before they are read: no file may change them in between.
    as_it_lies = constant.packed is not None or is_float(array.dtype)
    if as_it_lies and array.flags.aligned and array.flags.c_contiguous:
        return tensor_of(array)
    copy = aligned_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return tensor_of(copy)


def _packed(constant: Constant, kernels: tuple[Bound, ...], room: Room) -> Array:
    """The bytes that its kernel reads; the constant's own where they lie as the kernel wants them."""
    assert constant.packed is not None
    kernel, operand = _kernel(constant, kernels), constant.packed.operand
    if not _lies_packed(constant, kernels):
        return kernel.pack(operand, raw(constant), room)
    expected = kernel.loaded.size(kernel.packed_operand(operand).size, [0] * len(kernel.dims))
    if constant.array.nbytes != expected:
        raise SpecError(f"constant {constant.name}: expected {expected} packed bytes, got {constant.array.nbytes}")
    if address_of(constant.array) % ALIGNMENT == 0:
        return constant.array
    copy = room(expected)  # it was read from something else than a mapped file
    copy[...] = constant.array
    return copy


def _lies_packed(constant: Constant, kernels: tuple[Bound, ...]) -> bool:
    """Whether a constant for a kernel lies as that reads it, so that there is nothing to pack."""
    assert constant.packed is not None
    wanted = _kernel(constant, kernels).packed_operand(constant.packed.operand)
    return has_layout(constant, wanted) and sys.byteorder == "little"  # files are


def _kernel(constant: Constant, kernels: tuple[Bound, ...]) -> BoundKernel:
    assert constant.packed is not None
    kernel = kernels[constant.packed.kernel]
    if not isinstance(kernel, BoundKernel):
        raise SpecError(f"constant {constant.name}: {kernel.name} takes no packed operands")
    return kernel
