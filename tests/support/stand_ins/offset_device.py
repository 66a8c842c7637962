"""Second device for tests that is really this machine, at offset addresses.

Whoever follows one of them from the host crashes at once, and it refuses addresses that are not its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.fast_call import address_of, aligned_bytes
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.values.devices import Copy, Launch, Room, Run, Together
from anytile.vm.values.grown import Grown
from anytile.vm.values.values import DeviceStorage

_OFFSET = 1 << 60  # no host pointer has this bit


@dataclass(frozen=True)
class _InTurn:
    device: SimulatedDevice
    launches: tuple[Launch, ...]

    def __call__(self, bases: Sequence[int], room: Room, copies: Sequence[Copy]) -> None:
        block = self.device.allocate(room.nbytes)
        laid = room.laid(bases, block.address)
        for base, source, nbytes in copies:
            self.device.write(laid[base], source, nbytes)
        for launch in self.launches:
            launch.run([laid[base] + behind for base, behind in launch.operands], launch.dims)

    def changed(self, launches: Mapping[int, Launch]) -> _InTurn:
        return _InTurn(self.device, tuple(launches.get(at, launch) for at, launch in enumerate(self.launches)))


class SimulatedBlock:
    """Memory of the device."""

    def __init__(self, device: SimulatedDevice, nbytes: int) -> None:
        self._memory = aligned_bytes(max(nbytes, 1))
        self.nbytes, self.address = nbytes, address_of(self._memory) + _OFFSET
        self._device = device
        device.live[self.address] = nbytes

    def hand_out(self) -> None:
        """Its memory is nobody else's as long as it lives."""

    def __del__(self) -> None:
        del self._device.live[self.address]


class SimulatedDevice:
    """Counts what crosses to and from it."""

    def __init__(self) -> None:
        self.live: dict[int, int] = {}
        self.reads = self.writes = self.moves = self.runs = 0
        self.grown: Grown[DeviceStorage] = Grown()

    def _host(self, address: int) -> int:
        if not any(start <= address <= start + n for start, n in self.live.items()):
            raise AssertionError(f"{address:#x} is no address of this device")
        return address - _OFFSET

    def allocate(self, nbytes: int) -> SimulatedBlock:
        return SimulatedBlock(self, nbytes)

    def read(self, address: int, into: int, nbytes: int) -> None:
        self.reads += 1
        ctypes.memmove(into, self._host(address), nbytes)

    def write(self, address: int, source: int, nbytes: int) -> None:
        self.writes += 1
        ctypes.memmove(self._host(address), source, nbytes)

    def move(self, address: int, source: int, nbytes: int) -> None:
        self.moves += 1
        ctypes.memmove(self._host(address), self._host(source), nbytes)

    def together(self, launches: Sequence[Launch]) -> Together:
        return _InTurn(self, tuple(launches))

    def wait(self) -> None:
        """All is done when it is asked."""

    @property
    def dlpack(self) -> tuple[int, int]:
        return 12, 0  # DLPack's word for devices that it does not know

    def seen(self, where: str, array: object) -> None:
        """Nobody has arrays there."""

    def load(self, artifact: Artifact, plan: DispatchPlan) -> Run:
        kernel = Loaded(artifact)

        def run(addresses: Sequence[int], dims: tuple[int, ...]) -> None:
            self.runs += 1
            room = aligned_bytes(kernel.workspace_bytes(dims))
            assert kernel.call(artifact.entry, [self._host(a) for a in addresses], dims, address_of(room)) == 0

        return run
