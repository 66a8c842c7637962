"""Workspace allocator of a kernel: one for each stream, since calls on one stream follow each other and others do not.

A graph may be replayed on any stream, beside calls on the one that it was captured on: what is captured on a stream has
a workspace apart from that of the stream's calls. Graphs captured on the same stream share theirs, and are to be
replayed one after another. Workspaces only ever grow, and none is given back while the kernel lives: a graph holds its
address. While a stream is being captured nothing can be allocated, so workspaces of the largest size so far stand ready
for the next streams that are captured: for a capture of one, and the one that it forks to.
"""

from __future__ import annotations

import threading

from anytile.core.errors import ArgumentError
from anytile.dispatch.cuda.device import CudaDevice, Memory
from anytile.dispatch.cuda.loaded import clear

_READY = 2


class Workspaces:
    """The scratch memory of one kernel on its device, by stream and by capture."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._of: dict[int, Memory] = {}
        self._captured: dict[int, Memory] = {}  # by the stream of the capture
        self._spare: list[Memory] = []
        self._kept: list[Memory] = []  # outgrown, and perhaps in a graph

    def address(self, stream: int, nbytes: int) -> int:
        """The stream's own workspace, of at least so many bytes; in a capture the one of its graphs."""
        captures = self._device.capturing(stream)
        memory = (self._captured if captures else self._of).get(stream)
        if memory is None or memory.nbytes < nbytes or (not captures and len(self._spare) < _READY):
            memory = self._grown(stream, nbytes, captures)
        return memory.address

    def _grown(self, stream: int, nbytes: int, captures: bool) -> Memory:
        with self._lock:
            held = self._captured if captures else self._of
            memory = held.get(stream)
            if memory is None or memory.nbytes < nbytes:
                if memory is not None:
                    self._kept.append(memory)
                memory = held[stream] = self._taken(nbytes) if captures else self._made(nbytes, stream)
            if not captures:
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
        self._device.synchronise()  # cleared before any other stream may use it
        return memory
