"""CUDA stream as a device of the machine: a GPU that does all that it is asked in order, on one stream of its own.

Since all is in order, memory that is dropped serves whoever asks next, though kernels that use it may not have begun:
nothing is given back to the driver in between, and nothing waits. One workspace serves all kernels for the same reason.
What others may read, on streams that nobody knows, serves again behind a wait for all of the GPU: several at once, when
memory is wanted. Of what is free the lowest is taken, so equal runs meet equal addresses, and kernels that run together
may have been recorded there as a graph. Invariant: under the lock a kernel's addresses, its workspace among them, are
those that the launch passes on.
"""

from __future__ import annotations

import functools
import heapq
import operator
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from anytile.codegen.artifact import Artifact
from anytile.core.errors import AnytileError, ArgumentError, SpecError
from anytile.core.printable import say
from anytile.dispatch.arguments.view import View
from anytile.dispatch.backends import cuda_device, require_arch
from anytile.dispatch.cuda.arrays import CUDA, CUDA_MANAGED, is_captured, view
from anytile.dispatch.cuda.batches.batch import Batch, Given, not_aligned
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import (
    BrokenContext,
    CudaDevice,
    DeviceLost,
    Graph,
    Memory,
    OutOfDeviceMemory,
    RecordingEnded,
)
from anytile.dispatch.cuda.loaded import Frame, Loaded, Ready, clear
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.runtime.pool_words import class_of
from anytile.vm.values.device_array import DeviceArray
from anytile.vm.values.devices import Copy, Launch, Room, Together
from anytile.vm.values.graph_cache import PLACES, GraphCache
from anytile.vm.values.grown import Grown
from anytile.vm.values.values import DeviceStorage

REMEMBERED_SIZES = 4096
TRIES = 8  # recordings that others may end before no more are tried
FEW = 3  # kernels that are launched as quickly as a graph of them
WAITING = 4  # blocks of a size that others might still read, before the GPU is waited for rather than more made
KEPT = 1 << 28  # bytes that are free or may be, beyond which what was handed out goes back to the driver
_Free = list[tuple[int, Memory]]  # a heap, by address
_Seen = tuple[_Free, Memory]  # memory that others may still read, and where it belongs when they do not


class _Block:
    """Memory of the stream, taken back when it is dropped."""

    __slots__ = ("_free", "_memory", "_others", "_seen", "address", "nbytes")

    def __init__(self, memory: Memory, nbytes: int, free: _Free, seen: list[_Seen]) -> None:
        self._memory, self._free, self._seen = memory, free, seen
        self._others = False
        self.address, self.nbytes = memory.address, nbytes

    def hand_out(self) -> None:
        self._others = True

    def __del__(self) -> None:
        if self._others:
            self._seen.append((self._free, self._memory))
        else:
            heapq.heappush(self._free, (self.address, self._memory))


class _Recorded(NamedTuple):
    """A graph, what it launches, and the memory that it works in."""

    graph: Graph
    batch: Batch
    room: _Block | None
    workspace: _Block | None


