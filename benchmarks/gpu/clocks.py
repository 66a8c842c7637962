"""A GPU's clock, power, heat and reasons for slowing down, asked through NVML (nvidia-ml-py) where it is installed.

Without them nobody can tell a slow kernel from a GPU that was throttled. Nothing is set: clocks are left as they are.
"""

from __future__ import annotations

import contextlib
import importlib.util
from typing import Any

REASONS = {  # nvmlClocksEventReasons
    0x2: "application clocks",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "display clocks",
}  # that the GPU is idle, 0x1, is none
SM, TEMPERATURE = 1, 0  # nvmlClockType_t, nvmlTemperatureSensors_t


class Clocks:
    """Readings of one device, put together until they are taken. Without NVML there are none."""

    def __init__(self, nvml: Any = None, device: Any = None) -> None:
        self._nvml, self._device = nvml, device
        self._seen: list[tuple[int, float, int, int]] = []

    @classmethod
    def of(cls, uuid: str) -> Clocks:
        """Those of the device with this id, 32 hexadecimal digits, whichever of the machine's it is."""
        if importlib.util.find_spec("pynvml") is None:
            return cls()
        import pynvml

        try:
            pynvml.nvmlInit()
            named = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
            return cls(pynvml, pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{named}"))
        except pynvml.NVMLError:  # the driver's part is not there, or knows the device by another name
            return cls()

    def look(self) -> None:
        """One reading, best taken as soon as something was timed."""
        if self._nvml is None:
            return
        nvml, device = self._nvml, self._device
        ask = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
        ask = ask or nvml.nvmlDeviceGetCurrentClocksThrottleReasons  # its name in older packages
        with contextlib.suppress(nvml.NVMLError):  # what this device does not tell
            clock, power = nvml.nvmlDeviceGetClockInfo(device, SM), nvml.nvmlDeviceGetPowerUsage(device)
            heat = nvml.nvmlDeviceGetTemperature(device, TEMPERATURE)
            self._seen.append((int(clock), power / 1e3, int(heat), int(ask(device))))

    def taken(self) -> dict[str, Any]:
        """What was seen since the last time: of clocks the least and the most, of power and heat the most."""
        if not self._seen:
            return {}
        clocks, watts, heat, reasons = zip(*self._seen, strict=True)
        self._seen = []
        every = 0
        for one in reasons:
            every |= one
        slowed = [name for bit, name in REASONS.items() if every & bit]
        return {
            "sm_mhz": [min(clocks), max(clocks)],
            "watts": round(max(watts)),
            "celsius": max(heat),
            "slowed": slowed,
        }
