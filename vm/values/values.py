"""What registers hold: tensors, storage (see `memory`), values of algebraic data types, closures.

A tensor is a view of memory that something keeps alive: a storage, an array of the user's, the mapped file. It knows
its device; one that is off the host is never read here. Constants and inputs are read-only and stay as they are.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any as AnyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ArgumentError, ResourceError, UnsupportedError
from anytile.core.plurals import counted
from anytile.dispatch.cpu.fast_call import address_of
from anytile.schedules.nest.stored_floats import array_dtype, from_bits
from anytile.schedules.workloads.workload import MAX_DIM
from anytile.vm.program.executable import dtype_name
from anytile.vm.program.isa import DTYPES, HOST, ITEMSIZE, MAX_BYTES, MAX_RANK
from anytile.vm.program.sizes import element_count
from anytile.vm.runtime.tensor_words import (
    ADDRESS,
    CODE,
    CODES,
    ELEMENTS,
    FLAGS,
    HEAD,
    OFF_HOST,
    ONES,
    READ_ONLY,
    WORDS,
)
from anytile.vm.values.devices import Block, Device
from anytile.vm.values.memory import Pool, Storage

Array = NDArray[AnyType]
T = TypeVar("T")
_FORMATS = {"float32": struct.Struct("=f"), "int32": struct.Struct("=i"), "int64": struct.Struct("=q")}
_FORMATS |= {"bool": struct.Struct("=?"), "uint8": struct.Struct("=B"), "int8": struct.Struct("=b")}
_FORMATS |= {"float64": struct.Struct("=d"), "float16": struct.Struct("=e"), "int16": struct.Struct("=h")}
_FORMATS |= {"uint16": struct.Struct("=H"), "uint32": struct.Struct("=I"), "uint64": struct.Struct("=Q")}
_FORMATS |= {name: _FORMATS[BY_NAME[name].bits_as] for name in DTYPES if BY_NAME[name].bits_as}
_KINDS = tuple(np.dtype(BY_NAME[name].numpy).str for name in DTYPES)


class Tensor:
    """A tensor somewhere. `words` are those of `tensor_words`, `keeps` is what the memory belongs to."""

    __slots__ = ("_number", "_shape", "device", "keeps", "words")

    def __init__(
        self,
        words: bytes,
        keeps: object,
        device: int = HOST,
        shape: tuple[int, ...] | None = None,
        number: int | None = None,
    ) -> None:
        self.words, self.keeps, self.device = words, keeps, device
        self._shape = shape
        self._number = number  # the element of a scalar that never changes

    @property
    def shape(self) -> tuple[int, ...]:
        if self._shape is None:
            unpacked = WORDS.unpack(self.words)
            self._shape = unpacked[5 : 5 + unpacked[3]]
        return self._shape

    @property
    def address(self) -> int:
        return int(HEAD.unpack_from(self.words)[ADDRESS])

    @property
    def elements(self) -> int:
        return int(HEAD.unpack_from(self.words)[ELEMENTS])

    @property
    def dtype(self) -> str:
        name: str = DTYPES[HEAD.unpack_from(self.words)[CODE]]
        return name

    @property
    def nbytes(self) -> int:
        return self.elements * ITEMSIZE[self.dtype]

    @property
    def read_only(self) -> bool:
        return bool(HEAD.unpack_from(self.words)[FLAGS] & READ_ONLY)

    @property
    def __array_interface__(self) -> dict[str, AnyType]:
        if self.device != HOST:
            raise ArgumentError(f"a tensor on device {self.device} cannot be read from the host; copy it first")
        address, _, code, rank, flags, *dims = WORDS.unpack(self.words)
        shape, is_read_only = tuple(dims[:rank]), bool(flags & READ_ONLY)
        return {"version": 3, "shape": shape, "typestr": _KINDS[code], "data": (address, is_read_only)}

    def looked_at(self) -> Tensor:
        """The same memory, read-only."""
        return tensor_at(self.address, self.shape, self.dtype, self.keeps, read_only=True, device=self.device)

    def array(self) -> Array:
        """A view as an array, which keeps the memory."""
        found = np.asarray(self)
        return found.view(array_dtype(self.dtype)) if BY_NAME[self.dtype].bits_as else found

    def scalar(self) -> int | float | bool:
        """The one element of a tensor on the host."""
        if self._number is not None:
            return self._number
        address, elements, code, *_ = WORDS.unpack(self.words)
        if elements != 1 or self.device != HOST:
            raise ArgumentError(f"expected a scalar on the host, got shape {self.shape} on device {self.device}")
        row = BY_NAME[DTYPES[code]]
        form = _FORMATS[row.name]
        value: int | float | bool = form.unpack(ctypes.string_at(address, form.size))[0]
        return float(from_bits(np.array(value, row.bits_as), row.name)) if row.bits_as else value

    def ints(self) -> tuple[int, ...]:
        """The elements of an int64 tensor on the host."""
        if self._number is not None:
            return (self._number,)
        address, elements, code, *_ = WORDS.unpack(self.words)
        if DTYPES[code] != "int64" or self.device != HOST:
            raise ArgumentError(f"expected int64 on the host, got {DTYPES[code]} on device {self.device}")
        return tuple((ctypes.c_int64 * elements).from_address(address)) if elements else ()

    def __repr__(self) -> str:
        return f"Tensor({self.dtype}{list(self.shape)} on device {self.device})"


class Adt:
    """A value of an algebraic data type, or a tuple."""

    __slots__ = ("fields", "tag")

    def __init__(self, tag: int, fields: tuple[AnyType, ...]) -> None:
        self.tag, self.fields = tag, fields


class Closure:
    """A function with its first arguments."""

    __slots__ = ("captured", "function")

    def __init__(self, function: int, captured: tuple[AnyType, ...]) -> None:
        self.function, self.captured = function, captured


def tensor_at(
    address: int,
    shape: Sequence[int],
    dtype: str,
    keeps: object,
    read_only: bool = False,
    device: int = HOST,
) -> Tensor:
    """A tensor that lies at an address."""
    shape = tuple(shape)
    if len(shape) > MAX_RANK:
        raise UnsupportedError(f"a tensor of shape {shape}: expected at most {MAX_RANK} dimensions; reshape it")
    flags = (READ_ONLY if read_only else 0) | (OFF_HOST if device != HOST else 0)
    dims = (*shape, *ONES[len(shape)])
    return Tensor(WORDS.pack(address, math.prod(shape), CODES[dtype], len(shape), flags, *dims), keeps, device, shape)


def tensor_of(array: Array) -> Tensor:
    """A read-only tensor that is an array's memory; the array is contiguous and of a dtype of the machine."""
    return tensor_at(address_of(array), array.shape, dtype_name(array.dtype), array, read_only=True)


