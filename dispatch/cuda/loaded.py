"""Kernel launches of a CUDA plan: what runs at given sizes, and the frames through which arguments are passed.

Loading is done once; what runs at some sizes is worked out once per size and is plain numbers from then on. A frame is
the driver's table of arguments: pointers change with every call, sizes stay. One frame serves one call at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.codegen.cuda.launch import COUNTERS, MAP_BYTES
from anytile.core.errors import ResourceError, UnsupportedError
from anytile.dispatch.cuda.code import CudaCode, Kernel
from anytile.dispatch.cuda.device import CudaDevice, Function
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True, slots=True)
class Mapped:
    """A tensor that a kernel is given as a map: its number, its sizes, those of a box, and how far elements of one are
    apart."""

    tensor: int
    dtype: str
    sizes: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """What runs at some sizes: a kernel on a grid, or (without one) the library's product of `sizes`."""

    function: Function | None
    grid: tuple[int, int, int]
    workspace: int  # bytes, of which the first `COUNTERS` are zero before and after every launch
    symbols: tuple[int, ...]
    sizes: tuple[int, int, int]
    align: int = 4  # addresses must be multiples of it
    maps: tuple[Mapped, ...] = ()

    @property
    def empty(self) -> bool:
        """The driver refuses a grid without blocks: there is nothing to do."""
        return self.function is not None and 0 in self.grid


class Frame:
    """The arguments of one launch; `address` is what the driver takes.

    Where the kernel takes maps of its tensors, `map_tensors` comes after the tensors' addresses and before the launch.
    """

    __slots__ = ("_known", "_maps", "_room", "_table", "address", "maps", "values")

    def __init__(self, tensors: int, ready: Ready) -> None:
        pointers = tensors + (ready.workspace > 0)
        count = pointers + len(ready.symbols)
        self.values = (ctypes.c_int64 * count)(*([0] * pointers), *ready.symbols)
        first, self.maps = ctypes.addressof(self.values), ready.maps
        self._room = ctypes.create_string_buffer((len(ready.maps) + 1) * MAP_BYTES)
        start = -(-ctypes.addressof(self._room) // MAP_BYTES) * MAP_BYTES
        self._maps = tuple(start + MAP_BYTES * i for i in range(len(ready.maps)))
        self._known = [0] * len(ready.maps)  # the addresses that maps are of
        self._table = (ctypes.c_void_p * (count + len(ready.maps)))(*(first + 8 * i for i in range(count)), *self._maps)
        self.address = ctypes.addressof(self._table)

    def map_tensors(self, device: CudaDevice) -> None:
        for number, one in enumerate(self.maps):
            address = self.values[one.tensor]
            if address != self._known[number]:
                found = device.tensor_map(address, one.dtype, one.sizes, one.box, one.steps)
                ctypes.memmove(self._maps[number], found, MAP_BYTES)
                self._known[number] = address


class Loaded:
    """The kernels of a plan in one device's memory."""

    def __init__(self, code: CudaCode, device: CudaDevice) -> None:
        self.code = code
        self.device = device
        self.workload: Workload = code.plan.workload
        self.tensors = len(self.workload.tensors)
        self._functions: dict[Kernel, Function] = {}
        for placed in code.kernels:
            if placed.kernel not in self._functions:
                self._functions[placed.kernel] = device.load(placed.kernel)

    def at(self, symbols: Mapping[str, int]) -> Ready:
        """What runs at these values of the workload's symbols."""
        plan = self.code.plan
        chosen = self.code.at(None if plan.symbol is None else symbols[plan.symbol])
        values = tuple(symbols[s] for s in self.workload.symbols)
        if isinstance(chosen, str):
            return Ready(None, (1, 1, 1), 0, values, _product(self.workload, symbols))
        launch = chosen.kernel.launch
        objection = launch.objection(symbols)
        if objection is not None:
            raise ResourceError(f"{self.workload}: {objection}; split the work")
        workspace = launch.workspace.evaluate(symbols)
        kernel, grid = chosen.kernel, launch.blocks(symbols)
        maps = tuple(Mapped(m.tensor, m.dtype, tuple(e.evaluate(symbols) for e in m.sizes), m.box, m.steps)
                     for m in launch.maps)  # fmt: skip
        return Ready(self._functions[kernel], grid, workspace, values, (0, 0, 0), kernel.align, maps)

    def run(self, ready: Ready, pointers: Sequence[int], workspace: int, stream: int, early: bool = False) -> None:
        """One launch with a frame of its own; the shortest way is `CudaKernel`'s."""
        if ready.function is None:
            x, w, y = pointers
            self.device.multiply(self.workload.dtype, ready.sizes, x, w, y, stream)
        elif not ready.empty:
            frame = self.frame(ready, pointers, workspace)  # must live until the driver has copied it
            frame.map_tensors(self.device)
            self.device.launch(ready.function, ready.grid, stream, frame.address, early)

    def frame(self, ready: Ready, pointers: Sequence[int], workspace: int) -> Frame:
        frame = Frame(self.tensors, ready)
        frame.values[: self.tensors] = list(pointers)
        if ready.workspace:
            frame.values[self.tensors] = workspace
        return frame


def clear(device: CudaDevice, address: int, nbytes: int, stream: int) -> None:
    """Make fresh memory a workspace: its counters are zero, what else is in it nobody reads before it was written."""
    device.fill(address, min(nbytes, COUNTERS), 0, stream)


def _product(workload: Workload, symbols: Mapping[str, int]) -> tuple[int, int, int]:
    if workload.op != "dense" or workload.tail or workload.stored:
        raise UnsupportedError(f"{workload}: no library call is known for it; tune it again")
    sizes = workload.sizes(symbols)
    return sizes["m"], sizes["n"], sizes["k"]
