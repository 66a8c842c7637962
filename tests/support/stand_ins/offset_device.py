"""Second device for tests that is really this machine, at offset addresses.

Whoever follows one of them from the host crashes at once, and it refuses addresses that are not its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.fast_call import address_of, aligned_bytes

_OFFSET = 1 << 60  # no host pointer has this bit


class SimulatedBlock:
    """Memory of the device."""

    def __init__(self, device: SimulatedDevice, nbytes: int) -> None:
        self._memory = aligned_bytes(max(nbytes, 1))
        self.nbytes, self.address = nbytes, address_of(self._memory) + _OFFSET
        self._device = device
        device.live[self.address] = nbytes

    def __del__(self) -> None:
        del self._device.live[self.address]


class SimulatedDevice:
    """Counts what crosses to and from it."""

    def __init__(self) -> None:
        self.live: dict[int, int] = {}
        self.reads = self.writes = self.runs = 0

    def _host(self, address: int) -> int:
        if not any(start <= address <= start + n for start, n in self.live.items()):
            raise AssertionError(f"{address:#x} is no address of this device")
        return address - _OFFSET

    def allocate(self, nbytes: int) -> SimulatedBlock:
        return SimulatedBlock(self, nbytes)

    def read(self, address: int, nbytes: int) -> bytes:
        self.reads += 1
        return ctypes.string_at(self._host(address), nbytes)

    def write(self, address: int, data: bytes) -> None:
        self.writes += 1
        ctypes.memmove(self._host(address), data, len(data))

    def run(self, kernel: Loaded, data: Sequence[int], dims: Sequence[int], workspace: int) -> int:
        self.runs += 1
        room = aligned_bytes(workspace)
        return kernel.call(kernel.artifact.entry, [self._host(a) for a in data], dims, address_of(room))