def tensor_of_ints(values: Sequence[int]) -> Tensor:
    """A shape, or anything else that is an int64 tensor of one dimension."""
    return tensor_of(np.array(values, np.int64))


@functools.lru_cache(1 << 10)
def scalar_of(value: int) -> Tensor:
    """An int64 scalar; read-only, so one serves everybody."""
    made = tensor_of(np.array(value, np.int64))
    return Tensor(made.words, made.keeps, shape=(), number=value)


class DeviceStorage:
    """Memory of a device beside the host; `filled` as that of a `Storage`."""

    __slots__ = ("__weakref__", "address", "block", "device", "filled", "nbytes")

    def __init__(self, block: Block, device: int) -> None:
        self.block, self.device, self.filled = block, device, 0
        self.address, self.nbytes = block.address, block.nbytes


def on_device(array: Array, number: int, device: Device) -> Tensor:
    """A read-only copy of an array on a device."""
    return _sent(array, number, device).looked_at()


def _sent(array: Array, number: int, device: Device) -> Tensor:
    """A new tensor on a device with an array's elements."""
    data = np.ascontiguousarray(array)
    storage = DeviceStorage(device.allocate(data.nbytes), number)
    device.write(storage.address, address_of(data), data.nbytes)
    return place(storage, 0, array.shape, array.dtype.name)


Memory = Storage | DeviceStorage
Value = Tensor | Adt | Closure | Memory


def expect(kind: type[T], value: object) -> T:
    """A value as what it must be."""
    if not isinstance(value, kind):
        raise unexpected(kind, value)
    return value


def unexpected(kind: type, value: object) -> ArgumentError:
    return ArgumentError(f"expected a {kind.__name__.lower()}, got a {type(value).__name__.lower()}")


def place(storage: Memory, offset: int, shape: Sequence[int], dtype: str) -> Tensor:
    """A tensor in storage, which it must lie in entirely."""
    _require_sizes(shape)
    nbytes = element_count(shape, ITEMSIZE[dtype]) * ITEMSIZE[dtype]
    if offset < 0 or offset % ITEMSIZE[dtype] or offset + nbytes > storage.nbytes:
        raise ArgumentError(
            f"a {dtype} tensor of shape {tuple(shape)} at byte {offset} "
            f"does not lie in storage of {storage.nbytes} bytes"
        )
    return tensor_at(storage.address + offset, shape, dtype, storage, device=storage.device)