class StreamDevice:
    """See `Device`. Without a GPU of the caller's it is the one that kernels of this process run on; `graphs` is how
    many it keeps, and `tell` gets a line for the user where it can record none. Where it is `early` a kernel may begin
    while the one before it ends, on Hopper and newer GPUs."""

    def __init__(
        self,
        gpu: CudaDevice | None = None,
        graphs: int = PLACES,
        tell: Callable[[str], None] = lambda line: say(line, file=sys.stderr, flush=True),
        early: bool = False,
    ) -> None:
        self.gpu = cuda_device() if gpu is None else gpu
        self.stream, self._apart = self.gpu.new_stream(), self.gpu.new_stream()  # graphs are recorded apart
        self.grown: Grown[DeviceStorage] = Grown()
        self._lock = threading.RLock()
        self._free: dict[int, _Free] = {}  # by how large it is
        self._seen: list[_Seen] = []  # to which blocks that go add, in whatever thread
        self._workspace: _Block | None = None
        self._room: _Block | None = None  # of kernels that run together: the next ones begin when these are done
        self._tell, self._records, self._early, self._tries = tell, True, early, TRIES
        self._graphs: GraphCache[tuple[int, Room, tuple[int, ...]], _Recorded] = GraphCache(graphs)

    def load(self, artifact: Artifact, plan: DispatchPlan) -> _Kernel:
        require_arch(plan.target, self.gpu)
        try:
            code = CudaCode.of(artifact.code)
        except ValueError as error:
            raise SpecError(f"kernel for {plan.workload}: its code is damaged: {error}; compile it again") from None
        if code.plan.workload != plan.workload:
            raise SpecError(f"kernel for {plan.workload}: its code is for {code.plan.workload}; compile it again")
        return _Kernel(self, Loaded(code, self.gpu))

    def allocate(self, nbytes: int) -> _Block:
        _, size = class_of(nbytes)
        free = self._free.get(size)
        if free is None:
            free = self._free.setdefault(size, [])
        try:
            _, memory = heapq.heappop(free)
        except IndexError:
            memory = self._read(free) or self._fresh(size)
        return _Block(memory, nbytes, free, self._seen)

    def _read(self, free: _Free) -> Memory | None:
        """Memory of a size that others read, who are waited for once it is worth that; None where nothing is free."""
        with self._lock:
            count = len(self._seen)
            there = self._seen[:count]
            takes = sum(memory.nbytes for _, memory in there)
            if takes <= KEPT and sum(belongs is free for belongs, _ in there) < WAITING:
                return None
            del self._seen[:count]
            self.gpu.synchronise()
            takes = sum(size * len(held) for size, held in list(self._free.items()))
            for belongs, memory in there:
                takes += memory.nbytes
                if takes <= KEPT:
                    heapq.heappush(belongs, (memory.address, memory))
        try:
            return heapq.heappop(free)[1]
        except IndexError:
            return None

    def _fresh(self, size: int) -> Memory:
        """Memory of the driver's, for which what is free in other sizes goes back to it, if need be."""
        with self._lock:
            try:
                return self.gpu.allocate(size)
            except OutOfDeviceMemory:
                self._drop_free()
                self._graphs.clear()
                self._room = None
                self.gpu.synchronise()
                return self.gpu.allocate(size)

    def _drop_free(self) -> None:
        """Give the driver all memory back that nobody holds, when what uses it is done."""
        for free in list(self._free.values()):
            free.clear()
        self._seen.clear()

    def write(self, address: int, source: int, nbytes: int) -> None:
        if nbytes:
            self.gpu.upload(address, source, nbytes, self.stream)

    def read(self, address: int, into: int, nbytes: int) -> None:
        if nbytes:
            self.gpu.download(address, into, nbytes, self.stream)
            self.wait()

    def move(self, address: int, source: int, nbytes: int) -> None:
        if nbytes:
            self.gpu.move(address, source, nbytes, self.stream)

    def wait(self) -> None:
        self.gpu.wait(self.stream)

    @property
    def dlpack(self) -> tuple[int, int]:
        return CUDA, self.gpu.index

    def seen(self, where: str, array: Any) -> View | None:
        if isinstance(array, DeviceArray) and (own := array.seen_by(self)) is not None:
            return own
        asked = getattr(array, "__dlpack_device__", None)
        if asked is None or asked()[0] not in (CUDA, CUDA_MANAGED):
            return None
        if is_captured():
            raise ArgumentError(
                f"{where}: torch records a CUDA graph on its current stream, which a program waits for and cannot be a "
                "part of; call it outside of torch.cuda.graph"
            )
        found = view(where, array, self.stream, self.gpu.index)
        if not found.contiguous:
            raise ArgumentError(
                f"{where}: not contiguous (strides {found.strides} of shape {found.shape}); pass a copy"
            )
        return found

    def launch(self, kernel: _Kernel, addresses: Sequence[int], dims: tuple[int, ...]) -> None:
        with self._lock:
            ready, frame = kernel.at(dims)
            if ready.function is None:
                x, w, y = addresses
                self.gpu.multiply(kernel.loaded.workload.dtype, ready.sizes, x, w, y, self.stream)
            elif not ready.empty:
                if functools.reduce(operator.or_, addresses) % ready.align:
                    raise not_aligned(kernel.loaded, addresses, ready.align)
                frame.values[: len(addresses)] = list(addresses)
                if ready.workspace:
                    frame.values[len(addresses)] = self._scratch(ready.workspace)
                frame.map_tensors(self.gpu)
                self.gpu.launch(ready.function, ready.grid, self.stream, frame.address, self._early)

    def together(self, launches: Sequence[Launch]) -> Together:
        return _Together(self, Batch([_given(launch) for launch in launches], self.gpu))

    def run_together(self, batch: Batch, bases: Sequence[int], room: Room, copies: Sequence[Copy]) -> None:
        key = batch.number, room, tuple(bases)  # which outlives the batch
        with self._lock:
            found = None if batch.count <= FEW else self._graphs.find(key)
            if found is not None:
                self._send(copies, bases, room, found.room)
                found.graph.launch(self.stream)
                return
            at = self._room_of(room.nbytes)
            self._send(copies, bases, room, at)
            workspace = self._scratch(batch.workspace) if batch.workspace else 0
            due = self._records and batch.count > FEW and self._graphs.is_due(key)
            laid = room.laid(bases, 0 if at is None else at.address)
            work = functools.partial(batch.launch, laid, workspace, early=self._early)
            graph = self._graph_of(functools.partial(work, stream=self._apart)) if due else None
            if graph is None:
                work(stream=self.stream)
                return
            self._graphs.put(key, _Recorded(graph, batch, at, self._workspace))
            graph.launch(self.stream)

    def _send(self, copies: Sequence[Copy], bases: Sequence[int], room: Room, at: _Block | None) -> None:
        for base, source, nbytes in copies:
            if nbytes:
                behind = None if at is None else room.behind.get(base)
                address = bases[base] if behind is None or at is None else at.address + behind
                self.gpu.upload(address, source, nbytes, self.stream)

    def _room_of(self, nbytes: int) -> _Block | None:
        """Memory for kernels that run together. It grows by half at least, so that sizes that grow step by step leave
        little behind, and takes the place of what they took before anybody knew that they would run together."""
        held = self._room
        if nbytes and (held is None or held.nbytes < nbytes):
            self._drop_free()
            try:
                held = self.allocate(nbytes if held is None else max(nbytes, held.nbytes * 3 // 2))
            except OutOfDeviceMemory:
                held = self.allocate(nbytes)
            self._room = held
        return held if nbytes else None

    def _graph_of(self, work: Callable[[], None]) -> Graph | None:
        """A graph that is launched on the stream; None where none can be recorded, and then no more is tried, or where
        another thread ended it."""
        try:
            return self.gpu.record(self._apart, work, replayed_on=self.stream)
        except (ArgumentError, BrokenContext, DeviceLost):
            raise  # launched one by one it would be no better
        except AnytileError as error:
            self._tries -= 1
            if isinstance(error, RecordingEnded) and self._tries:
                return None
            self._records = False
            self._tell(f"note: CUDA graphs cannot be recorded here, and kernels are launched one by one: {error}")
            return None

    def _scratch(self, nbytes: int) -> int:
        """The workspace of what is launched next, whose counters are zero then."""
        if self._workspace is None or self._workspace.nbytes < nbytes:
            self._workspace = self.allocate(nbytes)
            clear(self.gpu, self._workspace.address, nbytes, self.stream)
        return self._workspace.address


@dataclass(frozen=True, slots=True)
class _Together:
    device: StreamDevice
    batch: Batch

    def __call__(self, bases: Sequence[int], room: Room, copies: Sequence[Copy]) -> None:
        self.device.run_together(self.batch, bases, room, copies)

    def changed(self, launches: Mapping[int, Launch]) -> _Together:
        given = {at: _given(launch) for at, launch in launches.items()}
        return _Together(self.device, self.batch.changed(given))


def _given(launch: Launch) -> Given:
    kernel = launch.run
    assert isinstance(kernel, _Kernel), "a kernel of another device"
    ready, _ = kernel.at(launch.dims)
    return Given(kernel.loaded, ready, launch.operands)


class _Kernel:
    """A plan's kernels on the device; what runs at some sizes, and the frame it is launched with, is made once."""

    def __init__(self, device: StreamDevice, loaded: Loaded) -> None:
        self._device, self.loaded = device, loaded
        self._at: dict[tuple[int, ...], tuple[Ready, Frame]] = {}

    def __call__(self, addresses: Sequence[int], dims: tuple[int, ...]) -> None:
        self._device.launch(self, addresses, dims)

    def at(self, dims: tuple[int, ...]) -> tuple[Ready, Frame]:
        known = self._at.get(dims)
        if known is None:
            loaded = self.loaded
            ready = loaded.at(dict(zip(loaded.workload.symbols, dims, strict=True)))
            if len(self._at) >= REMEMBERED_SIZES:
                self._at.clear()
            known = self._at[dims] = ready, loaded.frame(ready, [0] * loaded.tensors, 0)
        return known
