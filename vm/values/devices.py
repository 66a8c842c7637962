"""Devices beside the host: what the machine asks of one. The host itself is device 0 and no object.

An address on a device means nothing on the host and is never followed there: the machine hands it back to the device
that gave it, and refuses to mix tensors of two devices in one kernel. A device does what it is asked in that order and
may do it later: nothing but `read` and `wait` waits for it, and what went wrong on it shows there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.schedules.plans.plan import DispatchPlan

if TYPE_CHECKING:
    from anytile.dispatch.arguments.view import View
    from anytile.vm.values.grown import Grown
    from anytile.vm.values.values import DeviceStorage

Array = NDArray[Any]
Copy = tuple[int, int, int]  # what kernels find behind a base: that, where it is on the host, and its bytes
Run = Callable[[Sequence[int], tuple[int, ...]], None]  # addresses of all operands, then the symbols' values


class Launch(NamedTuple):
    """A kernel among several that are run together. An operand lies some bytes behind a base; base 0 is the address 0,
    for what always lies in one place."""

    run: Run
    dims: tuple[int, ...]
    operands: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Memory that kernels which run together have to themselves: how much of it, and the bases that lie there, each so
    many bytes behind its beginning."""

    nbytes: int
    behind: Mapping[int, int]

    def laid(self, bases: Sequence[int], at: int) -> list[int]:
        """Where all bases lie, if the room is at an address."""
        found = list(bases)
        for base, behind in self.behind.items():
            found[base] = at + behind
        return found


class Together(Protocol):
    """Kernels that are run one after another."""

    def __call__(self, bases: Sequence[int], room: Room, copies: Sequence[Copy]) -> None:
        """Make the copies, then run the kernels, with the bases where they lie this time; where those of the room lie
        the device knows."""
        ...

    def changed(self, launches: Mapping[int, Launch]) -> Together:
        """The same kernels, but for some by their number."""
        ...


class Block(Protocol):
    """Memory of a device, free for what the device is asked next when nobody refers to it."""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def hand_out(self) -> None:
        """Others may read it from now on: the device uses it for something else when they are done."""
        ...


class Device(Protocol):
    """A device, which several threads may use at once."""

    @property
    def dlpack(self) -> tuple[int, int]:
        """What DLPack calls it: the type, and the number."""
        ...

    def load(self, artifact: Artifact, plan: DispatchPlan) -> Run:
        """A kernel, whose operands have been checked when it is run, and of whose results one is not empty."""
        ...

    def together(self, launches: Sequence[Launch]) -> Together:
        """Kernels of this device in a row, as one to run, each time with other bases; the first of them is 0."""
        ...

    @property
    def grown(self) -> Grown[DeviceStorage]:
        """What rows were appended in, of all programs that use it."""
        ...

    def allocate(self, nbytes: int) -> Block: ...

    def write(self, address: int, source: int, nbytes: int) -> None:
        """Copy so many bytes of the host to the device; they are free for other things when this returns."""
        ...

    def read(self, address: int, into: int, nbytes: int) -> None:
        """Copy so many bytes of the device to the host, as they are when all that it was asked before is done."""
        ...

    def move(self, address: int, source: int, nbytes: int) -> None:
        """Copy so many bytes of the device to where they lie not yet."""
        ...

    def wait(self) -> None:
        """Until all that it was asked is done."""
        ...

    def seen(self, where: str, array: Any) -> View | None:
        """An array of the caller's, contiguous, that lies on this device, ready when the device gets to what comes
        next; None where it does not lie there."""
        ...
