"""Devices beside the host: what the machine asks of one. The host itself is device 0 and no object.

An address on a device means nothing on the host and is never followed there: the machine hands it back to the device
that gave it, and refuses to mix tensors of two devices in one kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anytile.codegen.load.loader import Loaded


class Block(Protocol):
    """Memory of a device, free again when nobody refers to it."""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...


class Device(Protocol):
    """A device. Host addresses are ints that may be read or written for as many bytes as is said."""

    def allocate(self, nbytes: int) -> Block: ...

    def read(self, address: int, nbytes: int) -> bytes: ...

    def write(self, address: int, data: bytes) -> None: ...

    def run(self, kernel: Loaded, data: Sequence[int], dims: Sequence[int], workspace: int) -> int:
        """Run a kernel with addresses of this device and so many bytes of workspace."""
        ...