def reshaped(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The first elements of a tensor under another shape."""
    _require_sizes(shape)
    if element_count(shape, 1) > tensor.elements:
        raise ArgumentError(f"expected a shape of at most {counted(tensor.elements, 'element')}, got {tuple(shape)}")
    return tensor_at(tensor.address, shape, tensor.dtype, tensor.keeps, tensor.read_only, tensor.device)


def appended(tensor: Tensor, rows: Tensor, axis: int, dtype: str, pool: Pool, devices: Mapping[int, Device]) -> Tensor:
    """A tensor with rows behind its own along an axis, before which all dimensions are 1.

    A tensor that takes all that is filled of its storage is the last that was made there: what lies behind is nobody's.
    """
    own, more = tensor.shape, rows.shape
    fit = axis < len(own) == len(more) and own[axis + 1 :] == more[axis + 1 :]
    if not fit or {*own[:axis], *more[:axis]} - {1} or {tensor.dtype, rows.dtype} != {dtype}:
        raise ArgumentError(
            f"expected {dtype} tensors that are alike but in dimension {axis}, and 1 before it; got {tensor} and {rows}"
        )
    if tensor.device != rows.device:
        raise ArgumentError(f"expected tensors on one device, got {tensor} and {rows}")
    shape = (*own[:axis], own[axis] + more[axis], *own[axis + 1 :])
    _require_sizes(shape)
    if tensor.device != HOST:
        there = _longer(tensor, rows, devices[tensor.device])
        return tensor_at(there.address, shape, dtype, there, device=tensor.device)
    held, nbytes, storage = tensor.nbytes, tensor.nbytes + rows.nbytes, tensor.keeps
    at_end = isinstance(storage, Storage) and storage.filled == held > 0 and storage.address == tensor.address
    if not isinstance(storage, Storage) or not at_end or nbytes > storage.nbytes:
        storage = _with_room(nbytes, pool)
        ctypes.memmove(storage.address, tensor.address, held)
    ctypes.memmove(storage.address + held, rows.address, rows.nbytes)
    storage.filled = nbytes
    return tensor_at(storage.address, shape, dtype, storage)


def _with_room(nbytes: int, pool: Pool) -> Storage:
    """Memory for so many bytes, and for half as many more where the pool has so much."""
    try:
        return pool.allocate(min(nbytes + nbytes // 2, MAX_BYTES))
    except ResourceError:
        return pool.allocate(nbytes)


def _longer(tensor: Tensor, rows: Tensor, device: Device) -> DeviceStorage:
    """The storage of a tensor with rows behind its own, on a device."""
    held, nbytes = tensor.nbytes, tensor.nbytes + rows.nbytes
    storage = device.grown.longer(tensor.address, held, nbytes)
    if storage is None:
        try:
            block = device.allocate(min(nbytes + nbytes // 2, MAX_BYTES))
        except ResourceError:
            block = device.allocate(nbytes)
        storage = DeviceStorage(block, tensor.device)
        storage.filled = nbytes
        device.grown.keep(storage)
        device.move(storage.address, tensor.address, held)
    device.move(storage.address + held, rows.address, rows.nbytes)
    return storage


def copied(tensor: Tensor, origin: int, to: int, pool: Pool, devices: Mapping[int, Device]) -> Tensor:
    """A tensor of one device as a new one on another, by way of the host; an input may have come from there."""
    if tensor.device == to:
        return tensor
    if tensor.device != origin:
        raise ArgumentError(f"expected a tensor on device {origin}, got one on {tensor.device}")
    if to == HOST:
        nbytes = tensor.nbytes
        storage = pool.allocate(nbytes)
        devices[origin].read(tensor.address, storage.address, nbytes)
        return tensor_at(storage.address, tensor.shape, tensor.dtype, storage)
    array = tensor.array() if origin == HOST else read(devices[origin], tensor.address, tensor.shape, tensor.dtype)
    return _sent(array, to, devices[to])


def doubled(tensor: Tensor, device: Device) -> Tensor:
    """A tensor of a device as a new one there."""
    storage = DeviceStorage(device.allocate(tensor.nbytes), tensor.device)
    device.move(storage.address, tensor.address, tensor.nbytes)
    return place(storage, 0, tensor.shape, tensor.dtype)


def read(device: Device, address: int, shape: Sequence[int], dtype: str) -> Array:
    """What lies on a device, as an array of the host."""
    found = np.empty(shape, array_dtype(dtype))
    device.read(address, address_of(found), found.nbytes)
    return found


def copy_of(array: Array, dtype: str, pool: Pool) -> Tensor:
    """A copy in a pool's memory, whose limit may refuse it."""
    made = place(pool.allocate(array.size * ITEMSIZE[dtype]), 0, array.shape, dtype)
    made.array()[...] = array
    return made


def _require_sizes(shape: Sequence[int]) -> None:
    if any(not 0 <= d <= MAX_DIM for d in shape):
        raise ArgumentError(f"a tensor of shape {tuple(shape)}: expected sizes from 0 to {MAX_DIM}")
