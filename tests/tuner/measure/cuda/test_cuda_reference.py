"""The yardstick of a GPU: seconds per round of a fixed kernel, whatever else a launch costs, and as the clock goes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.tuner.measure.cuda.drift import TEXT, Reference

KERNEL: Any = SimpleNamespace()


class Clocked:
    """A device on which a round of the reference takes what its clock says."""

    rounds = 0  # of the launch that is made

    def __init__(self, per_round: float) -> None:
        self.per_round = per_round
        self.facts = SimpleNamespace(sms=4)
        self.busy = 0.0
        self.grid = (0, 0, 0)

    def load(self, kernel: object) -> object:
        return SimpleNamespace(handle=1, block=(128, 1, 1), shared=0)

    def allocate(self, nbytes: int) -> object:
        assert nbytes == 4 * 128 * 4
        return SimpleNamespace(address=4096, nbytes=nbytes)

    def new_stream(self) -> int:
        return 7

    def launch(self, function: object, grid: tuple[int, int, int], stream: int, arguments: int) -> None:
        assert stream == 7
        self.grid = grid

    def seconds(self, stream: int, work: Callable[[], None]) -> float:
        work()
        self.busy += self.per_round * self.rounds
        return self.per_round * self.rounds


@pytest.fixture
def rounds_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are the driver's: what a launch was given is noted where it is made."""
    from anytile.tuner.measure.cuda import drift

    made = drift.Ready

    def ready(function: object, grid: tuple[int, int, int], workspace: int, values: tuple[int, ...], *more: Any) -> Any:
        (Clocked.rounds,) = values
        return made(function, grid, workspace, values, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(drift, "Ready", ready)


@pytest.mark.usefixtures("rounds_seen")
def test_it_follows_the_clock_and_nothing_else() -> None:
    device: Any = Clocked(2e-8)
    yardstick = Reference(device, KERNEL)
    assert yardstick() == pytest.approx(2e-8)
    assert device.grid == (4, 1, 1)  # every multiprocessor is busy
    assert Clocked.rounds * 2e-8 >= 1e-3  # long enough for the clock of events
    assert device.busy >= 0.02  # and for the device to wake up
    device.per_round = 3e-8
    assert yardstick() == pytest.approx(3e-8)
    other: Any = Clocked(1e-6)  # another process finds other rounds, and the same answer
    assert Reference(other, KERNEL)() == pytest.approx(1e-6)


def test_its_kernel_multiplies_and_adds_in_registers() -> None:
    facts = compile_cubin(TEXT, "sm_90a").facts
    assert (facts["spills"], facts["static_shared"]) == (0, 0)
