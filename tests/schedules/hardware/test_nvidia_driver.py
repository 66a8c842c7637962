"""Finding a GPU through a driver that is made up: what a target says of it, and every way in which there is none."""

from __future__ import annotations

from typing import Any

import pytest

from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware import nvidia_driver
from anytile.schedules.hardware.nvidia_driver import Device, probe
from anytile.schedules.hardware.target import Target, require_runnable

H100 = {75: 9, 76: 0, 16: 132, 97: 232448, 38: 50 << 20}


class Driver:
    """libcuda, as far as it is asked."""

    def __init__(self, init: int = 0, count: int = 1, attributes: dict[int, int] | None = None, version: int = 12040):
        self.init, self.count, self.attributes, self.version = init, count, attributes or H100, version
        self.asked = -1

    def cuInit(self, flags: int) -> int:
        return self.init

    def cuDeviceGetCount(self, out: Any) -> int:
        out._obj.value = self.count
        return 0

    def cuDeviceGet(self, out: Any, ordinal: int) -> int:
        out._obj.value = self.asked = ordinal
        return 0

    def cuDeviceGetAttribute(self, out: Any, attribute: int, number: Any) -> int:
        out._obj.value = self.attributes.get(attribute, 0)
        return 0 if attribute in self.attributes else 999

    def cuDeviceGetName(self, out: Any, size: int, number: Any) -> int:
        out.value = b"NVIDIA H100"
        return 0

    def cuDeviceTotalMem_v2(self, out: Any, number: Any) -> int:
        out._obj.value = 80 << 30
        return 0

    def cuDriverGetVersion(self, out: Any) -> int:
        out._obj.value = self.version
        return 0

    def cuDeviceGetUuid(self, out: Any, number: Any) -> int:
        out[0] = 0xAB
        return 0

    def cuGetErrorString(self, status: int, out: Any) -> int:
        out._obj.value = {100: b"no CUDA-capable device is detected", 999: b"unknown error"}[status]
        return 0


def test_a_device_is_described_by_the_driver_alone() -> None:
    found = probe(lambda name: Driver())
    assert found == Device("NVIDIA H100", "sm_90a", 132, 232448, 50 << 20, 80 << 30, (12, 4), "ab" + 30 * "0")
    assert str(found) == "NVIDIA H100, sm_90a, 132 multiprocessors"
    assert probe(lambda name: Driver(attributes={**H100, 75: 8, 76: 9})).arch == "sm_89"


def test_each_of_several_devices_is_found_by_its_number() -> None:
    driver = Driver(count=2)
    for ordinal in (0, 1):
        probe(lambda name: driver, ordinal)
        assert driver.asked == ordinal
    with pytest.raises(UnsupportedError, match=r"finds 2 devices, and none is number 2"):
        probe(lambda name: driver, 2)


def _absent(name: str) -> Any:
    raise OSError(f"{name}: cannot open shared object file")


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (_absent, r"no NVIDIA driver \(libcuda.so.1\) was found on this machine; compile, source, why"),
        (lambda name: Driver(init=100), r"finds no device \(no CUDA-capable device is detected\); compile, source, "),
        (lambda name: Driver(count=0), "the NVIDIA driver finds no device; compile, source, why"),
        (lambda name: Driver(attributes={75: 9}), r"does not answer \(unknown error\); see `nvidia-smi`"),
    ],
)
def test_no_device_is_one_line_with_the_next_step(load: Any, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason) as error:
        probe(load)
    assert "\n" not in str(error.value)


def test_a_target_without_an_architecture_is_the_device_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia_driver, "find", lambda: probe(lambda name: Driver()))
    assert str(Target.parse("cuda")) == "cuda -arch=sm_90a -sm=132 -smem=232448"
    assert Target.parse("cuda").is_host
    assert Target.parse("cuda -arch=sm_90").is_host
    assert not Target.parse("cuda -arch=sm_80").is_host
    assert str(Target.parse("cuda -arch=sm_80")) == "cuda -arch=sm_80"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(UnsupportedError, match="this machine has a NVIDIA H100, sm_90a.*can be compiled"):
        require_runnable(Target.parse("cuda -arch=sm_80"))


def test_without_cupy_a_device_is_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia_driver, "find", lambda: probe(lambda name: Driver()))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r"CuPy is not installed; pip install 'anytile\[cuda13\]'"):
        require_runnable(Target.parse("cuda"))


def test_counts_of_a_target_are_numbers() -> None:
    for option in ("sm", "smem"):
        with pytest.raises(SpecError, match=f"-{option}=many is not a positive whole number"):
            Target.parse(f"cuda -arch=sm_90a -{option}=many")
