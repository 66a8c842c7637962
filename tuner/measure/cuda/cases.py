"""Operands of a point as the device holds them, and what judges results: made by the host, or on the device itself.

What the host makes is random numbers, and a float64 reference that says all of a result. Where that would take minutes,
the operands are hashes of their elements' numbers, which any device fills in and whose few numpy computes likewise; the
reference is a plain kernel of the operator's definition, and both are compared where they lie. The reference itself
must agree with the host's float64 at a sample of outputs, so no kernel is judged by another that nobody judged.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.codegen.cuda.source import cuda_source
from anytile.codegen.cuda.values import OF_FLOAT, TO_FLOAT
from anytile.core.dtypes import BY_NAME, BYTES, HALVES
from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.device import CudaDevice, Memory
from anytile.dispatch.cuda.loaded import Frame, Ready
from anytile.schedules.index.expr import const
from anytile.schedules.nest.stored_floats import bits_of, from_bits, rounded
from anytile.schedules.operators import TensorSpec
from anytile.schedules.templates.cuda.nest_cuda import plainly
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.device_api import Failed, name_point, prepare_case
from anytile.tuner.measure.oracle import Case, CaseCache, Expected, cut_off, found_wrong, tolerance
from anytile.tuner.protocol.candidate import Point

Array = NDArray[Any]
MOST_ON_HOST = 1 << 33  # operations of a reference that numpy makes in half a second
_PRODUCTS = ("dense", "batch_matmul")  # whose result at some rows and columns needs those of the operands alone
_SAMPLED = 24  # places along each dimension of a result
_THREADS = 256
_MOST_BLOCKS = 1 << 14
_FOUND = 8  # bytes: how many elements are wrong, and the first of them
_SCALE = 2.0**-23
_FLOATS = ("float32", *HALVES)  # that operands made there have

_TEXT = """
__device__ __forceinline__ unsigned hashed(unsigned element, unsigned key) {
  unsigned h = element * 2654435769u + key;
  h = (h ^ h >> 16) * 2246822507u;
  h = (h ^ h >> 13) * 3266489909u;
  return h ^ h >> 16;
}
__device__ __forceinline__ TYPE element(unsigned i, unsigned key) {
  return OF_FLOAT((float)((int)(hashed(i, key) >> 8) - (1 << 23)) * 1.1920928955078125e-07f);
}
__device__ __forceinline__ void report(unsigned* found, unsigned i) {
  atomicAdd(found, 1u);
  atomicMin(found + 1, i);
}
extern "C" __global__ void __launch_bounds__(256) make(TYPE* to, long long count, long long key) {
  for (long long i = blockIdx.x * 256u + threadIdx.x; i < count; i += gridDim.x * 256u) {
    to[i] = element((unsigned)i, (unsigned)key);
  }
}
extern "C" __global__ void __launch_bounds__(256) untouched(const TYPE* there, unsigned* found, long long count,
                                                           long long key) {
  for (long long i = blockIdx.x * 256u + threadIdx.x; i < count; i += gridDim.x * 256u) {
    if (TO_FLOAT(there[i]) != TO_FLOAT(element((unsigned)i, (unsigned)key))) report(found, (unsigned)i);
  }
}
extern "C" __global__ void __launch_bounds__(256) compare(const TYPE* got, const TYPE* wanted, unsigned* found,
                                                         long long count, long long tolerance) {
  const float near = __int_as_float((int)tolerance);
  for (long long i = blockIdx.x * 256u + threadIdx.x; i < count; i += gridDim.x * 256u) {
    const float a = TO_FLOAT(got[i]), b = TO_FLOAT(wanted[i]);
    if (!(fabsf(a - b) <= near || a == b || (a != a && b != b))) report(found, (unsigned)i);
  }
}
"""


class Operands(Protocol):
    """The operands of one workload at one point, and what a right kernel makes of them."""

    def put(self, tensor: TensorSpec, address: int) -> None:
        """Fill an input in."""
        ...

    def untouched(self, tensor: TensorSpec, address: int) -> bool:
        """Whether an input is still what was put there."""
        ...

    def objection(self, tensor: TensorSpec, address: int) -> str | None:
        """What is wrong with an output, naming the first bad element; None where it is right."""
        ...


class MadeOnHost:
    """A case of the host's, for a device."""

    def __init__(self, device: CudaDevice, workload: Workload, point: Point, case: Case) -> None:
        self._device, self._workload, self._point, self._case = device, workload, dict(point), case

    @functools.cached_property
    def _bits(self) -> Mapping[str, Array]:
        dtypes = {t.name: self._workload.dtype_of(t) for t in self._workload.inputs}
        return {name: bits_of(self._case.inputs[name], dtype) for name, dtype in dtypes.items()}

    def put(self, tensor: TensorSpec, address: int) -> None:
        self._device.write(address, self._bits[tensor.name])

    def untouched(self, tensor: TensorSpec, address: int) -> bool:
        bits = self._bits[tensor.name]
        whole = np.ascontiguousarray(bits).reshape(-1).view(np.uint8)
        return np.array_equal(self._device.read(address, bits.nbytes), whole)

    def objection(self, tensor: TensorSpec, address: int) -> str | None:
        shape, dtype = self._workload.shape(tensor.name, self._point), self._workload.dtype_of(tensor)
        found = self._device.read(address, math.prod(shape) * BYTES[dtype])
        return self._case.outputs[tensor.name].difference(from_bits(found, dtype).reshape(shape))


