"""Operands on a GPU for timing: so many copies, taken in turn, that none is still in the cache when its turn comes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.dispatch.cuda.loaded import Loaded
from anytile.tuner.measure.cuda.device import CudaTimeable, CudaTimingDevice
from anytile.tuner.measure.cuda.operands import MOST_COPIES, bytes_on_device, copies_of
from anytile.tuner.protocol.candidate import TimingPolicy, point_of
from tests.support.cases.handwritten_cuda import W, artifact
from tests.support.stand_ins.simulated_gpu import FACTS, SimulatedGpu

MIB = 1 << 20


@given(nbytes=st.integers(1, 400 * MIB), cache=st.integers(MIB, 128 * MIB))
def test_between_two_turns_of_a_copy_the_cache_is_filled_three_times(nbytes: int, cache: int) -> None:
    count = copies_of(nbytes, cache, 1 << 40)
    if count < MOST_COPIES:
        assert nbytes >= 3 * cache or (count - 1) * nbytes >= 3 * cache
        assert (count - 2) * nbytes < 3 * cache  # and no copy is made in vain
    assert copies_of(nbytes, cache, 3 * nbytes) <= 3
    assert copies_of(nbytes, cache, 0) == 1


def test_calls_take_the_copies_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    device, point = SimulatedGpu(), point_of({"m": 9})
    timing = CudaTimingDevice(device, lambda: 1.0)
    tool = timing.load(artifact("right"))
    timing.prepare(W, point)
    seen: list[tuple[int, ...]] = []

    def run(self: Loaded, ready: Any, pointers: tuple[int, ...], workspace: int, stream: int, early: bool) -> None:
        seen.append(pointers)

    with ExitStack() as stack:
        (timed,) = timing.placed(stack, [tool], W, point)
        timed.run()
        timed.judge()
        monkeypatch.setattr(Loaded, "run", run)
        count = copies_of(bytes_on_device(W, point), device.facts.l2, 1 << 30)
        timed.calls(2 * count)
    assert count > 1
    assert seen[:count] == seen[count:]
    addresses = [address for pointers in seen[:count] for address in pointers]
    assert len(set(addresses)) == len(W.tensors) * count


@pytest.mark.parametrize(
    ("waits", "driver", "is_early"), [(False, (13, 0), False), (True, (13, 0), True), (True, (12, 2), False)]
)
def test_calls_of_a_campaign_begin_early_where_kernels_wait_themselves(
    waits: bool, driver: tuple[int, int], is_early: bool
) -> None:
    """Those that a graph has, too; where nobody asks for it, as benchmarks do not, calls follow each other plainly."""
    device, point = SimulatedGpu(replace(FACTS, driver=driver)), point_of({"m": 9})
    policy = TimingPolicy(min_repeat_ms=0.05, warmup_ms=0.05)
    timing = CudaTimingDevice(device, lambda: 1.0)
    tool = timing.load(artifact("right", waits=waits))
    timing.prepare(W, point)
    with ExitStack() as stack:
        (timed,) = timing.placed(stack, [tool], W, point)
        assert timing.stopwatch(stack, timed, policy)().seconds > 0
        assert device.graphs > 0
        recorded, device.early = device.early, 0
        timed.calls(5)
        assert device.early == (5 if is_early else 0)
        assert (recorded > 1) is is_early
        device.early = 0
        plain = CudaTimeable(tool.loaded, W, point, timed._copies, timed._case, 0)
        plain.calls(3)
        assert device.early == 0
