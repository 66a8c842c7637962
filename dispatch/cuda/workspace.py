"""Workspaces of one kernel: one for each stream, since calls on one stream follow each other and others do not.

They only ever grow, and none is given back while the kernel lives: a graph that was captured holds its address. While a
stream is being captured nothing can be allocated, so one workspace of the largest size so far stands ready for the next
stream that is met in a capture.
"""

from __future__ import annotations

import threading

from anytile.dispatch.cuda.device import CudaDevice, Memory
from anytile.dispatch.cuda.loaded import clear
from anytile.schedules.errors import ArgumentError


class Workspaces:
    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._of: dict[int, Memory] = {}
        self._spare: Memory | None = None
        self._kept: list[Memory] = []  # outgrown, and perhaps in a graph

    def address(self, stream: int, nbytes: int) -> int:
        """The stream's own workspace, of at least so many bytes."""
        memory = self._of.get(stream)
        if memory is None or memory.nbytes < nbytes:
            memory = self._grown(stream, nbytes)
        return memory.address

    def _grown(self, stream: int, nbytes: int) -> Memory:
        with self._lock:
            if self._device.capturing(stream):
                memory = self._spare
                if memory is None or memory.nbytes < nbytes:
                    raise ArgumentError(
                        "a kernel with a workspace is captured before its first call; call it once at this shape, "
                        "then capture"
                    )
                self._spare = None
            else:
                memory = self._made(nbytes, stream)
            if stream in self._of:
                self._kept.append(self._of[stream])
            self._of[stream] = memory
            if not self._device.capturing(stream) and (self._spare is None or self._spare.nbytes < nbytes):
                self._spare = self._made(nbytes, stream)
            return memory

    def _made(self, nbytes: int, stream: int) -> Memory:
        memory = self._device.allocate(nbytes)
        clear(self._device, memory.address, nbytes, stream)
        self._device.synchronise()  # cleared before any other stream may use it
        return memory
