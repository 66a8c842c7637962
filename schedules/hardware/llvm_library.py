"""LLVM as a shared library: its version and what it says of the host, without the Python package around it.

Importing llvmlite takes several times as long as loading the library in it, and a process that only runs what was built
before asks nothing more of LLVM. For what LLVM answered here before, the library is not loaded either. Where it lies
elsewhere the package is imported, which knows.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path
from typing import Any

from anytile.schedules.hardware.kept_answers import Answers, kept

_INSIDE = Path("binding") / "libllvmlite.so"


def version() -> tuple[int, ...]:
    """As in (20, 1, 8)."""
    return _answers().version


def host_cpu_name() -> str:
    return _answers().cpu


def host_cpu_features() -> dict[str, bool]:
    """By their names, in LLVM's order; empty where it knows none of this kind of CPU."""
    return {feature[1:]: feature[0] == "+" for feature in _answers().features.split(",") if feature}


@functools.cache
def _answers() -> Answers:
    place = _place()
    return _asked() if place is None else kept(place, _asked)


def _asked() -> Answers:
    packed = int(_library().LLVMPY_GetVersionInfo())
    version = tuple(packed.to_bytes(4, "big").lstrip(b"\0"))
    return Answers(version, _said("LLVMPY_GetHostCPUName"), _said("LLVMPY_GetHostCPUFeatures"))


def _said(function: str) -> str:
    """What a function writes, in memory that it allots and we give back."""
    library, text = _library(), ctypes.c_char_p()
    getattr(library, function)(ctypes.byref(text))
    try:
        return (text.value or b"").decode()
    finally:
        library.LLVMPY_DisposeString(text)


def _place() -> Path | None:
    """Where the library is, in the package as it usually lies."""
    found = importlib.util.find_spec("llvmlite")
    for folder in (found and found.submodule_search_locations) or ():
        if (path := Path(folder) / _INSIDE).is_file():
            return path
    return None


@functools.cache
def _library() -> Any:
    place = _place()
    if place is not None:
        return ctypes.CDLL(str(place))
    from llvmlite.binding import ffi

    return ffi.lib