def wants_device(workload: Workload, point: Point) -> bool:
    """Whether a point is made and judged on the device: too much for the host, and of a kind that can be."""
    floats = all(workload.dtype_of(t) in _FLOATS for t in workload.tensors)
    return workload.op in _PRODUCTS and floats and workload.flops(dict(point)) > MOST_ON_HOST


class MadeOnDevice:
    """Operands by hashes and a reference by a plain kernel. Makes the reference, and fails if the host disagrees."""

    def __init__(self, device: CudaDevice, workload: Workload, point: Point) -> None:
        self._device, self._workload, self._point = device, workload, dict(point)
        self._found: Memory = device.allocate(_FOUND)
        self._shapes = {t.name: workload.shape(t.name, self._point) for t in workload.tensors}
        self._functions = {
            dtype: {name: device.load(kernel) for name, kernel in _helpers(device.facts.arch, dtype).items()}
            for dtype in {workload.dtype_of(t) for t in workload.tensors}
        }
        (self._output,) = workload.outputs
        self._wanted: Memory = device.allocate(self.nbytes(self._output))
        self._make_reference()
        self._tolerance = self._agreed()

    def nbytes(self, tensor: TensorSpec) -> int:
        return math.prod(self._shapes[tensor.name]) * BYTES[self._workload.dtype_of(tensor)]

    def put(self, tensor: TensorSpec, address: int) -> None:
        self._each("make", tensor, (address,), (self._key(tensor),))

    def untouched(self, tensor: TensorSpec, address: int) -> bool:
        return self._counted("untouched", tensor, (address,), (self._key(tensor),))[0] == 0

    def objection(self, tensor: TensorSpec, address: int) -> str | None:
        near = int(np.float32(self._tolerance).view(np.int32))
        count, first = self._counted("compare", tensor, (address, self._wanted.address), (near,))
        if not count:
            return None
        got, wanted = (self._at(tensor, base, first) for base in (address, self._wanted.address))
        shape = self._shapes[tensor.name]
        place = tuple(int(i) for i in np.unravel_index(first, shape))
        return found_wrong(
            tensor.name, place, (float(got[0]), float(wanted[0])), self._tolerance, (count, math.prod(shape))
        )

    # -- how

    def _key(self, tensor: TensorSpec) -> int:
        return zlib.crc32(f"{self._workload} {tensor.name}".encode()) & 0x7FFFFFFF

    def _each(self, name: str, tensor: TensorSpec, pointers: Sequence[int], numbers: Sequence[int]) -> None:
        """Launch a helper over all elements of a tensor."""
        count = math.prod(self._shapes[tensor.name])
        function = self._functions[self._workload.dtype_of(tensor)][name]
        blocks = min(-(-count // _THREADS), _MOST_BLOCKS)
        if not blocks:
            return
        ready = Ready(function, (blocks, 1, 1), 0, (count, *numbers), (0, 0, 0))
        frame = Frame(len(pointers), ready)
        frame.values[: len(pointers)] = list(pointers)
        self._device.launch(function, ready.grid, 0, frame.address)

    def _counted(
        self, name: str, tensor: TensorSpec, pointers: Sequence[int], numbers: Sequence[int]
    ) -> tuple[int, int]:
        """How many elements a helper reports, and the first of them."""
        self._device.fill(self._found.address, 4, 0, 0)
        self._device.fill(self._found.address + 4, 4, 0xFF, 0)
        self._each(name, tensor, (*pointers, self._found.address), numbers)
        count, first = self._device.read(self._found.address, _FOUND).view(np.uint32)
        return int(count), int(first)

    def _make_reference(self) -> None:
        kernel = _reference(self._device.facts.arch, self._workload)
        function, launch = self._device.load(kernel), kernel.launch
        if (why := launch.objection(self._point)) is not None:
            raise Failed(Status.CONSTRAINT, f"the plain kernel that would judge it cannot run: {why}")
        held: list[Memory] = []
        pointers: list[int] = []
        for tensor in self._workload.tensors:
            if tensor.output:
                pointers.append(self._wanted.address)
                continue
            held.append(self._device.allocate(self.nbytes(tensor)))
            self.put(tensor, held[-1].address)
            pointers.append(held[-1].address)
        symbols = tuple(self._point[s] for s in self._workload.symbols)
        ready = Ready(function, launch.blocks(self._point), 0, symbols, (0, 0, 0))
        frame = Frame(len(pointers), ready)
        frame.values[: len(pointers)] = list(pointers)
        if not ready.empty:
            self._device.launch(function, ready.grid, 0, frame.address)
        self._device.synchronise()  # before what it reads is given back

    def _agreed(self) -> float:
        """How near is near, after the reference was found near what the host makes of a sample of it."""
        workload, sizes = self._workload, self._workload.sizes(self._point)
        rng = np.random.default_rng(0)
        chosen = {d: np.arange(sizes[d]) for t in workload.tensors for d in t.dims if d in sizes}
        for d in self._output.dims:
            some = rng.integers(0, sizes[d], _SAMPLED) if sizes[d] > _SAMPLED else np.arange(sizes[d])
            chosen[d] = np.unique([*some, *([sizes[d] - 1] if sizes[d] else [])]).astype(np.int64)
        inputs = {t.name: self._elements(t, _numbers(t, chosen, sizes)) for t in workload.inputs}
        expected = evaluate(workload, inputs)[self._output.name]
        dtype = workload.dtype_of(self._output)
        near = tolerance(expected, float(sizes["k"]), dtype, cut_off(workload, float(sizes["k"])))
        places = _numbers(self._output, chosen, sizes).reshape(-1)
        got = np.concatenate([self._at(self._output, self._wanted.address, int(i)) for i in places] or [expected[:0]])
        wrong = Expected(self._output.name, expected, near).difference(got.reshape(expected.shape))
        if wrong is not None:
            at = name_point(tuple(self._point.items()))
            raise MeasureError(f"{workload} at {at}: the plain kernel on the GPU is not to be trusted: {wrong}")
        return near

    def _at(self, tensor: TensorSpec, base: int, number: int) -> Array:
        """One element of a tensor that lies on the device."""
        dtype = self._workload.dtype_of(tensor)
        return from_bits(self._device.read(base + number * BYTES[dtype], BYTES[dtype]), dtype)

    def _elements(self, tensor: TensorSpec, numbers: Array) -> Array:
        return elements(numbers, self._key(tensor), self._workload.dtype_of(tensor))


class Cases:
    """The operands of late; of those made on the device the last alone, for they take its room."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._on_host = CaseCache()
        self._there: tuple[Workload, Point, MadeOnDevice] | None = None

    def prepare(self, workload: Workload, point: Point) -> None:
        """Make them, or say why the host's memory is too small; the device's own is its error."""
        if wants_device(workload, point):
            self.get(workload, point)
        else:
            prepare_case(self._on_host, workload, point)

    def get(self, workload: Workload, point: Point) -> Operands:
        if not wants_device(workload, point):
            return MadeOnHost(self._device, workload, point, self._on_host.get(workload, point))
        if self._there is None or self._there[:2] != (workload, point):
            self._there = None  # its room is free before another's is asked for
            self._there = workload, point, MadeOnDevice(self._device, workload, point)
        return self._there[2]


def elements(numbers: Array, key: int, dtype: str) -> Array:
    """What `make` puts at elements of these numbers, by numpy."""
    h = numbers.astype(np.uint32) * np.uint32(2654435769) + np.uint32(key)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(2246822507)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(3266489909)
    h ^= h >> np.uint32(16)
    values = ((h >> np.uint32(8)).astype(np.int64) - (1 << 23)) * _SCALE
    return rounded(values.astype(np.float32), dtype)


def _numbers(tensor: TensorSpec, chosen: Mapping[str, Array], sizes: Mapping[str, int]) -> Array:
    """The numbers of a tensor's elements at the chosen places along each of its dimensions."""
    at = np.zeros((1,) * len(tensor.dims), np.int64)
    for axis, d in enumerate(tensor.dims):
        shape = [1] * len(tensor.dims)
        shape[axis] = -1
        at = at * sizes[d] + chosen[d].reshape(shape)
    return at


@functools.cache
def _helpers(arch: str, dtype: str) -> dict[str, Kernel]:
    text = _TEXT.replace("TYPE", BY_NAME[dtype].cuda).replace("OF_FLOAT", OF_FLOAT.get(dtype, ""))
    text = PRELUDE_DEVICE + text.replace("TO_FLOAT", TO_FLOAT.get(dtype, ""))
    cubin, one = compile_cubin(text, arch).data, const(1)
    names = ("make", "untouched", "compare")
    return {name: Kernel(text, cubin, arch, Launch(name, (one, one, one), (_THREADS, 1, 1))) for name in names}


@functools.lru_cache(16)
def _reference(arch: str, workload: Workload) -> Kernel:
    source = cuda_source(plainly(workload), "reference")
    return Kernel(source.full, compile_cubin(source.full, arch).data, arch, source.launches[0])
