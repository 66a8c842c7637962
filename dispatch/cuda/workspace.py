"""Workspace allocator of a kernel: one for each queue, since work of one queue is in order and of others is not.

A graph may be replayed on any stream, beside calls and other graphs, also those that were captured on the same stream:
every capture has workspaces of its own. They only ever grow, and none is given back while the kernel lives: a graph
holds its address. While a stream is being captured nothing can be allocated, so workspaces of the largest size so far
stand ready for what is captured next: for a capture of one stream, and the one that it forks to.
"""

from __future__ import annotations

import threading

from anytile.core.errors import ArgumentError
from anytile.dispatch.cuda.device import CudaDevice, Memory, Queue
from anytile.dispatch.cuda.loaded import clear

_READY = 2


class Workspaces:
    """The scratch memory of one kernel on its device, by queue."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._of: dict[Queue, Memory] = {}
        self._spare: list[Memory] = []
        self._kept: list[Memory] = []  # outgrown, and perhaps in a graph

    def address(self, stream: int, nbytes: int) -> int:
        """The workspace of what the stream's work is now in order with, of at least so many bytes."""
        queue = self._device.queue(stream)
        memory = self._of.get(queue)
        if memory is None or memory.nbytes < nbytes or (not queue.capture and len(self._spare) < _READY):
            memory = self._grown(queue, stream, nbytes)
        return memory.address

    def _grown(self, queue: Queue, stream: int, nbytes: int) -> Memory:
        with self._lock:
            memory = self._of.get(queue)
            if memory is None or memory.nbytes < nbytes:
                if memory is not None:
                    self._kept.append(memory)
                memory = self._of[queue] = self._taken(nbytes) if queue.capture else self._made(nbytes, stream)
            if not queue.capture:
                self._spare = [m for m in self._spare if m.nbytes >= nbytes]
                largest = max(m.nbytes for m in (*self._of.values(), *self._spare))
                self._spare += [self._made(largest, stream) for _ in range(_READY - len(self._spare))]
            return memory

    def _taken(self, nbytes: int) -> Memory:
        """The one that stands ready."""
        if not self._spare or self._spare[-1].nbytes < nbytes:
            raise ArgumentError(
                "no workspace is ready for what is captured here; call the kernel once at this shape outside of a "
                "capture, then capture"
            )
        return self._spare.pop()

    def _made(self, nbytes: int, stream: int) -> Memory:
        memory = self._device.allocate(nbytes)
        clear(self._device, memory.address, nbytes, stream)
        self._device.wait(stream)  # cleared before any other stream may use it
        return memory
