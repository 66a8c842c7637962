"""A GPU's clock and its reasons for slowing down, by a stand-in for NVML."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from benchmarks.gpu.clocks import Clocks


class NVMLError(Exception):
    """As the package has it."""


def nvml(clocks: list[int], reasons: list[int], **others: Any) -> Any:
    return SimpleNamespace(
        NVMLError=NVMLError,
        nvmlDeviceGetClockInfo=lambda device, kind: clocks.pop(0),
        nvmlDeviceGetPowerUsage=lambda device: 350400,
        nvmlDeviceGetTemperature=lambda device, sensor: 51,
        nvmlDeviceGetCurrentClocksThrottleReasons=lambda device: reasons.pop(0),
        **others,
    )


def test_readings_are_put_together_and_taken_once() -> None:
    clocks = Clocks(nvml([1980, 1755], [0x4, 0x40 | 0x1]), "gpu")
    clocks.look()
    clocks.look()
    slowed = ["software power cap", "hardware thermal slowdown"]
    assert clocks.taken() == {"sm_mhz": [1755, 1980], "watts": 350, "celsius": 51, "slowed": slowed}
    assert clocks.taken() == {}


def test_the_newer_name_of_the_reasons_is_asked_first() -> None:
    clocks = Clocks(nvml([1980], [0x8], nvmlDeviceGetCurrentClocksEventReasons=lambda device: 0x1), "gpu")
    clocks.look()
    assert clocks.taken()["slowed"] == []


def test_without_nvml_or_where_it_does_not_tell_there_are_no_readings() -> None:
    def refuses(device: str) -> int:
        raise NVMLError("not supported")

    for clocks in (Clocks(), Clocks(nvml([1980], [], nvmlDeviceGetCurrentClocksEventReasons=refuses), "gpu")):
        clocks.look()
        assert clocks.taken() == {}
