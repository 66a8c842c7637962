"""The NVIDIA device of this machine, asked through the driver's own library.

No package is needed, no context is made and no memory is taken on the device, so looking costs milliseconds and
disturbs nobody. Where there is none, `find` says in one line what is missing and what still works without it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anytile.core.errors import UnsupportedError
from anytile.core.plurals import counted

COMPILE_ONLY = "compile, source, why, lookup and tune --compile-only need none, with --target 'cuda -arch=sm_90a'"
CUPY = "CuPy is not installed; pip install 'anytile[cuda13]' (or [cuda12])"
_FIRST_VARIANT = 90  # from this compute capability on an architecture has instructions of its own, behind an `a`
_NAME_BYTES = 256
_ATTRIBUTES = {"major": 75, "minor": 76, "sms": 16, "shared": 97, "l2": 38}  # CUdevice_attribute, cuda.h


class NoDevice(UnsupportedError):
    """There is no device to run on, for a reason; what can be done without one is said behind it."""

    @property
    def reason(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return f"{self.reason}; {COMPILE_ONLY}"


@dataclass(frozen=True, slots=True)
class Device:
    """What a target and a measurement need to know; memory in bytes, `driver` is the CUDA version that it supports."""

    name: str
    arch: str  # as a target says it: sm_90a
    sms: int
    shared: int  # of one block, with the opt-in
    l2: int
    memory: int
    driver: tuple[int, int]
    id: str = "0"  # the same for every process of this machine

    def __str__(self) -> str:
        return f"{self.name}, {self.arch}, {self.sms} multiprocessors"


@functools.cache
def find(ordinal: int = 0) -> Device:
    """A device that this process may use, by default the first; `UnsupportedError` says why there is none.

    Devices are counted as CUDA does, among those that $CUDA_VISIBLE_DEVICES leaves.
    """
    return probe(ctypes.CDLL, ordinal)


def probe(load: Callable[[str], Any], ordinal: int = 0) -> Device:
    """Ask the driver that `load` finds."""
    try:
        cuda = load("libcuda.so.1")
    except OSError:
        raise NoDevice("no NVIDIA driver (libcuda.so.1) was found on this machine") from None
    status = cuda.cuInit(0)
    count = ctypes.c_int()
    if status == 0:
        status = cuda.cuDeviceGetCount(ctypes.byref(count))
    if status or not count.value:
        raise NoDevice(f"the NVIDIA driver finds no device{_reason(cuda, status)}")
    if ordinal >= count.value:
        raise UnsupportedError(
            f"the NVIDIA driver finds {counted(count.value, 'device')}, and none is number {ordinal}"
        )
    device, number = ctypes.c_int(), ctypes.c_int()
    _check(cuda, cuda.cuDeviceGet(ctypes.byref(device), ordinal))
    found = {}
    for name, attribute in _ATTRIBUTES.items():
        _check(cuda, cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, device))
        found[name] = number.value
    text = ctypes.create_string_buffer(_NAME_BYTES)
    _check(cuda, cuda.cuDeviceGetName(text, _NAME_BYTES, device))
    memory = ctypes.c_size_t()
    _check(cuda, cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), device))
    _check(cuda, cuda.cuDriverGetVersion(ctypes.byref(number)))
    driver = (number.value // 1000, number.value % 1000 // 10)
    uuid = (ctypes.c_ubyte * 16)()
    _check(cuda, cuda.cuDeviceGetUuid(uuid, device))
    compute = 10 * found["major"] + found["minor"]
    arch = f"sm_{compute}{'a' if compute >= _FIRST_VARIANT else ''}"
    name = text.value.decode(errors="replace")
    return Device(name, arch, found["sms"], found["shared"], found["l2"], memory.value, driver, bytes(uuid).hex())


def complete(options: dict[str, str]) -> dict[str, str]:
    """What a target's text left open: without -arch it is the device that is here."""
    if "arch" in options:
        return options
    try:
        device = find()
    except UnsupportedError as error:
        raise UnsupportedError(f"target cuda: {error}") from None
    return {"sm": str(device.sms), "smem": str(device.shared), **options, "arch": device.arch}


def is_here(options: dict[str, str]) -> bool:
    """Whether code for these options runs on this machine's device."""
    return not _absent() and options.get("arch") in (find().arch, find().arch.rstrip("a"))


def objection(options: dict[str, str]) -> str | None:
    """Why code for these options cannot run here, and what to do; None where it can."""
    if reason := _absent():
        return reason
    if importlib.util.find_spec("cupy") is None:
        return f"{CUPY}; {COMPILE_ONLY}"
    if not is_here(options):
        return f"this machine has a {find()}; code for another one can be compiled (--compile-only), not run"
    return None


def _absent() -> str:
    try:
        find()
    except UnsupportedError as error:
        return str(error)
    return ""


def _reason(cuda: Any, status: int) -> str:
    """The driver's own words for a status, in brackets."""
    if not status:
        return ""
    text = ctypes.c_char_p()
    cuda.cuGetErrorString(status, ctypes.byref(text))
    return f" ({(text.value or b'').decode(errors='replace') or f'status {status}'})"


def _check(cuda: Any, status: int) -> None:
    if status:
        raise UnsupportedError(f"the NVIDIA device does not answer{_reason(cuda, status)}; see `nvidia-smi`")
